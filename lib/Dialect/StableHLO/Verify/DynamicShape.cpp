// SPDX-License-Identifier: Apache-2.0
// Ops whose result shape is a run-time value: ranks and element types.

#include "Rules.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace {

/// A vector with one entry per dimension.
LogicalResult checkSizes(const Reporter &report, StringRef name, Value sizes,
                         int64_t rank) {
  RankedTensorType type = tensorType(sizes);
  if (type.getRank() == 1 && agree(type.getDimSize(0), rank))
    return success();
  return report("needs ", name, " to be a vector of ", rank, " entries, found ",
                type);
}

LogicalResult checkSameElements(const Reporter &report, Value operand,
                                Type result) {
  Type found = cast<RankedTensorType>(result).getElementType();
  if (found == elementType(operand))
    return success();
  return report("cannot change the element type, from ", elementType(operand),
                " to ", found);
}

LogicalResult checkSameRank(const Reporter &report, Value operand,
                            Type result) {
  int64_t found = cast<RankedTensorType>(result).getRank();
  if (found == rankOf(operand))
    return success();
  return report("cannot change the rank, from ", rankOf(operand), " to ",
                found);
}

} // namespace

LogicalResult DynamicReshapeOp::verify() {
  Reporter report = reporterOf(*this);
  return failure(failed(checkSameElements(report, getOperand(), getType())) ||
                 failed(checkSizes(report, "output_shape", getOutputShape(),
                                   getType().getRank())));
}

LogicalResult DynamicBroadcastInDimOp::verify() {
  Reporter report = reporterOf(*this);
  RankedTensorType operand = getOperand().getType();
  ArrayRef<int64_t> dims = getBroadcastDimensions();
  if (failed(checkSameElements(report, getOperand(), getType())) ||
      failed(checkSizes(report, "output_dimensions", getOutputDimensions(),
                        getType().getRank())) ||
      failed(checkCount(report, "broadcast_dimensions", dims.size(),
                        operand.getRank(), "operand dimension")) ||
      failed(checkUnique(report, "broadcast_dimensions", dims,
                         getType().getRank())))
    return failure();
  for (auto [dim, target] : llvm::enumerate(dims)) {
    int64_t size = operand.getDimSize(dim);
    if (size != 1 && !agree(size, getType().getDimSize(target)))
      return report("operand dimension ", dim, " has size ", size,
                    ", but result dimension ", target, " has size ",
                    getType().getDimSize(target), "; it must be equal or 1");
  }
  return success();
}

LogicalResult DynamicIotaOp::verify() {
  Reporter report = reporterOf(*this);
  int64_t rank = getType().getRank(), dim = getIotaDimension();
  if (dim < 0 || dim >= rank)
    return report("counts along dimension ", dim, ", outside [0, ", rank, ")");
  return checkSizes(report, "output_shape", getOutputShape(), rank);
}

LogicalResult DynamicPadOp::verify() {
  Reporter report = reporterOf(*this);
  int64_t rank = rankOf(getOperand());
  if (rankOf(getPaddingValue()) != 0 ||
      elementType(getPaddingValue()) != elementType(getOperand()))
    return report("needs a scalar padding value of ", elementType(getOperand()),
                  ", found ", getPaddingValue().getType());
  return failure(failed(checkSameElements(report, getOperand(), getType())) ||
                 failed(checkSameRank(report, getOperand(), getType())) ||
                 failed(checkSizes(report, "edge_padding_low",
                                   getEdgePaddingLow(), rank)) ||
                 failed(checkSizes(report, "edge_padding_high",
                                   getEdgePaddingHigh(), rank)) ||
                 failed(checkSizes(report, "interior_padding",
                                   getInteriorPadding(), rank)));
}

LogicalResult RealDynamicSliceOp::verify() {
  Reporter report = reporterOf(*this);
  int64_t rank = rankOf(getOperand());
  return failure(
      failed(checkSameElements(report, getOperand(), getType())) ||
      failed(checkSameRank(report, getOperand(), getType())) ||
      failed(checkSizes(report, "start_indices", getStartIndices(), rank)) ||
      failed(checkSizes(report, "limit_indices", getLimitIndices(), rank)) ||
      failed(checkSizes(report, "strides", getStrides(), rank)));
}

LogicalResult
GetDimensionSizeOp::inferReturnTypes(MLIRContext *context,
                                     OptionalLocation location, Adaptor adaptor,
                                     SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get({}, IntegerType::get(context, 32)));
  return checkInRange({location, getOperationName()}, "dim",
                      static_cast<int64_t>(adaptor.getDimension()),
                      rankOf(adaptor.getOperand()));
}

LogicalResult SetDimensionSizeOp::verify() {
  Reporter report = reporterOf(*this);
  if (rankOf(getSize()) != 0)
    return report("needs a scalar size, found ", getSize().getType());
  return failure(
      failed(checkInRange(report, "dim", static_cast<int64_t>(getDimension()),
                          rankOf(getOperand()))) ||
      failed(checkSameElements(report, getOperand(), getType())) ||
      failed(checkSameRank(report, getOperand(), getType())));
}

// SPDX-License-Identifier: Apache-2.0

#include "../StableHLO/Verify/Rules.h"
#include "shardsmith/Dialect/Chlo/Chlo.h"

using namespace mlir;
using namespace shardsmith;
using namespace shardsmith::chlo;
using stablehlo::OptionalLocation;
using stablehlo::Reporter;
using stablehlo::Shape;
using stablehlo::toText;

namespace {

RankedTensorType predicateType(MLIRContext *context, Value operand) {
  return stablehlo::tensorType(operand).clone(IntegerType::get(context, 1));
}

} // namespace

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Chlo/Ops.cpp.inc"

//===----------------------------------------------------------------------===//
// top_k
//===----------------------------------------------------------------------===//

LogicalResult TopKOp::inferReturnTypes(MLIRContext *context,
                                       OptionalLocation location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  Reporter report(location, getOperationName());
  RankedTensorType operand = stablehlo::tensorType(adaptor.getOperand());
  int64_t k = adaptor.getK();
  if (operand.getRank() == 0)
    return report("needs an operand of rank 1 or more, found ", operand);
  int64_t size = operand.getShape().back();
  if (k < 0 || (!ShapedType::isDynamic(size) && k > size))
    return report("selects ", k, " of ", size, " elements");
  Shape shape(operand.getShape());
  shape.back() = k;
  types.push_back(RankedTensorType::get(shape, operand.getElementType()));
  types.push_back(RankedTensorType::get(shape, IntegerType::get(context, 32)));
  return success();
}

void TopKOp::getAsmResultNames(function_ref<void(Value, StringRef)> setName) {
  setName(getValues(), "values");
  setName(getIndices(), "indices");
}

//===----------------------------------------------------------------------===//
// ragged_dot
//===----------------------------------------------------------------------===//

LogicalResult RaggedDotOp::verify() {
  Reporter report = stablehlo::reporterOf(*this);
  RaggedDotDimensionNumbersAttr numbers = getRaggedDotDimensionNumbers();
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType();
  ArrayRef<int64_t> ragged = numbers.getLhsRaggedDimensions();
  ArrayRef<int64_t> group = numbers.getRhsGroupDimensions();
  if (ragged.size() != 1)
    return report("needs one ragged dimension of lhs, found ", toText(ragged));
  if (failed(stablehlo::checkInRange(report, "lhs_ragged_dimensions", ragged,
                                     lhs.getRank())) ||
      failed(stablehlo::checkInRange(report, "rhs_group_dimensions", group,
                                     rhs.getRank())))
    return failure();
  ArrayRef<int64_t> lhsBatching = numbers.getLhsBatchingDimensions();
  ArrayRef<int64_t> lhsContracting = numbers.getLhsContractingDimensions();
  bool isContracting = llvm::is_contained(lhsContracting, ragged[0]);
  bool isFree = !isContracting && !llvm::is_contained(lhsBatching, ragged[0]);
  if (group.size() != (isFree ? 1 : 0))
    return report("needs ",
                  isFree ? "one group dimension" : "no group dimension",
                  " of rhs, found ", toText(group));
  RankedTensorType sizes = getGroupSizes().getType();
  if (sizes.getRank() != 1)
    return report("needs group_sizes of rank 1, found ", sizes);
  int64_t groups = sizes.getDimSize(0);
  if (isFree && !stablehlo::agree(rhs.getDimSize(group[0]), groups))
    return report("has ", groups, " group sizes for ", rhs.getDimSize(group[0]),
                  " groups of rhs");

  // Without the group dimension it is a contraction like any other.
  Shape rhsShape(rhs.getShape());
  auto withoutGroup = [&](ArrayRef<int64_t> dims) {
    Shape shifted(dims);
    for (int64_t &dim : shifted)
      if (isFree && dim > group[0])
        --dim;
    return shifted;
  };
  if (isFree) {
    for (ArrayRef<int64_t> dims : {numbers.getRhsBatchingDimensions(),
                                   numbers.getRhsContractingDimensions()})
      if (llvm::is_contained(dims, group[0]))
        return report("has group dimension ", group[0],
                      " also as a batching or contracting dimension of rhs");
    rhsShape.erase(rhsShape.begin() + group[0]);
  }
  auto dot = stablehlo::DotDimensionNumbersAttr::get(
      getContext(), lhsBatching,
      withoutGroup(numbers.getRhsBatchingDimensions()), lhsContracting,
      withoutGroup(numbers.getRhsContractingDimensions()));
  FailureOr<Shape> shape = stablehlo::inferDotGeneralShape(
      report, lhs, RankedTensorType::get(rhsShape, rhs.getElementType()), dot);
  if (failed(shape))
    return failure();
  if (isContracting)
    shape->insert(shape->begin(), groups);
  return stablehlo::checkResultShape(report, getType(), *shape);
}

// SPDX-License-Identifier: Apache-2.0
// Constants, and ops that move elements without computing on them.

#include "Rules.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace {

/// The type with `shape` and the value's elements.
RankedTensorType withShape(Value value, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, elementType(value));
}

/// Bits of an element; both parts of a complex one.
int64_t bitWidth(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * complex.getElementType().getIntOrFloatBitWidth();
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    return quantized.getStorageTypeIntegralWidth();
  return element.getIntOrFloatBitWidth();
}

/// Scalar start indices of one integer type, one per operand dimension.
LogicalResult checkStartIndices(const Reporter &report, Value operand,
                                ValueRange indices) {
  if (failed(checkCount(report, "start_indices", indices.size(),
                        rankOf(operand), "operand dimension")))
    return failure();
  for (Value index : indices) {
    if (rankOf(index) != 0)
      return report("needs scalar start indices, found ", index.getType());
    if (index.getType() != indices.front().getType())
      return report("needs start indices of one type, found ",
                    indices.front().getType(), " and ", index.getType());
  }
  return success();
}

/// Slices of `sizes` lie within the operand.
LogicalResult checkSizes(const Reporter &report, StringRef name, Value operand,
                         ArrayRef<int64_t> sizes) {
  for (auto [dim, sizePair] :
       llvm::enumerate(llvm::zip(sizes, tensorType(operand).getShape()))) {
    auto [size, whole] = sizePair;
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(whole))
      continue;
    if (size < 0 || size > whole)
      return report(name, " has size ", size, " in dimension ", dim,
                    ", outside [0, ", whole, "]");
  }
  return success();
}

} // namespace

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::verify() {
  ShapedType value = getValue().getShapedType();
  if (value.getShape() != getType().getShape())
    return emitOpError() << "has a value of shape " << toText(value.getShape())
                         << ", but a result of shape "
                         << toText(getType().getShape());
  bool isQuantized = isa<quant::QuantizedType>(getType().getElementType());
  if (!isQuantized && value.getElementType() != getType().getElementType())
    return emitOpError() << "has a value of element type "
                         << value.getElementType()
                         << ", but a result of element type "
                         << getType().getElementType();
  return success();
}

LogicalResult IotaOp::verify() {
  int64_t dim = getIotaDimension(), rank = getType().getRank();
  if (dim < 0 || dim >= rank)
    return emitOpError() << "counts along dimension " << dim << ", outside [0, "
                         << rank << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// Reshape and broadcast
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  RankedTensorType operand = getOperand().getType(), result = getType();
  if (operand.getElementType() != result.getElementType())
    return emitOpError() << "cannot change the element type, from "
                         << operand.getElementType() << " to "
                         << result.getElementType();
  if (!operand.hasStaticShape() || !result.hasStaticShape())
    return success();
  if (operand.getNumElements() != result.getNumElements())
    return emitOpError() << "cannot change the number of elements, from "
                         << operand.getNumElements() << " in "
                         << toText(operand.getShape()) << " to "
                         << result.getNumElements() << " in "
                         << toText(result.getShape());
  return success();
}

LogicalResult BitcastConvertOp::verify() {
  Reporter report = reporterOf(*this);
  RankedTensorType operand = getOperand().getType(), result = getType();
  int64_t from = bitWidth(operand.getElementType());
  int64_t to = bitWidth(result.getElementType());
  if (isComplexElement(operand.getElementType()) !=
      isComplexElement(result.getElementType()))
    return report("cannot reinterpret ", operand.getElementType(), " as ",
                  result.getElementType());
  if (from == to)
    return checkResultShape(report, result, operand.getShape());
  // The narrower side has the ratio of widths as an additional dimension.
  int64_t wide = std::max(from, to), narrow = std::min(from, to);
  if (wide % narrow != 0)
    return report("cannot reinterpret ", from, " bits as ", to,
                  ": neither is a multiple of the other");
  Shape narrowShape(from > to ? operand.getShape() : result.getShape());
  narrowShape.push_back(wide / narrow);
  if (from > to)
    return checkResultShape(report, result, narrowShape);
  if (agree(operand.getShape(), narrowShape))
    return success();
  return report("from ", from, " to ", to, " bits needs operand shape ",
                toText(narrowShape), ", found ", toText(operand.getShape()));
}

LogicalResult BroadcastOp::inferReturnTypes(MLIRContext *,
                                            OptionalLocation location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  Reporter report(location, getOperationName());
  Shape shape(adaptor.getBroadcastSizes());
  for (int64_t size : shape)
    if (size < 0)
      return report("needs sizes of at least 0, found ", toText(shape));
  llvm::append_range(shape, tensorType(adaptor.getOperand()).getShape());
  types.push_back(withShape(adaptor.getOperand(), shape));
  return success();
}

LogicalResult BroadcastInDimOp::verify() {
  Reporter report = reporterOf(*this);
  RankedTensorType operand = getOperand().getType(), result = getType();
  ArrayRef<int64_t> dims = getBroadcastDimensions();
  if (operand.getElementType() != result.getElementType())
    return report("cannot change the element type, from ",
                  operand.getElementType(), " to ", result.getElementType());
  if (failed(checkCount(report, "broadcast_dimensions", dims.size(),
                        operand.getRank(), "operand dimension")) ||
      failed(
          checkUnique(report, "broadcast_dimensions", dims, result.getRank())))
    return failure();
  for (auto [dim, target] : llvm::enumerate(dims)) {
    int64_t size = operand.getDimSize(dim), wanted = result.getDimSize(target);
    if (size != 1 && !agree(size, wanted))
      return report("operand dimension ", dim, " has size ", size,
                    ", but result dimension ", target, " has size ", wanted,
                    "; it must be equal or 1");
  }
  return success();
}

bool BroadcastInDimOp::isSimpleReshape() {
  RankedTensorType operand = getOperand().getType();
  return llvm::is_sorted(getBroadcastDimensions()) &&
         operand.hasStaticShape() && getType().hasStaticShape() &&
         operand.getNumElements() == getType().getNumElements();
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *,
                                            OptionalLocation location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  Reporter report(location, getOperationName());
  RankedTensorType operand = tensorType(adaptor.getOperand());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  if (failed(checkCount(report, "permutation", permutation.size(),
                        operand.getRank(), "operand dimension")) ||
      failed(
          checkUnique(report, "permutation", permutation, operand.getRank())))
    return failure();
  Shape shape;
  for (int64_t dim : permutation)
    shape.push_back(operand.getDimSize(dim));
  types.push_back(withShape(adaptor.getOperand(), shape));
  return success();
}

LogicalResult ReverseOp::inferReturnTypes(MLIRContext *,
                                          OptionalLocation location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  Reporter report(location, getOperationName());
  types.push_back(adaptor.getOperand().getType());
  return checkUnique(report, "dimensions", adaptor.getDimensions(),
                     rankOf(adaptor.getOperand()));
}

//===----------------------------------------------------------------------===//
// Pad, slice, concatenate
//===----------------------------------------------------------------------===//

LogicalResult PadOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  Reporter report(location, getOperationName());
  RankedTensorType operand = tensorType(adaptor.getOperand());
  RankedTensorType value = tensorType(adaptor.getPaddingValue());
  if (value.getRank() != 0 ||
      value.getElementType() != operand.getElementType())
    return report("needs a scalar padding value of ", operand.getElementType(),
                  ", found ", value);
  ArrayRef<int64_t> low = adaptor.getEdgePaddingLow();
  ArrayRef<int64_t> high = adaptor.getEdgePaddingHigh();
  ArrayRef<int64_t> interior = adaptor.getInteriorPadding();
  for (auto [name, list] : {std::pair("low", low), std::pair("high", high),
                            std::pair("interior", interior)})
    if (failed(checkCount(report, name, list.size(), operand.getRank(),
                          "operand dimension")))
      return failure();
  Shape shape;
  for (int64_t dim = 0; dim < operand.getRank(); ++dim) {
    int64_t size = operand.getDimSize(dim), gaps = 0, padded = 0;
    if (interior[dim] < 0)
      return report("needs interior padding of at least 0, found ",
                    interior[dim], " in dimension ", dim);
    if (ShapedType::isDynamic(size)) {
      shape.push_back(ShapedType::kDynamic);
      continue;
    }
    if (llvm::MulOverflow(std::max<int64_t>(size - 1, 0), interior[dim],
                          gaps) ||
        llvm::AddOverflow(size, gaps, padded) ||
        llvm::AddOverflow(padded, low[dim], padded) ||
        llvm::AddOverflow(padded, high[dim], padded))
      return report("pads dimension ", dim, " to a size beyond 64 bits");
    if (padded < 0)
      return report("pads dimension ", dim, " of size ", size, " to size ",
                    padded, ", below 0");
    shape.push_back(padded);
  }
  types.push_back(withShape(adaptor.getOperand(), shape));
  return success();
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *,
                                        OptionalLocation location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  Reporter report(location, getOperationName());
  RankedTensorType operand = tensorType(adaptor.getOperand());
  ArrayRef<int64_t> starts = adaptor.getStartIndices();
  ArrayRef<int64_t> limits = adaptor.getLimitIndices();
  ArrayRef<int64_t> strides = adaptor.getStrides();
  for (auto [name, list] :
       {std::pair("start_indices", starts), std::pair("limit_indices", limits),
        std::pair("strides", strides)})
    if (failed(checkCount(report, name, list.size(), operand.getRank(),
                          "operand dimension")))
      return failure();
  Shape shape;
  for (int64_t dim = 0; dim < operand.getRank(); ++dim) {
    int64_t start = starts[dim], limit = limits[dim], stride = strides[dim];
    int64_t size = operand.getDimSize(dim);
    if (stride < 1)
      return report("needs a stride of at least 1, found ", stride,
                    " in dimension ", dim);
    if (start < 0 || limit < start)
      return report("needs 0 <= start <= limit, found ", start, " and ", limit,
                    " in dimension ", dim);
    if (!ShapedType::isDynamic(size) && limit > size)
      return report("ends at ", limit, " in dimension ", dim,
                    ", beyond its size ", size);
    shape.push_back(llvm::divideCeil(limit - start, stride));
  }
  types.push_back(withShape(adaptor.getOperand(), shape));
  return success();
}

LogicalResult DynamicSliceOp::inferReturnTypes(MLIRContext *,
                                               OptionalLocation location,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  Reporter report(location, getOperationName());
  Value operand = adaptor.getOperand();
  ArrayRef<int64_t> sizes = adaptor.getSliceSizes();
  if (failed(checkStartIndices(report, operand, adaptor.getStartIndices())) ||
      failed(checkCount(report, "slice_sizes", sizes.size(), rankOf(operand),
                        "operand dimension")) ||
      failed(checkSizes(report, "slice_sizes", operand, sizes)) ||
      failed(checkKnown(report, "slice_sizes", sizes)))
    return failure();
  types.push_back(withShape(operand, sizes));
  return success();
}

LogicalResult
DynamicUpdateSliceOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  Reporter report(location, getOperationName());
  Value operand = adaptor.getOperand();
  RankedTensorType update = tensorType(adaptor.getUpdate());
  if (update.getElementType() != elementType(operand))
    return report("needs an update of element type ", elementType(operand),
                  ", found ", update.getElementType());
  if (update.getRank() != rankOf(operand))
    return report("needs an update of rank ", rankOf(operand), ", found ",
                  update.getRank());
  if (failed(checkStartIndices(report, operand, adaptor.getStartIndices())) ||
      failed(checkSizes(report, "update", operand, update.getShape())))
    return failure();
  types.push_back(operand.getType());
  return success();
}

LogicalResult ConcatenateOp::inferReturnTypes(MLIRContext *,
                                              OptionalLocation location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  Reporter report(location, getOperationName());
  if (adaptor.getInputs().empty())
    return report("needs at least one input");
  RankedTensorType first = tensorType(adaptor.getInputs().front());
  int64_t along = adaptor.getDimension();
  if (along < 0 || along >= first.getRank())
    return report("joins along dimension ", along, ", outside [0, ",
                  first.getRank(), ")");
  Shape shape(first.getShape());
  for (Value input : adaptor.getInputs().drop_front()) {
    RankedTensorType type = tensorType(input);
    if (type.getElementType() != first.getElementType() ||
        type.getRank() != first.getRank())
      return report("needs inputs of one element type and rank, found ", first,
                    " and ", type);
    for (int64_t dim = 0; dim < first.getRank(); ++dim) {
      int64_t size = type.getDimSize(dim);
      if (dim != along) {
        if (!agree(shape[dim], size))
          return report("inputs differ in dimension ", dim, ", with sizes ",
                        shape[dim], " and ", size, "; only dimension ", along,
                        " may differ");
        if (ShapedType::isDynamic(shape[dim]))
          shape[dim] = size;
        continue;
      }
      if (ShapedType::isDynamic(shape[dim]) || ShapedType::isDynamic(size))
        shape[dim] = ShapedType::kDynamic;
      else if (llvm::AddOverflow(shape[dim], size, shape[dim]))
        return report("joins dimension ", dim, " to a size beyond 64 bits");
    }
  }
  types.push_back(withShape(adaptor.getInputs().front(), shape));
  return success();
}

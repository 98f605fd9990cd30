// SPDX-License-Identifier: Apache-2.0

#include "Fold.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace {

/// Visits the positions of a small tensor in row-major order.
template <typename Visit>
void forEachPosition(ArrayRef<int64_t> shape, Visit visit) {
  int64_t count = ShapedType::getNumElements(shape);
  SmallVector<int64_t> position(shape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    visit(position);
    for (size_t dim = shape.size(); dim-- > 0;) {
      if (++position[dim] < shape[dim])
        break;
      position[dim] = 0;
    }
  }
}

int64_t flatIndex(ArrayRef<int64_t> position, ArrayRef<int64_t> shape) {
  int64_t index = 0;
  for (auto [at, extent] : llvm::zip_equal(position, shape))
    index = index * extent + at;
  return index;
}

/// A small constant whose element at `p` is `source` at `map(p)`.
template <typename Map>
Attribute gather(DenseElementsAttr source, Type resultType, Map map) {
  auto type = cast<ShapedType>(resultType);
  if (source.isSplat() && isFoldable(type))
    return source.resizeSplat(type);
  if (!isFoldable(type))
    return nullptr;
  auto elements = source.getValues<Attribute>();
  SmallVector<Attribute> values;
  forEachPosition(type.getShape(), [&](ArrayRef<int64_t> position) {
    values.push_back(
        elements[flatIndex(map(position), source.getType().getShape())]);
  });
  return DenseElementsAttr::get(type, values);
}

bool allZero(ArrayRef<int64_t> values) {
  return llvm::all_of(values, [](int64_t value) { return value == 0; });
}

} // namespace

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  DenseElementsAttr operand = getFoldable(adaptor.getOperand());
  auto type = cast<ShapedType>(getType());
  return operand && type.hasStaticShape() ? operand.reshape(type) : Attribute();
}

OpFoldResult BroadcastInDimOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> dimensions = getBroadcastDimensions();
  if (getOperand().getType() == getType() && llvm::is_sorted(dimensions))
    return getOperand();
  DenseElementsAttr operand = getFoldable(adaptor.getOperand());
  if (!operand)
    return {};
  ArrayRef<int64_t> shape = operand.getType().getShape();
  return gather(operand, getType(), [&](ArrayRef<int64_t> position) {
    SmallVector<int64_t> source;
    for (auto [dimension, extent] : llvm::zip_equal(dimensions, shape))
      source.push_back(extent == 1 ? 0 : position[dimension]);
    return source;
  });
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (llvm::is_sorted(getPermutation()))
    return getOperand();
  DenseElementsAttr operand = getFoldable(adaptor.getOperand());
  if (!operand)
    return {};
  return gather(operand, getType(), [&](ArrayRef<int64_t> position) {
    SmallVector<int64_t> source(position.size());
    for (auto [to, from] : llvm::enumerate(getPermutation()))
      source[from] = position[to];
    return source;
  });
}

OpFoldResult ReverseOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> shape = cast<ShapedType>(getType()).getShape();
  if (llvm::all_of(getDimensions(),
                   [&](int64_t dimension) { return shape[dimension] == 1; }))
    return getOperand();
  DenseElementsAttr operand = getFoldable(adaptor.getOperand());
  if (!operand)
    return {};
  return gather(operand, getType(), [&](ArrayRef<int64_t> position) {
    SmallVector<int64_t> source(position);
    for (int64_t dimension : getDimensions())
      source[dimension] = shape[dimension] - 1 - position[dimension];
    return source;
  });
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  bool isIdentity =
      getOperand().getType() == getType() && allZero(getEdgePaddingLow()) &&
      allZero(getEdgePaddingHigh()) && allZero(getInteriorPadding());
  return isIdentity ? getOperand() : OpFoldResult();
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  // As large as the operand means all of it.
  if (getOperand().getType() == getType() &&
      cast<ShapedType>(getType()).hasStaticShape())
    return getOperand();
  DenseElementsAttr operand = getFoldable(adaptor.getOperand());
  if (!operand)
    return {};
  return gather(operand, getType(), [&](ArrayRef<int64_t> position) {
    SmallVector<int64_t> source;
    for (auto [at, start, stride] :
         llvm::zip_equal(position, getStartIndices(), getStrides()))
      source.push_back(start + at * stride);
    return source;
  });
}

OpFoldResult ConcatenateOp::fold(FoldAdaptor adaptor) {
  if (getInputs().size() == 1)
    return getInputs().front();
  auto type = cast<ShapedType>(getType());
  if (!isFoldable(type))
    return {};
  SmallVector<DenseElementsAttr> parts;
  for (Attribute input : adaptor.getInputs())
    if (!parts.emplace_back(getFoldable(input)))
      return {};
  SmallVector<Attribute> values;
  forEachPosition(type.getShape(), [&](ArrayRef<int64_t> position) {
    SmallVector<int64_t> source(position);
    auto part = parts.begin();
    while (source[getDimension()] >= part->getType().getShape()[getDimension()])
      source[getDimension()] -= (part++)->getType().getShape()[getDimension()];
    values.push_back(part->getValues<Attribute>()[flatIndex(
        source, part->getType().getShape())]);
  });
  return DenseElementsAttr::get(type, values);
}

OpFoldResult GetDimensionSizeOp::fold(FoldAdaptor) {
  auto type = cast<ShapedType>(getOperand().getType());
  if (type.isDynamicDim(getDimension()))
    return {};
  return DenseIntElementsAttr::get(
      cast<ShapedType>(getType()),
      static_cast<int32_t>(type.getDimSize(getDimension())));
}

OpFoldResult GetTupleElementOp::fold(FoldAdaptor) {
  auto tuple = getOperand().getDefiningOp<TupleOp>();
  return tuple ? OpFoldResult(tuple.getVal()[getIndex()]) : OpFoldResult();
}

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Localization/StableHLO.h"
#include "shardsmith/Support/TensorTypes.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interfaces/NeighbourhoodInterface.h"

#include <limits>

using namespace mlir;

namespace shardsmith::stablehlo {
namespace {

APFloat neutralFloat(const llvm::fltSemantics &semantics, ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Product:
    return APFloat(semantics, 1);
  case ReductionKind::Max:
    return APFloat::getInf(semantics, /*Negative=*/true);
  case ReductionKind::Min:
    return APFloat::getInf(semantics);
  case ReductionKind::Sum:
  case ReductionKind::And:
  case ReductionKind::Or:
    return APFloat::getZero(semantics);
  }
  llvm_unreachable("all kinds are handled");
}

APInt neutralInteger(IntegerType type, ReductionKind kind) {
  unsigned width = type.getWidth();
  bool isUnsigned = type.isUnsigned() || width == 1;
  switch (kind) {
  case ReductionKind::Product:
    return APInt(width, 1);
  case ReductionKind::Max:
    return isUnsigned ? APInt::getMinValue(width)
                      : APInt::getSignedMinValue(width);
  case ReductionKind::Min:
    return isUnsigned ? APInt::getMaxValue(width)
                      : APInt::getSignedMaxValue(width);
  case ReductionKind::And:
    return APInt::getAllOnes(width);
  case ReductionKind::Sum:
  case ReductionKind::Or:
    return APInt::getZero(width);
  }
  llvm_unreachable("all kinds are handled");
}

DenseElementsAttr neutralElements(RankedTensorType type, ReductionKind kind) {
  Type element = type.getElementType();
  if (auto integer = dyn_cast<IntegerType>(element))
    return DenseElementsAttr::get(
        type, ArrayRef<APInt>(neutralInteger(integer, kind)));
  if (auto complex = dyn_cast<ComplexType>(element)) {
    auto part = cast<FloatType>(complex.getElementType());
    std::complex<APFloat> value(neutralFloat(part.getFloatSemantics(), kind),
                                APFloat::getZero(part.getFloatSemantics()));
    return DenseElementsAttr::get(type, ArrayRef(value));
  }
  return DenseElementsAttr::get(
      type, ArrayRef<APFloat>(neutralFloat(
                cast<FloatType>(element).getFloatSemantics(), kind)));
}

/// Positions within a dimension and offsets into it: 32 bits where they do.
Type positionType(ImplicitLocOpBuilder &builder, int64_t size) {
  return size <= std::numeric_limits<int32_t>::max() ? builder.getI32Type()
                                                     : builder.getI64Type();
}

} // namespace

Value createSplat(ImplicitLocOpBuilder &builder, RankedTensorType type,
                  int64_t value) {
  unsigned width = type.getElementTypeBitWidth();
  return ConstantOp::create(
      builder, DenseElementsAttr::get(
                   type, ArrayRef<APInt>(APInt(width, value,
                                               /*isSigned=*/true,
                                               /*implicitTrunc=*/true))));
}

Value createNeutral(ImplicitLocOpBuilder &builder, RankedTensorType type,
                    ReductionKind kind) {
  return ConstantOp::create(builder, neutralElements(type, kind));
}

bool isNeutral(Value value, ReductionKind kind) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto constant = dyn_cast<ConstantOp>(op))
      return constant.getValue() == neutralElements(constant.getType(), kind);
    if (!isa<BroadcastInDimOp, ReshapeOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

Value padTo(ImplicitLocOpBuilder &builder, Value value,
            ArrayRef<int64_t> shape) {
  RankedTensorType type = typeOf(value);
  if (type.getShape() == shape)
    return value;
  SmallVector<int64_t> none(shape.size(), 0), high;
  for (auto [from, to] : llvm::zip_equal(type.getShape(), shape))
    high.push_back(to - from);
  Value zero =
      createNeutral(builder, RankedTensorType::get({}, type.getElementType()),
                    ReductionKind::Sum);
  return PadOp::create(builder, type.clone(shape), value, zero, none, high,
                       none);
}

Value cropTo(ImplicitLocOpBuilder &builder, Value value,
             ArrayRef<int64_t> shape) {
  RankedTensorType type = typeOf(value);
  if (type.getShape() == shape)
    return value;
  SmallVector<int64_t> starts(shape.size(), 0), strides(shape.size(), 1);
  return SliceOp::create(builder, type.clone(shape), value, starts, shape,
                         strides);
}

Value createShardOffset(ImplicitLocOpBuilder &builder, Value shardIndex,
                        int64_t size, Type elementType) {
  auto type = RankedTensorType::get({}, elementType);
  Value index = shardIndex;
  if (index.getType() != type)
    index = ConvertOp::create(builder, type, index);
  return MulOp::create(builder, index, createSplat(builder, type, size));
}

Value createShardSlice(ImplicitLocOpBuilder &builder, const Mesh &mesh,
                       ShardIndices &indices, Value value,
                       ArrayRef<AxisList> axes) {
  RankedTensorType type = typeOf(value);
  Layout layout;
  layout.dims.assign(axes.begin(), axes.end());
  if (layout.isReplicated())
    return value;
  SmallVector<int64_t> local = getLocalShape(mesh, type.getShape(), layout);
  SmallVector<int64_t> padded;
  for (auto [size, list] : llvm::zip_equal(local, axes))
    padded.push_back(size * mesh.countShards(list));
  Type element = builder.getI32Type();
  for (int64_t size : padded)
    if (positionType(builder, size) != element)
      element = builder.getI64Type();

  SmallVector<Value> starts;
  for (auto [size, list] : llvm::zip_equal(local, axes))
    starts.push_back(
        list.empty()
            ? createSplat(builder, RankedTensorType::get({}, element), 0)
            : createShardOffset(builder, indices.get(list), size, element));
  return DynamicSliceOp::create(builder, type.clone(local),
                                padTo(builder, value, padded), starts, local);
}

Value createInside(ImplicitLocOpBuilder &builder, RankedTensorType type,
                   unsigned dim, Value shardIndex, int64_t size) {
  int64_t localSize = type.getDimSize(dim);
  Type element = positionType(builder, size + localSize);
  auto positions = RankedTensorType::get(type.getShape(), element);
  Value iota = IotaOp::create(builder, positions, dim);
  Value offset = createShardOffset(builder, shardIndex, localSize, element);
  Value offsets =
      BroadcastInDimOp::create(builder, positions, offset, ArrayRef<int64_t>());
  return CompareOp::create(builder, AddOp::create(builder, iota, offsets),
                           createSplat(builder, positions, size),
                           ComparisonDirection::LT);
}

Value keepOnFirstShard(ImplicitLocOpBuilder &builder, Value value,
                       Value shardIndex, ReductionKind kind) {
  if (isNeutral(value, kind))
    return value;
  RankedTensorType type = typeOf(value);
  Value zero = createSplat(builder, typeOf(shardIndex), 0);
  Value isFirst =
      CompareOp::create(builder, shardIndex, zero, ComparisonDirection::EQ);
  return SelectOp::create(builder, type, isFirst, value,
                          createNeutral(builder, type, kind));
}

Value maskReducedPadding(ImplicitLocOpBuilder &builder,
                         const LocalizeContext &context, unsigned operand,
                         Value value) {
  const FactorRule &rule = context.getRule();
  if (rule.operands.empty())
    return value;
  Neighbourhoods neighbourhoods = getNeighbourhoods(context.getGlobalOp());
  // What an exchange brings is neutral there already.
  auto isReaching = [&](unsigned operand, unsigned dim) {
    return llvm::any_of(neighbourhoods, [&](const Neighbourhood &each) {
      return each.operand == operand && each.dimension == dim;
    });
  };
  for (auto [dim, factors] : llvm::enumerate(rule.operands[operand]))
    for (FactorIndex index : factors) {
      const Factor &factor = rule.factors[index];
      const AxisList &axes = context.getAxes().factors[index];
      // Only a dimension that is one factor is split unevenly. A factor of
      // several may be smaller than some of them.
      int64_t size =
          typeOf(context.getGlobalOp()->getOperand(operand)).getDimSize(dim);
      if (factor.kind != FactorKind::Reduction || isReaching(operand, dim) ||
          size % context.getMesh().countShards(axes) == 0)
        continue;
      RankedTensorType type = typeOf(value);
      Value inside =
          createInside(builder, type, dim, context.getShardIndex(axes), size);
      value = SelectOp::create(builder, type, inside, value,
                               createNeutral(builder, type, factor.reduction));
    }
  return value;
}

} // namespace shardsmith::stablehlo

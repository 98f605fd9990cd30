// SPDX-License-Identifier: Apache-2.0
//
// Indices name positions in the whole tensor. Where the dimension they point
// into is split, a device subtracts its shard's offset:
//
//   table of 6 rows over 2 devices; look-up of row 4
//     device 0 (rows 0-2): 4 - 0 = 4  outside: answers 0
//     device 1 (rows 3-5): 4 - 3 = 1  inside: answers its row 1
//   and the answers add up to row 4.

#include "Combination.h"
#include "LocalizeModel.h"

#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;

namespace shardsmith::stablehlo {
namespace {

/// An index tensor taken apart into the coordinates that its index vectors
/// consist of. Each keeps the dimension of the index vector, with size 1; if
/// indices are scalars there is one coordinate, the tensor itself.
struct Coordinates {
  Coordinates(ImplicitLocOpBuilder &builder, Value indices, int64_t vectorDim)
      : builder(builder), vectorDim(vectorDim) {
    RankedTensorType type = typeOf(indices);
    if (vectorDim == type.getRank() || type.getDimSize(vectorDim) == 1) {
      parts.push_back(indices);
      return;
    }
    SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape()),
        strides(type.getRank(), 1), shape(type.getShape());
    shape[vectorDim] = 1;
    for (int64_t part = 0; part < type.getDimSize(vectorDim); ++part) {
      starts[vectorDim] = part;
      limits[vectorDim] = part + 1;
      parts.push_back(SliceOp::create(builder, type.clone(shape), indices,
                                      starts, limits, strides));
    }
  }

  Value join() {
    if (parts.size() == 1)
      return parts.front();
    SmallVector<int64_t> shape(typeOf(parts.front()).getShape());
    shape[vectorDim] = parts.size();
    return ConcatenateOp::create(builder, typeOf(parts.front()).clone(shape),
                                 parts, vectorDim);
  }

  ImplicitLocOpBuilder &builder;
  int64_t vectorDim;
  SmallVector<Value> parts;
};

Value broadcastScalar(ImplicitLocOpBuilder &builder, Value scalar,
                      RankedTensorType type) {
  return BroadcastInDimOp::create(builder, type, scalar, ArrayRef<int64_t>());
}

/// Shard offset of `size` per shard, in the shape and type of `like`.
Value createOffsets(ImplicitLocOpBuilder &builder,
                    const LocalizeContext &context, Value like,
                    ArrayRef<MeshAxis> axes, int64_t size) {
  RankedTensorType type = typeOf(like);
  return broadcastScalar(builder,
                         createShardOffset(builder, context.getShardIndex(axes),
                                           size, type.getElementType()),
                         type);
}

/// Index types too narrow for positions in the whole tensor are widened.
Value widen(ImplicitLocOpBuilder &builder, Value indices) {
  RankedTensorType type = typeOf(indices);
  if (type.getElementTypeBitWidth() >= 32)
    return indices;
  return ConvertOp::create(builder, type.clone(builder.getI32Type()), indices);
}

/// Broadcasts a predicate in the shape of the indices (with an index vector of
/// one coordinate) to the result of a gather.
Value broadcastToResult(ImplicitLocOpBuilder &builder, Value inside,
                        GatherDimensionNumbersAttr numbers,
                        ArrayRef<int64_t> resultShape) {
  RankedTensorType type = typeOf(inside);
  SmallVector<int64_t> batchShape(type.getShape());
  if (numbers.getIndexVectorDim() < type.getRank())
    batchShape.erase(batchShape.begin() + numbers.getIndexVectorDim());
  if (batchShape != type.getShape())
    inside = ReshapeOp::create(builder, type.clone(batchShape), inside);
  SmallVector<int64_t> batchDims;
  for (int64_t dim = 0; dim < static_cast<int64_t>(resultShape.size()); ++dim)
    if (!llvm::is_contained(numbers.getOffsetDims(), dim))
      batchDims.push_back(dim);
  return BroadcastInDimOp::create(builder, type.clone(resultShape), inside,
                                  batchDims);
}

/// Rows of other shards answer zero. Positions are clamped into the whole
/// tensor first, as gather's own clamping would do there.
SmallVector<Value> localizeGather(GatherOp op, ImplicitLocOpBuilder &builder,
                                  const LocalizeContext &context,
                                  ValueRange operands) {
  RankedTensorType local = getLocalResultType(context);
  GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
  const Layout &layout = context.getOperandLayout(0);
  ArrayRef<int64_t> wholeShape = typeOf(op.getOperand()).getShape();
  ArrayRef<int64_t> localShape = typeOf(operands[0]).getShape();

  SmallVector<int64_t> sizes(op.getSliceSizes());
  for (auto [dim, axes] : llvm::enumerate(layout.dims))
    if (!axes.empty() && sizes[dim] == wholeShape[dim] && sizes[dim] != 1)
      sizes[dim] = localShape[dim];

  bool isSplit = llvm::any_of(numbers.getCollapsedSliceDims(), [&](int64_t d) {
    return !layout.dims[d].empty();
  });
  if (!isSplit)
    return {GatherOp::create(builder, local, operands[0], operands[1], numbers,
                             sizes, op.getIndicesAreSorted())};

  Coordinates coordinates(builder, widen(builder, operands[1]),
                          numbers.getIndexVectorDim());
  Value inside;
  for (auto [part, dim] :
       llvm::zip_equal(coordinates.parts, numbers.getStartIndexMap())) {
    const AxisList &axes = layout.dims[dim];
    if (axes.empty() ||
        !llvm::is_contained(numbers.getCollapsedSliceDims(), dim))
      continue;
    RankedTensorType type = typeOf(part);
    RankedTensorType scalar = type.clone(ArrayRef<int64_t>());
    Value clamped =
        ClampOp::create(builder, type, createSplat(builder, scalar, 0), part,
                        createSplat(builder, scalar, wholeShape[dim] - 1));
    part = SubtractOp::create(
        builder, clamped,
        createOffsets(builder, context, clamped, axes, localShape[dim]));
    // Unsigned coordinates of earlier shards wrap around and are too large.
    Value isBelow = CompareOp::create(
        builder, part, createSplat(builder, type, localShape[dim]),
        ComparisonDirection::LT);
    Value isAbove = CompareOp::create(
        builder, part, createSplat(builder, type, 0), ComparisonDirection::GE);
    Value both = AndOp::create(builder, isBelow, isAbove);
    inside = inside ? Value(AndOp::create(builder, inside, both)) : both;
  }
  Value gathered =
      GatherOp::create(builder, local, operands[0], coordinates.join(), numbers,
                       sizes, op.getIndicesAreSorted());
  Value mask = broadcastToResult(builder, inside, numbers, local.getShape());
  return {SelectOp::create(builder, local, mask, gathered,
                           createNeutral(builder, local, ReductionKind::Sum))};
}

/// Updates outside of a device's rows are skipped by scatter's own rule. Where
/// updates are spread over devices, each device combines its own, and only
/// one of them starts from the input.
SmallVector<Value> localizeScatter(ScatterOp op, ImplicitLocOpBuilder &builder,
                                   const LocalizeContext &context,
                                   ValueRange operands) {
  ScatterDimensionNumbersAttr numbers = op.getScatterDimensionNumbers();
  Combination combination = getCombination(context);
  unsigned inputs = op.getInputs().size();
  SmallVector<Value> locals(operands);
  for (unsigned input = 0; input < inputs; ++input) {
    if (!combination.axes.empty())
      locals[input] = keepOnFirstShard(builder, locals[input],
                                       context.getShardIndex(combination.axes),
                                       combination.kind);
    unsigned update = inputs + 1 + input;
    locals[update] =
        maskReducedPadding(builder, context, update, locals[update]);
  }

  const Layout &layout = context.getOperandLayout(0);
  bool isSplit = llvm::any_of(numbers.getInsertedWindowDims(), [&](int64_t d) {
    return !layout.dims[d].empty();
  });
  if (isSplit) {
    Coordinates coordinates(builder, widen(builder, locals[inputs]),
                            numbers.getIndexVectorDim());
    for (auto [part, dim] : llvm::zip_equal(
             coordinates.parts, numbers.getScatterDimsToOperandDims()))
      if (const AxisList &axes = layout.dims[dim];
          !axes.empty() &&
          llvm::is_contained(numbers.getInsertedWindowDims(), dim))
        part = SubtractOp::create(
            builder, part,
            createOffsets(builder, context, part, axes,
                          typeOf(operands[0]).getDimSize(dim)));
    locals[inputs] = coordinates.join();
  }
  return context.rebuild(builder, locals)->getResults();
}

} // namespace

void attachIndexingLocalization(MLIRContext *context) {
  LocalizeModel<GatherOp, localizeGather>::attach(context);
  LocalizeModel<ScatterOp, localizeScatter>::attach(context);
}

} // namespace shardsmith::stablehlo

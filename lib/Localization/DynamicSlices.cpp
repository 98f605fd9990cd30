// SPDX-License-Identifier: Apache-2.0
//
// Ranges that begin at a computed position, of a dimension that is split. What
// a range has outside of a device's shard is in a margin on either side of it,
// as wide as the range, so the op's own clamping sees to ranges far away:
//
//   range of 3 elements from position 2 of 8 on two devices
//     device 0    . . . 0 1 2 3 . . .      from 2 - 0 + 3 = 5: 2 3 .
//     device 1    . . . 4 5 6 7 . . .      from 2 - 4 + 3 = 1: . . 4
//
// In a slice the margins are zero, and what devices have adds up. An update is
// written into shard and margins, of which the shard is kept. Padding of uneven
// shards lies behind the last element, where no range is.

#include "LocalizeModel.h"
#include "Neighbours.h"

#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;

namespace shardsmith::stablehlo {
namespace {

/// Ranges of `sizes` elements in one operand of an op.
class ShardRanges {
public:
  ShardRanges(ImplicitLocOpBuilder &builder, const LocalizeContext &context,
              RankedTensorType whole, ArrayRef<int64_t> sizes)
      : builder(builder), context(context), whole(whole), sizes(sizes) {}

  bool isSplit(unsigned dim) const {
    return sizes[dim] != whole.getDimSize(dim) && !axesOf(dim).empty();
  }

  /// The device's part, `margin` wider on either side of dimensions that are
  /// split.
  Value widened(Value value) const {
    SmallVector<int64_t> margins(sizes.size(), 0), none(sizes.size(), 0),
        shape(typeOf(value).getShape());
    for (unsigned dim = 0; dim < sizes.size(); ++dim)
      if (isSplit(dim)) {
        margins[dim] = sizes[dim];
        shape[dim] += 2 * sizes[dim];
      }
    return PadOp::create(builder, whole.clone(shape), value,
                         createZero(builder, value), margins, margins, none);
  }

  /// The shard of a value with margins.
  Value withoutMargins(Value value, RankedTensorType local) const {
    SmallVector<int64_t> starts(sizes.size(), 0), strides(sizes.size(), 1),
        limits(local.getShape());
    for (unsigned dim = 0; dim < sizes.size(); ++dim)
      if (isSplit(dim)) {
        starts[dim] = sizes[dim];
        limits[dim] += sizes[dim];
      }
    return SliceOp::create(builder, local, value, starts, limits, strides);
  }

  /// Where ranges begin in a value with margins. All starts have one type, as
  /// the ops want it.
  SmallVector<Value> starts(ValueRange wholeStarts, Value local) const {
    SmallVector<Value> result;
    for (auto [dim, start] : llvm::enumerate(wholeStarts))
      result.push_back(isSplit(dim) ? startIn(dim, start, typeOf(local))
                                    : signedInteger(start));
    return result;
  }

private:
  ArrayRef<MeshAxis> axesOf(unsigned dim) const {
    return context.getOperandLayout(0).dims[dim];
  }

  /// Signed, and wide enough for positions in the whole tensor. Positions
  /// behind its end stay there.
  Value signedInteger(Value start) const {
    auto type = cast<IntegerType>(typeOf(start).getElementType());
    bool isNarrow = type.getWidth() < 32;
    if (!isNarrow && !type.isUnsigned())
      return start;
    auto wanted = typeOf(start).clone(
        builder.getIntegerType(isNarrow ? 32 : type.getWidth()));
    if (!isNarrow) {
      Value most = createSplat(builder, typeOf(start), greatest(type));
      start = MinOp::create(builder, start, most);
    }
    return ConvertOp::create(builder, wanted, start);
  }

  static int64_t greatest(IntegerType type) {
    return APInt::getSignedMaxValue(type.getWidth()).getSExtValue();
  }

  Value startIn(unsigned dim, Value start, RankedTensorType local) const {
    start = signedInteger(start);
    RankedTensorType type = typeOf(start);
    // As the op clamps it in the whole tensor.
    int64_t last = whole.getDimSize(dim) - sizes[dim];
    start = ClampOp::create(builder, type, createSplat(builder, type, 0), start,
                            createSplat(builder, type, last));
    Value offset =
        createShardOffset(builder, context.getShardIndex(axesOf(dim)),
                          local.getDimSize(dim), type.getElementType());
    Value margin = createSplat(builder, type, sizes[dim]);
    return AddOp::create(builder, SubtractOp::create(builder, start, offset),
                         margin);
  }

  ImplicitLocOpBuilder &builder;
  const LocalizeContext &context;
  RankedTensorType whole;
  ArrayRef<int64_t> sizes;
};

bool isAnySplit(const ShardRanges &ranges, int64_t rank) {
  return llvm::any_of(llvm::seq<unsigned>(rank),
                      [&](unsigned dim) { return ranges.isSplit(dim); });
}

SmallVector<Value> localizeDynamicSlice(DynamicSliceOp op,
                                        ImplicitLocOpBuilder &builder,
                                        const LocalizeContext &context,
                                        ValueRange operands) {
  RankedTensorType local = getLocalResultType(context);
  ShardRanges ranges(builder, context, typeOf(op.getOperand()),
                     op.getSliceSizes());
  if (!isAnySplit(ranges, local.getRank()))
    return {DynamicSliceOp::create(builder, local, operands.front(),
                                   operands.drop_front(), local.getShape())};
  SmallVector<Value> starts =
      ranges.starts(operands.drop_front(), operands.front());
  return {DynamicSliceOp::create(builder, local,
                                 ranges.widened(operands.front()), starts,
                                 local.getShape())};
}

SmallVector<Value> localizeDynamicUpdateSlice(DynamicUpdateSliceOp op,
                                              ImplicitLocOpBuilder &builder,
                                              const LocalizeContext &context,
                                              ValueRange operands) {
  RankedTensorType local = getLocalResultType(context);
  ShardRanges ranges(builder, context, typeOf(op.getOperand()),
                     typeOf(op.getUpdate()).getShape());
  if (!isAnySplit(ranges, local.getRank()))
    return context.rebuild(builder, operands)->getResults();
  SmallVector<Value> starts =
      ranges.starts(operands.drop_front(2), operands.front());
  Value widened = ranges.widened(operands.front());
  Value updated = DynamicUpdateSliceOp::create(builder, widened.getType(),
                                               widened, operands[1], starts);
  return {ranges.withoutMargins(updated, local)};
}

} // namespace

void attachDynamicSliceLocalization(MLIRContext *context) {
  LocalizeModel<DynamicSliceOp, localizeDynamicSlice>::attach(context);
  LocalizeModel<DynamicUpdateSliceOp, localizeDynamicUpdateSlice>::attach(
      context);
}

} // namespace shardsmith::stablehlo

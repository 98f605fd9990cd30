// SPDX-License-Identifier: Apache-2.0
//
// A range is put together from messages. Where it begins at the same place of
// every shard, messages and what is filled in are joined end to end:
//
//     shard 1 of 4, window of 3:     3 | 4 5 6 7 | 8
//
// Elsewhere every message is written where it belongs, which differs from
// shard to shard. The buffer has room for a message in front of the range and
// behind it; a shard that gets nothing at a distance writes the zeros that it
// has got in front:
//
//     buffer    . . . │ 3 4 5 6 7 8 │ . . .
//                 4 5 ──► ▔▔▔

#include "Neighbours.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Support/TensorTypes.h"

#include <cstdlib>
#include <limits>

using namespace mlir;

namespace shardsmith::stablehlo {
namespace {

RankedTensorType resized(Value value, unsigned dim, int64_t size) {
  SmallVector<int64_t> shape(typeOf(value).getShape());
  shape[dim] = size;
  return typeOf(value).clone(shape);
}

/// Starts of a slice that are zero but along one dimension.
SmallVector<Value> startsAt(ImplicitLocOpBuilder &builder, int64_t rank,
                            unsigned dim, Value start) {
  SmallVector<Value> starts(rank, createSplat(builder, typeOf(start), 0));
  starts[dim] = start;
  return starts;
}

class RangeBuilder {
public:
  RangeBuilder(ImplicitLocOpBuilder &builder, const LocalizeContext &context,
               ArrayRef<MeshAxis> axes, unsigned dim,
               const HaloExchange &exchange, Value own, Value fill)
      : builder(builder), context(context), axes(axes), dim(dim),
        exchange(exchange), own(own), fill(fill) {}

  Value build() {
    if (exchange.gathers)
      return buildFromAll();
    return maskOutside(exchange.isUniform ? join() : place());
  }

private:
  int64_t sizeOf(Value value) const { return typeOf(value).getDimSize(dim); }

  Value filled(int64_t size) {
    RankedTensorType type = resized(own, dim, size);
    return BroadcastInDimOp::create(builder, type, fill, ArrayRef<int64_t>());
  }

  /// The device that differs only in its shard along the axes.
  int64_t deviceOf(int64_t device, int64_t shard) const {
    const Mesh &mesh = context.getMesh();
    for (MeshAxis axis : llvm::reverse(axes)) {
      int64_t stride = 1;
      for (MeshAxis inner = axis + 1; inner < mesh.getAxisCount(); ++inner)
        stride *= mesh.getSize(inner);
      int64_t wanted = shard % mesh.getSize(axis);
      device += (wanted - mesh.getCoordinate(device, axis)) * stride;
      shard /= mesh.getSize(axis);
    }
    return device;
  }

  Value exchangePart(const HaloMessage &message) {
    Value part = sliceFrom(builder, own, dim, message.begin, message.size);
    if (!message.communicates)
      return part;
    const Mesh &mesh = context.getMesh();
    SmallVector<int64_t> pairs;
    SmallVector<int64_t> targetOf(exchange.shards, -1);
    for (auto [source, target] : message.shards)
      targetOf[source] = target;
    for (int64_t device = 0; device < mesh.getDeviceCount(); ++device)
      if (int64_t target = targetOf[mesh.getShardIndex(device, axes)];
          target >= 0)
        pairs.append({device, deviceOf(device, target)});
    return smith::CollectivePermuteOp::create(
        builder, part.getType(), part, builder.getDenseI64ArrayAttr(pairs),
        toAxisNames(builder.getContext(), mesh, axes));
  }

  Value join() {
    SmallVector<Value> parts;
    int64_t end = 0;
    auto fillTo = [&](int64_t place) {
      if (place > end)
        parts.push_back(filled(place - end));
    };
    for (const HaloMessage &message : exchange.messages) {
      int64_t place = exchange.placeOf(message, /*target=*/0);
      fillTo(place);
      parts.push_back(exchangePart(message));
      end = place + message.size;
    }
    fillTo(exchange.size);
    if (parts.size() == 1)
      return parts.front();
    return ConcatenateOp::create(builder, resized(own, dim, exchange.size),
                                 parts, dim);
  }

  /// Padding of uneven shards may hold anything. Where nobody sends there are
  /// zeros, if messages are joined, else what the buffer is filled with.
  Value maskOutside(Value range) {
    int64_t size = exchange.elements;
    bool hasPadding = size != exchange.shards * exchange.shardSize;
    bool isFilled = !exchange.isUniform || isNeutral(fill, ReductionKind::Sum);
    bool checksBelow = exchange.reachesBelow && !isFilled;
    bool checksAbove = exchange.reachesAbove && (!isFilled || hasPadding);
    if (!checksBelow && !checksAbove)
      return range;
    Value start = createShardNumber(builder, context, axes, exchange.first);
    RankedTensorType positions =
        typeOf(range).clone(typeOf(start).getElementType());
    Value position =
        AddOp::create(builder, IotaOp::create(builder, positions, dim),
                      BroadcastInDimOp::create(builder, positions, start,
                                               ArrayRef<int64_t>()));
    Value inside;
    if (checksBelow)
      inside = CompareOp::create(builder, position,
                                 createSplat(builder, positions, 0),
                                 ComparisonDirection::GE);
    if (checksAbove) {
      Value below = CompareOp::create(builder, position,
                                      createSplat(builder, positions, size),
                                      ComparisonDirection::LT);
      inside = inside ? Value(AndOp::create(builder, inside, below)) : below;
    }
    return SelectOp::create(builder, typeOf(range), inside, range,
                            filled(exchange.size));
  }

  Value place() {
    int64_t margin = 1;
    for (const HaloMessage &message : exchange.messages)
      margin = std::max(margin, message.size);
    Value buffer = filled(margin + exchange.size + margin);
    for (const HaloMessage &message : exchange.messages) {
      SmallVector<int64_t> places(exchange.shards, 0);
      for (auto [source, target] : message.shards)
        places[target] = margin + exchange.placeOf(message, target);
      Value start = createShardNumber(builder, context, axes, places);
      buffer = DynamicUpdateSliceOp::create(
          builder, buffer.getType(), buffer, exchangePart(message),
          startsAt(builder, typeOf(own).getRank(), dim, start));
    }
    return sliceFrom(builder, buffer, dim, margin, exchange.size);
  }

  Value buildFromAll() {
    int64_t all = exchange.shards * exchange.shardSize;
    Value gathered = smith::AllGatherOp::create(
        builder, resized(own, dim, all), own,
        toAxisNames(builder.getContext(), context.getMesh(), axes), dim);
    int64_t low = 0, high = 0;
    for (int64_t first : exchange.first) {
      low = std::max(low, -first);
      high = std::max(high, first + exchange.size - exchange.elements);
    }
    Value whole = sliceFrom(builder, gathered, dim, 0, exchange.elements);
    Value padded = padDimension(builder, whole, fill, dim, low, high);
    SmallVector<int64_t> starts;
    for (int64_t first : exchange.first)
      starts.push_back(std::min(first + low, sizeOf(padded) - exchange.size));
    return sliceFrom(builder, context, axes, padded, dim, starts,
                     exchange.size);
  }

  ImplicitLocOpBuilder &builder;
  const LocalizeContext &context;
  AxisList axes;
  unsigned dim;
  const HaloExchange &exchange;
  Value own, fill;
};

} // namespace

Value createZero(ImplicitLocOpBuilder &builder, Value like) {
  return createNeutral(builder,
                       RankedTensorType::get({}, typeOf(like).getElementType()),
                       ReductionKind::Sum);
}

Value sliceFrom(ImplicitLocOpBuilder &builder, Value value, unsigned dim,
                int64_t start, int64_t size) {
  RankedTensorType type = resized(value, dim, size);
  if (type == value.getType())
    return value;
  SmallVector<int64_t> starts(type.getRank(), 0),
      limits(typeOf(value).getShape()), strides(type.getRank(), 1);
  starts[dim] = start;
  limits[dim] = start + size;
  return SliceOp::create(builder, type, value, starts, limits, strides);
}

Value sliceFrom(ImplicitLocOpBuilder &builder, const LocalizeContext &context,
                ArrayRef<MeshAxis> axes, Value value, unsigned dim,
                ArrayRef<int64_t> starts, int64_t size) {
  if (llvm::all_equal(starts))
    return sliceFrom(builder, value, dim, starts.front(), size);
  RankedTensorType type = resized(value, dim, size);
  Value start = createShardNumber(builder, context, axes, starts);
  return DynamicSliceOp::create(builder, type, value,
                                startsAt(builder, type.getRank(), dim, start),
                                type.getShape());
}

Value padDimension(ImplicitLocOpBuilder &builder, Value value, Value fill,
                   unsigned dim, int64_t low, int64_t high, int64_t interior) {
  if (low == 0 && high == 0 && interior == 0)
    return value;
  int64_t rank = typeOf(value).getRank(), size = typeOf(value).getDimSize(dim);
  SmallVector<int64_t> lows(rank, 0), highs(rank, 0), interiors(rank, 0);
  lows[dim] = low;
  highs[dim] = high;
  interiors[dim] = interior;
  int64_t padded =
      low + high + size + std::max<int64_t>(size - 1, 0) * interior;
  return PadOp::create(builder, resized(value, dim, padded), value, fill, lows,
                       highs, interiors);
}

Value createShardNumber(ImplicitLocOpBuilder &builder,
                        const LocalizeContext &context, ArrayRef<MeshAxis> axes,
                        ArrayRef<int64_t> numbers) {
  // Positions are counted from these numbers on.
  auto isNarrow = [](int64_t number) {
    return std::abs(number) < std::numeric_limits<int32_t>::max() / 2;
  };
  unsigned width = llvm::all_of(numbers, isNarrow) ? 32 : 64;
  Type element = builder.getIntegerType(width);
  auto scalar = RankedTensorType::get({}, element);
  if (llvm::all_equal(numbers))
    return createSplat(builder, scalar, numbers.front());
  Value index = context.getShardIndex(axes);
  int64_t step = numbers[1] - numbers[0];
  bool isAffine = true;
  for (size_t shard = 2; shard < numbers.size(); ++shard)
    isAffine &= numbers[shard] - numbers[shard - 1] == step;
  if (isAffine) {
    Value scaled = createShardOffset(builder, index, step, element);
    return AddOp::create(builder, scaled,
                         createSplat(builder, scalar, numbers[0]));
  }
  auto type = RankedTensorType::get({int64_t(numbers.size())}, element);
  SmallVector<APInt> values;
  for (int64_t number : numbers)
    values.emplace_back(width, number, /*isSigned=*/true);
  Value table =
      ConstantOp::create(builder, DenseElementsAttr::get(type, values));
  int64_t one = 1;
  Value entry =
      DynamicSliceOp::create(builder, type.clone(ArrayRef<int64_t>(one)), table,
                             ValueRange{index}, ArrayRef<int64_t>(one));
  return ReshapeOp::create(builder, scalar, entry);
}

std::optional<HaloExchange> findExchange(const LocalizeContext &context,
                                         unsigned operand, unsigned dim) {
  const FactorRule &rule = context.getRule();
  if (rule.operands.empty())
    return std::nullopt;
  for (const Neighbourhood &each : getNeighbourhoods(context.getGlobalOp())) {
    const AxisList &axes = context.getAxes().factors[each.factor];
    if (each.operand == operand && each.dimension == dim && !axes.empty())
      return planHaloExchange(each, rule.factors[each.factor].kind,
                              context.getMesh().countShards(axes));
  }
  return std::nullopt;
}

FetchedRange fetchRange(ImplicitLocOpBuilder &builder,
                        const LocalizeContext &context, unsigned operand,
                        unsigned dim, const HaloExchange &exchange,
                        Value localValue, Value fill) {
  const AxisList &axes = context.getOperandLayout(operand).dims[dim];
  Value range =
      RangeBuilder(builder, context, axes, dim, exchange, localValue, fill)
          .build();
  int64_t interior = exchange.dilation - 1;
  int64_t dilated = (exchange.size - 1) * exchange.dilation + 1;
  if (exchange.isAligned) {
    int64_t low = exchange.lead.front();
    return {range, low, exchange.span - low - dilated, interior};
  }
  // Where the op reads from differs: what is between elements is made first.
  int64_t most = exchange.dilation;
  range = padDimension(builder, range, fill, dim, most,
                       std::max<int64_t>(exchange.span + most - dilated, 0),
                       interior);
  SmallVector<int64_t> starts;
  for (int64_t lead : exchange.lead)
    starts.push_back(most - lead);
  return {sliceFrom(builder, context, axes, range, dim, starts, exchange.span)};
}

} // namespace shardsmith::stablehlo

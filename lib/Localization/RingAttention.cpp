// SPDX-License-Identifier: Apache-2.0
//
// Attention whose positions are split over n ranks. Every rank keeps its
// queries; keys and values travel, so that at step t rank r has those of rank
// r − t, and n − 1 times they are passed on:
//
//     step         0        1        2
//     rank 0     k0 v0    k2 v2    k1 v1
//     rank 1     k1 v1    k0 v0    k2 v2
//     rank 2     k2 v2    k1 v1    k0 v0
//
// In the forward pass output and log-sum-exp of the keys so far stay where
// their queries are.
//
// In the backward pass sums of the gradients of keys and values travel behind
// them. A sum begins at the first rank that its keys come to, and is passed on
// once more at the end: n − 1 times as well. What a rank contributes for its
// own keys waits there.
//
// In zigzag every rank has two halves, of positions as far from the begin of
// the sequence as from its end:
//
//     rank 0   0 1 ‖ 10 11        rank 1   2 3 ‖ 8 9        rank 2   4 5 ‖ 6 7
//
// Then each step of a causal ring has the same work on all ranks.

#include "LocalizeModel.h"
#include "shardsmith/Dialect/Smith/AttentionOps.h"
#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;

namespace shardsmith::stablehlo {
namespace {

/// Marks of the global op, but how it is split.
void copyMarks(Operation *from, Operation *to) {
  for (NamedAttribute attribute : from->getDiscardableAttrs())
    if (attribute.getName() != sdy::kShardingAttributeName &&
        attribute.getName() != smith::kFactorAxesAttributeName)
      to->setDiscardableAttr(attribute.getName(), attribute.getValue());
}

/// The ranks around which keys travel, and where a rank's positions begin.
class Ring {
public:
  /// `size`: the positions that one rank holds.
  Ring(ImplicitLocOpBuilder &builder, const LocalizeContext &context,
       ArrayRef<MeshAxis> axes, int64_t size, bool isZigzag)
      : builder(builder), context(context), axes(axes), size(size),
        ranks(context.getMesh().countShards(axes)), isZigzag(isZigzag) {
    for (int64_t rank = 0; rank < context.getMesh().getDeviceCount(); ++rank)
      pairs.append({rank, nextOf(rank)});
  }

  int64_t steps() const { return ranks; }

  /// The first position of the keys that are here at a step; in zigzag, of
  /// their first half.
  Value first(int64_t step) const {
    Value index = context.getShardIndex(axes);
    if (step > 0) {
      Value moved = AddOp::create(builder, index, constant(ranks - step));
      index = RemOp::create(builder, moved, constant(ranks));
    }
    return createShardOffset(builder, index, isZigzag ? size / 2 : size,
                             builder.getI32Type());
  }

  /// Marks of a gradient go along: its messages are not those of the forward
  /// pass, which would otherwise be kept until then in place of them.
  Value pass(Value value, Operation *gradient = nullptr) const {
    ArrayAttr names =
        toAxisNames(builder.getContext(), context.getMesh(), axes);
    auto message = smith::CollectivePermuteOp::create(
        builder, value.getType(), value, builder.getDenseI64ArrayAttr(pairs),
        names);
    if (gradient) {
      copyMarks(gradient, message);
      message->setAttr(smith::kBackwardAttributeName, builder.getUnitAttr());
    }
    return message;
  }

  /// The part of a bias that is for the keys of a step. Behind the end of the
  /// sequence it is unspecified.
  Value biasAt(Value bias, Value firstKey) const {
    if (!bias || typeOf(bias).getShape().back() == 1)
      return bias;
    SmallVector<int64_t> shape(typeOf(bias).getShape());
    shape.back() = size * ranks;
    Value padded = padTo(builder, bias, shape);
    if (!isZigzag)
      return keysFrom(padded, firstKey, size);
    Value end = constant(size * ranks - size / 2);
    Value second = SubtractOp::create(builder, end, firstKey);
    SmallVector<Value> halves{keysFrom(padded, firstKey, size / 2),
                              keysFrom(padded, second, size / 2)};
    shape.back() = size;
    return ConcatenateOp::create(builder, typeOf(bias).clone(shape), halves,
                                 shape.size() - 1);
  }

private:
  Value keysFrom(Value bias, Value first, int64_t count) const {
    SmallVector<int64_t> shape(typeOf(bias).getShape());
    SmallVector<Value> starts(shape.size(), constant(0));
    starts.back() = first;
    shape.back() = count;
    return DynamicSliceOp::create(builder, typeOf(bias).clone(shape), bias,
                                  starts, shape);
  }

  Value constant(int64_t value) const {
    return createSplat(builder, RankedTensorType::get({}, builder.getI32Type()),
                       value);
  }

  /// The device one further along the axes, of which the last turns fastest.
  int64_t nextOf(int64_t device) const {
    const Mesh &mesh = context.getMesh();
    for (MeshAxis axis : llvm::reverse(axes)) {
      int64_t stride = 1;
      for (MeshAxis inner = axis + 1; inner < mesh.getAxisCount(); ++inner)
        stride *= mesh.getSize(inner);
      int64_t coordinate = mesh.getCoordinate(device, axis);
      if (coordinate + 1 < mesh.getSize(axis))
        return device + stride;
      device -= coordinate * stride;
    }
    return device;
  }

  ImplicitLocOpBuilder &builder;
  const LocalizeContext &context;
  AxisList axes;
  int64_t size, ranks;
  bool isZigzag;
  SmallVector<int64_t> pairs;
};

Type inF32(ImplicitLocOpBuilder &builder, Type type) {
  return cast<RankedTensorType>(type).clone(builder.getF32Type());
}

/// The axes over which positions are split. Their factor is that of the
/// queries' dimension.
template <typename AnyOp>
ArrayRef<MeshAxis> axesOfPositions(AnyOp op, const LocalizeContext &context) {
  size_t dim = typeOf(op.getQuery()).getRank() - 2;
  return context.getOperandLayout(0).dims[dim];
}

template <typename AnyOp> int64_t positionsOf(AnyOp op) {
  return typeOf(op.getQuery()).getShape().drop_back().back();
}

SmallVector<Value> localizeAttention(smith::AttentionOp op,
                                     ImplicitLocOpBuilder &builder,
                                     const LocalizeContext &context,
                                     ValueRange operands) {
  ArrayRef<MeshAxis> axes = axesOfPositions(op, context);
  if (!op.getRing() || axes.empty())
    return context.rebuild(builder, operands)->getResults();
  Value query = operands[0], key = operands[1], value = operands[2];
  Value bias = op.getBias() ? operands.back() : Value();
  Ring ring(builder, context, axes, typeOf(key).getShape().drop_back().back(),
            op.getZigzag().has_value());
  Value firstQuery = ring.first(0), output, logSumExp;
  for (int64_t step = 0; step < ring.steps(); ++step) {
    if (step > 0) {
      key = ring.pass(key);
      value = ring.pass(value);
    }
    bool isLast = step + 1 == ring.steps();
    Type outputType = context.getLocalResultType(0);
    Value firstKey = ring.first(step);
    auto part = smith::PartialAttentionOp::create(
        builder,
        TypeRange{isLast ? outputType : inF32(builder, outputType),
                  context.getLocalResultType(1)},
        query, key, value, firstQuery, firstKey, ring.biasAt(bias, firstKey),
        output, logSumExp, positionsOf(op), op.getCausal(),
        op.getZigzag().has_value(), op.getScale());
    copyMarks(op, part);
    output = part.getOutput();
    logSumExp = part.getLogSumExp();
  }
  return {output, logSumExp};
}

SmallVector<Value> localizeGradient(smith::AttentionGradientOp op,
                                    ImplicitLocOpBuilder &builder,
                                    const LocalizeContext &context,
                                    ValueRange operands) {
  ArrayRef<MeshAxis> axes = axesOfPositions(op, context);
  if (!op.getRing() || axes.empty())
    return context.rebuild(builder, operands)->getResults();
  Value key = operands[1], value = operands[2];
  Value bias = op.getBias() ? operands.back() : Value();
  Ring ring(builder, context, axes, typeOf(key).getShape().drop_back().back(),
            op.getZigzag().has_value());
  Type keyType = inF32(builder, key.getType());
  Type valueType = inF32(builder, value.getType());
  Value firstQuery = ring.first(0), queries, ownKeys, ownValues, keys, values;
  for (int64_t step = 0; step < ring.steps(); ++step) {
    if (step > 0) {
      key = ring.pass(key, op);
      value = ring.pass(value, op);
    }
    if (step > 1) {
      keys = ring.pass(keys, op);
      values = ring.pass(values, op);
    }
    bool isLast = step + 1 == ring.steps();
    Type queryType = context.getLocalResultType(0);
    Value firstKey = ring.first(step);
    auto part = smith::PartialAttentionGradientOp::create(
        builder,
        TypeRange{isLast ? queryType : inF32(builder, queryType), keyType,
                  valueType},
        operands[0], key, value, operands[3], operands[4], operands[5],
        firstQuery, firstKey, ring.biasAt(bias, firstKey), queries, keys,
        values, positionsOf(op), op.getCausal(), op.getZigzag().has_value(),
        op.getScale());
    copyMarks(op, part);
    queries = part.getQueryGradient();
    (step == 0 ? ownKeys : keys) = part.getKeyGradient();
    (step == 0 ? ownValues : values) = part.getValueGradient();
  }
  auto sum = [&](Value own, Value others, Type type) -> Value {
    Value all = AddOp::create(builder, own, ring.pass(others, op));
    return all.getType() == type
               ? all
               : ConvertOp::create(builder, type, all).getResult();
  };
  return {queries, sum(ownKeys, keys, context.getLocalResultType(1)),
          sum(ownValues, values, context.getLocalResultType(2))};
}

/// The order of positions is that of as many ranks as they are split over, if
/// they are: micro-batches split samples alone.
template <typename AnyOp>
LogicalResult checkOrder(AnyOp op, const LocalizeContext &context) {
  ArrayRef<MeshAxis> axes = axesOfPositions(op, context);
  int64_t ranks = context.getMesh().countShards(axes);
  if (axes.empty() || !op.getZigzag() || int64_t(*op.getZigzag()) == ranks)
    return success();
  return op.emitOpError() << "is in zigzag over " << *op.getZigzag()
                          << " ranks, but its positions are split over "
                          << ranks;
}

template <typename OpT,
          SmallVector<Value> (*build)(OpT, ImplicitLocOpBuilder &,
                                      const LocalizeContext &, ValueRange)>
struct RingModel
    : LocalizeInterface::ExternalModel<RingModel<OpT, build>, OpT> {
  LogicalResult localize(Operation *op, ImplicitLocOpBuilder &builder,
                         const LocalizeContext &context, ValueRange operands,
                         SmallVectorImpl<Value> &results) const {
    if (failed(checkOrder(cast<OpT>(op), context)))
      return failure();
    results.append(build(cast<OpT>(op), builder, context, operands));
    return success();
  }

  static void attach(MLIRContext *context) {
    OpT::template attachInterface<RingModel>(*context);
  }
};

} // namespace

void attachAttentionLocalization(MLIRContext *context) {
  RingModel<smith::AttentionOp, localizeAttention>::attach(context);
  RingModel<smith::AttentionGradientOp, localizeGradient>::attach(context);
}

} // namespace shardsmith::stablehlo

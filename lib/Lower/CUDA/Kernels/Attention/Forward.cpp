// SPDX-License-Identifier: Apache-2.0
//
// Attention tile by tile. A block has some queries of one head:
//
//     for each tile of keys that some of them sees:
//       s = score(q · k)
//       m' = max(m, max s)          p = exp(s − m')
//       l = l · exp(m − m') + Σ p
//       o = o · exp(m − m') + p · v
//
// and at the end o / l and m + log l (Dao, FlashAttention-2, 2023). With what
// earlier steps of a ring have made, m begins as their log-sum-exp, l as 1 and
// o as their output.

#include "Scores.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>
#include <tuple>

using namespace mlir;

namespace shardsmith::cuda {
namespace {

class ForwardNest {
public:
  ForwardNest(DeviceKernel &device, Operation *op, AttentionTiling tiling)
      : device(device), builder(device.builder), op(op), tiling(tiling),
        thread(device), products(makeProducts(thread, tiling)),
        scores(thread, op), integers(device),
        negativeInfinity(
            thread.number(-std::numeric_limits<double>::infinity())) {
    if (auto part = dyn_cast<smith::PartialAttentionOp>(op)) {
      outputBefore = part.getOutputBefore();
      logSumExpBefore = part.getLogSumExpBefore();
    }
  }
  void emit();

private:
  /// The softmax of a thread's rows so far, [maximum, sum] by row, and its
  /// share of the output.
  struct State {
    Value maximum[2], sum[2];
    Fragments output;

    SmallVector<Value> flat() const;
    static State of(ValueRange values);
  };

  State start();
  State next(const State &before, Value firstKey, Value endOfKeys);
  void finish(const State &state);
  /// exp(a − maximum), where −∞ stands for nothing at all.
  Value exponential(Value a, Value maximum);

  DeviceKernel &device;
  ImplicitLocOpBuilder &builder;
  Operation *op;
  AttentionTiling tiling;
  FragmentThread thread;
  std::unique_ptr<TileProducts> products;
  AttentionScores scores;
  Integers integers;
  Value negativeInfinity, outputBefore, logSumExpBefore;
  /// Of the block: its head, the first of its queries, and that head's bias.
  Value head, firstQuery, biasOfHead;
  SharedTile query, key, value;
  Fragments keptQuery;
  /// The thread's rows: queries of the head, rows of all heads, and whether
  /// they exist.
  Value rows[2], allRows[2], exists[2];
};

SmallVector<Value> ForwardNest::State::flat() const {
  SmallVector<Value> all{maximum[0], maximum[1], sum[0], sum[1]};
  llvm::append_range(all, output);
  return all;
}

ForwardNest::State ForwardNest::State::of(ValueRange values) {
  return {{values[0], values[1]},
          {values[2], values[3]},
          Fragments(values.drop_front(4))};
}

Value ForwardNest::exponential(Value a, Value maximum) {
  Value isNothing = arith::CmpFOp::create(builder, arith::CmpFPredicate::OEQ,
                                          maximum, negativeInfinity);
  Value finite =
      arith::SelectOp::create(builder, isNothing, thread.number(0), maximum);
  return math::ExpOp::create(builder,
                             arith::SubFOp::create(builder, a, finite));
}

ForwardNest::State ForwardNest::start() {
  Value zero = thread.number(0);
  State state{{negativeInfinity, negativeInfinity},
              {zero, zero},
              thread.zeros(scores.sizes.valueSize)};
  if (!outputBefore)
    return state;
  for (int64_t half = 0; half < 2; ++half) {
    Value before = scores.load(logSumExpBefore, allRows[half], exists[half]);
    // Without any key the output is no number.
    Value hasKeys = arith::CmpFOp::create(builder, arith::CmpFPredicate::UNE,
                                          before, negativeInfinity);
    state.maximum[half] = before;
    state.sum[half] =
        arith::SelectOp::create(builder, hasKeys, thread.number(1), zero);
    Value isThere = device.both(hasKeys, exists[half]);
    for (size_t i = 0; i < state.output.size(); i += 4)
      for (int64_t e = 0; e < 2; ++e) {
        Value column = thread.column(static_cast<int64_t>(i / 4), e);
        Value isColumn = device.isBelow(column, scores.sizes.valueSize);
        Value position = integers.plus(
            integers.times(allRows[half], scores.sizes.valueSize), column);
        state.output[i + 2 * half + e] =
            scores.load(outputBefore, position, device.both(isThere, isColumn));
      }
  }
  return state;
}

ForwardNest::State ForwardNest::next(const State &before, Value firstKey,
                                     Value endOfKeys) {
  // Nobody reads the tile before any more.
  device.barrier();
  Value firstRow = integers.plus(
      integers.times(scores.batchOf(head), scores.sizes.keys), firstKey);
  Value count = integers.minus(endOfKeys, firstKey);
  products->fill(key, scores.key, firstRow, count);
  products->fill(value, scores.value, firstRow, count);
  device.barrier();
  Fragments weights = products->multiply(query, keptQuery, key);
  State after = before;
  for (auto [i, product] : llvm::enumerate(weights)) {
    Value column = integers.plus(
        firstKey, thread.column(static_cast<int64_t>(i / 4), i % 4));
    product = scores.score(product, biasOfHead, rows[i % 4 / 2], column);
  }
  for (int64_t half = 0; half < 2; ++half) {
    Value &maximum = after.maximum[half];
    Value largest = negativeInfinity;
    for (size_t i = 2 * half; i < weights.size(); i += 4)
      for (size_t e = 0; e < 2; ++e)
        largest = arith::MaximumFOp::create(builder, largest, weights[i + e]);
    maximum = arith::MaximumFOp::create(builder, maximum,
                                        thread.largestOfQuad(largest));
    Value sum = thread.number(0);
    for (size_t i = 2 * half; i < weights.size(); i += 4)
      for (size_t e = 0; e < 2; ++e) {
        weights[i + e] = exponential(weights[i + e], maximum);
        sum = arith::AddFOp::create(builder, sum, weights[i + e]);
      }
    Value factor = exponential(before.maximum[half], maximum);
    after.sum[half] = math::FmaOp::create(builder, before.sum[half], factor,
                                          thread.sumOfQuad(sum));
    for (size_t i = 2 * half; i < after.output.size(); i += 4)
      for (size_t e = 0; e < 2; ++e)
        after.output[i + e] =
            arith::MulFOp::create(builder, after.output[i + e], factor);
  }
  after.output = products->addProduct(after.output, weights, value);
  return after;
}

void ForwardNest::finish(const State &state) {
  Value output = device.buffer(op->getNumOperands());
  Value logSumExp = device.buffer(op->getNumOperands() + 1);
  Type outputElement = getElementTypeOrSelf(op->getResult(0));
  Type f32 = builder.getF32Type();
  Value isFirst = device.isBelow(thread.quad, 1);
  Value inside = scores.queries.inside();
  LaneArithmetic scalars(builder, 1);
  for (int64_t half = 0; half < 2; ++half) {
    // Rows behind the end of the sequence are zeros.
    auto orZero = [&](Value value) -> Value {
      if (!scores.queries.hasPadding())
        return value;
      return arith::SelectOp::create(builder,
                                     integers.isBelow(rows[half], inside),
                                     value, thread.number(0));
    };
    device.guarded(device.both(exists[half], isFirst), [&] {
      Value sum =
          arith::AddFOp::create(builder, state.maximum[half],
                                math::LogOp::create(builder, state.sum[half]));
      DeviceMemory::store(builder, scalars, logSumExp, f32,
                          LaneIndex::at(allRows[half]), orZero(sum));
    });
    for (size_t i = 0; i < state.output.size(); i += 4)
      thread.storePair(output, outputElement, allRows[half],
                       scores.sizes.valueSize, static_cast<int64_t>(i / 4),
                       exists[half], [&](int64_t e) {
                         Value weighted = state.output[i + 2 * half + e];
                         return orZero(arith::DivFOp::create(builder, weighted,
                                                             state.sum[half]));
                       });
  }
}

void ForwardNest::emit() {
  std::tie(head, firstQuery) = scores.queriesOf(device.block, tiling.rows());
  biasOfHead = scores.biasOf(head);
  Value inside = scores.queries.inside();
  Value firstRow = integers.times(head, scores.sizes.queries);
  for (int64_t half = 0; half < 2; ++half) {
    rows[half] = integers.plus(firstQuery, thread.row(2 * half));
    allRows[half] = integers.plus(firstRow, rows[half]);
    exists[half] = device.isBelow(rows[half], scores.sizes.queries);
  }
  query =
      products->allocate(tiling.rows(), scores.sizes.keySize, tiling.useOfRows);
  key = products->allocate(tiling.columns, scores.sizes.keySize, TileUse::Rows);
  value = products->allocate(tiling.columns, scores.sizes.valueSize,
                             TileUse::Columns);
  products->fill(query, scores.query, integers.plus(firstRow, firstQuery),
                 integers.minus(inside, firstQuery));
  if (products->isKept(query))
    device.barrier();
  keptQuery = products->keep(query);
  Value endOfQueries =
      integers.smaller(integers.plus(firstQuery, tiling.rows()), inside);
  Value endOfKeys = scores.keysSeenBefore(endOfQueries);
  SmallVector<Value> last =
      device.loop(device.constant(0), endOfKeys, tiling.columns, start().flat(),
                  [&](Value firstKey, ValueRange state) {
                    return next(State::of(state), firstKey, endOfKeys).flat();
                  });
  finish(State::of(last));
}

} // namespace

void emitForward(DeviceKernel &device, Operation *op, AttentionTiling tiling) {
  smith::AttentionSizes sizes = attentionSizesOf(op);
  device.launch(batchesOf(sizes) * sizes.groups *
                    ceilDivide(sizes.queries, tiling.rows()),
                tiling.threads());
  ForwardNest(device, op, tiling).emit();
}

} // namespace shardsmith::cuda

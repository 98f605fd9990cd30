// SPDX-License-Identifier: Apache-2.0
//
// The gradients of attention. Probabilities are computed again from the
// log-sum-exp. Sums are made by one block each, in one order: some blocks have
// a tile of keys of one batch, others a tile of queries of one head, and both
// compute the scores that they need.
//
//     a block of keys, for each            a block of queries, for each
//     tile of queries of each group:       tile of keys:
//       p  = exp(score(k · q) − lse)         p  = exp(score(q · k) − lse)
//       ds = p · (v · do − delta)            ds = p · (do · v − delta)
//       dv += p · do                         dq += ds · k
//       dk += ds · q
//
// of those that see each other, with delta = Σ do · o for each query. Either
// way a block has rows of two tensors, goes through tiles of two others, and
// multiplies them crosswise.

#include "Scores.h"

#include "shardsmith/Lower/Common/BufferPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <array>

using namespace mlir;

namespace shardsmith::cuda {
namespace {

class GradientNest {
public:
  GradientNest(DeviceKernel &device, Operation *op, AttentionTiling tiling);
  void emit(int64_t blocksOfKeys);

private:
  void emitKeys(Value block);
  void emitQueries(Value block);

  struct Weights {
    Fragments probabilities, gradients;
  };
  /// Of the tiles: `queryOf` and `keyOf` say which pair a number of a fragment
  /// is of, `logSumExpOf` and `deltaOf` what its query has.
  using Of = llvm::function_ref<Value(size_t)>;
  Weights weigh(Value biasOfHead, Of queryOf, Of keyOf, Of logSumExpOf,
                Of deltaOf);
  /// Σ cotangent · output of a query, by the thread's quad, which has a row
  /// together; all four get it.
  Value delta(Value row, Value condition);
  /// Stores the thread's rows of a gradient: scale · sums + what was before.
  void store(unsigned result, Value before, double scale, Fragments sums,
             int64_t size, ArrayRef<Value> rows, ArrayRef<Value> exists,
             ArrayRef<Value> inside);
  /// Behind the loads of the block's rows.
  void keepRows() {
    if (products->isKept(rows) || products->isKept(rowsOfValues))
      device.barrier();
    keptRows = products->keep(rows);
    keptRowsOfValues = products->keep(rowsOfValues);
  }

  DeviceKernel &device;
  ImplicitLocOpBuilder &builder;
  Operation *op;
  AttentionTiling tiling;
  FragmentThread thread;
  std::unique_ptr<TileProducts> products;
  AttentionScores scores;
  Integers integers;
  Value output, cotangent, logSumExp;
  Value queryBefore, keyBefore, valueBefore;
  /// Rows of the block and columns that it goes through: of queries or keys,
  /// and of cotangents or values.
  SharedTile rows, rowsOfValues, columns, columnsOfValues;
  Fragments keptRows, keptRowsOfValues;
  /// Of each column that is a query.
  Value sharedLogSumExp, sharedDelta;
};

GradientNest::GradientNest(DeviceKernel &device, Operation *op,
                           AttentionTiling tiling)
    : device(device), builder(device.builder), op(op), tiling(tiling),
      thread(device), products(makeProducts(thread, tiling)),
      scores(thread, op), integers(device) {
  auto read = [&](auto gradient) {
    output = gradient.getOutput();
    cotangent = gradient.getOutputCotangent();
    logSumExp = gradient.getLogSumExp();
  };
  if (auto part = dyn_cast<smith::PartialAttentionGradientOp>(op)) {
    read(part);
    queryBefore = part.getQueryBefore();
    keyBefore = part.getKeyBefore();
    valueBefore = part.getValueBefore();
  } else {
    read(cast<smith::AttentionGradientOp>(op));
  }
  rows =
      products->allocate(tiling.rows(), scores.sizes.keySize, tiling.useOfRows);
  rowsOfValues = products->allocate(tiling.rows(), scores.sizes.valueSize,
                                    tiling.useOfRows);
  columns =
      products->allocate(tiling.columns, scores.sizes.keySize, TileUse::Both);
  columnsOfValues =
      products->allocate(tiling.columns, scores.sizes.valueSize, TileUse::Both);
  sharedLogSumExp = device.shared(tiling.columns, builder.getF32Type());
  sharedDelta = device.shared(tiling.columns, builder.getF32Type());
}

Value GradientNest::delta(Value row, Value condition) {
  int64_t size = scores.sizes.valueSize;
  Type element = getElementTypeOrSelf(output.getType());
  int64_t lanes = accessBytes / storageBytes(element);
  while (size % lanes != 0)
    lanes /= 2;
  LaneArithmetic arithmetic(builder, lanes);
  LaneIndex start = arithmetic.times(LaneIndex::at(row), size);
  auto add = [&](Value chunk, ValueRange sums) {
    LaneIndex place =
        arithmetic.plus(start, arithmetic.times(LaneIndex::at(chunk), lanes));
    place.stride = lanes > 1 ? 1 : 0;
    Value factors[2];
    device.memory.active = condition;
    for (auto [tensor, loaded] :
         llvm::zip_equal(std::array{cotangent, output}, factors))
      loaded = device.memory.load(builder, arithmetic, tensor, place);
    device.memory.active = {};
    Value sum = sums.front();
    for (int64_t lane = 0; lane < lanes; ++lane) {
      auto at = [&](Value loaded) -> Value {
        return lanes > 1 ? vector::ExtractOp::create(builder, loaded, lane)
                         : loaded;
      };
      sum = math::FmaOp::create(builder, at(factors[0]), at(factors[1]), sum);
    }
    return SmallVector<Value>{sum};
  };
  Value own = device
                  .loop(thread.quad, device.constant(size / lanes), 4,
                        thread.number(0), add)
                  .front();
  return thread.sumOfQuad(own);
}

GradientNest::Weights GradientNest::weigh(Value biasOfHead, Of queryOf,
                                          Of keyOf, Of logSumExpOf,
                                          Of deltaOf) {
  Weights weights{
      products->multiply(rows, keptRows, columns),
      products->multiply(rowsOfValues, keptRowsOfValues, columnsOfValues)};
  for (size_t i = 0; i < weights.gradients.size(); ++i) {
    Value &probability = weights.probabilities[i];
    Value &gradient = weights.gradients[i];
    probability = scores.probability(probability, biasOfHead, logSumExpOf(i),
                                     queryOf(i), keyOf(i));
    gradient = arith::MulFOp::create(
        builder, probability,
        arith::SubFOp::create(builder, gradient, deltaOf(i)));
  }
  return weights;
}

void GradientNest::store(unsigned result, Value before, double scale,
                         Fragments sums, int64_t size, ArrayRef<Value> rows,
                         ArrayRef<Value> exists, ArrayRef<Value> inside) {
  Type element = getElementTypeOrSelf(op->getResult(result));
  Value buffer = device.buffer(op->getNumOperands() + result);
  Value factor = thread.number(scale);
  for (int64_t half = 0; half < 2; ++half)
    for (size_t i = 0; i < sums.size(); i += 4) {
      int64_t fragment = static_cast<int64_t>(i / 4);
      thread.storePair(
          buffer, element, rows[half], size, fragment, exists[half],
          [&](int64_t e) -> Value {
            Value sum =
                arith::MulFOp::create(builder, factor, sums[i + 2 * half + e]);
            if (before) {
              Value place = integers.plus(integers.times(rows[half], size),
                                          thread.column(fragment, e));
              sum = arith::AddFOp::create(builder, sum,
                                          scores.load(before, place, {}));
            }
            // Rows behind the end of the sequence are zeros.
            if (!inside[half])
              return sum;
            return arith::SelectOp::create(builder, inside[half], sum,
                                           thread.number(0));
          });
    }
}

void GradientNest::emitKeys(Value block) {
  const smith::AttentionSizes &sizes = scores.sizes;
  Value batch = integers.remainder(block, scores.batches);
  Value firstKey =
      integers.times(integers.quotient(block, scores.batches), tiling.rows());
  Value firstRow = integers.times(batch, sizes.keys);
  Value keysInside = scores.keys.inside();
  Value queriesInside = scores.queries.inside();
  Value count = integers.minus(keysInside, firstKey);
  Value first = integers.plus(firstRow, firstKey);
  products->fill(rows, scores.key, first, count);
  products->fill(rowsOfValues, scores.value, first, count);
  keepRows();
  Value keys[2], allKeys[2], keyExists[2], keyInside[2];
  for (int64_t half = 0; half < 2; ++half) {
    keys[half] = integers.plus(firstKey, thread.row(2 * half));
    allKeys[half] = integers.plus(firstRow, keys[half]);
    keyExists[half] = device.isBelow(keys[half], sizes.keys);
    if (scores.keys.hasPadding())
      keyInside[half] = integers.isBelow(keys[half], keysInside);
  }
  // Tiles of queries begin at multiples of their size.
  Value firstQuery = integers.times(
      integers.quotient(scores.firstQueryOf(firstKey), tiling.columns),
      tiling.columns);
  Fragments initial = thread.zeros(sizes.keySize);
  size_t ofKeys = initial.size();
  llvm::append_range(initial, thread.zeros(sizes.valueSize));

  auto addTile = [&](Value head, Value biasOfHead, Value query,
                     ValueRange sums) {
    Value firstOfHead = integers.times(head, sizes.queries);
    Value row = integers.plus(firstOfHead, query);
    Value queryCount = integers.minus(queriesInside, query);
    // Nobody reads the tile before any more.
    device.barrier();
    products->fill(columns, scores.query, row, queryCount);
    products->fill(columnsOfValues, cotangent, row, queryCount);
    // Quads have a query each, in turns.
    device.loop(thread.warp,
                device.constant(tiling.columns / columnsOfFragment),
                tiling.warps, {}, [&](Value eight, ValueRange) {
                  Value place = integers.plus(
                      integers.times(eight, columnsOfFragment), thread.group);
                  Value isThere = integers.isBelow(place, queryCount);
                  Value all = integers.plus(row, place);
                  Value sum = delta(all, isThere);
                  device.guarded(device.isBelow(thread.quad, 1), [&] {
                    device.storeShared(sharedDelta, place, sum);
                    device.storeShared(sharedLogSumExp, place,
                                       scores.load(logSumExp, all, isThere));
                  });
                  return SmallVector<Value>();
                });
    device.barrier();
    auto columnOf = [&](size_t i) {
      return thread.column(static_cast<int64_t>(i / 4), i % 4);
    };
    auto sharedOf = [&](Value memory) {
      return [this, memory, columnOf](size_t i) -> Value {
        return device.loadShared(memory, columnOf(i), builder.getF32Type());
      };
    };
    Weights weights = weigh(
        biasOfHead, [&](size_t i) { return integers.plus(query, columnOf(i)); },
        [&](size_t i) { return keys[i % 4 / 2]; }, sharedOf(sharedLogSumExp),
        sharedOf(sharedDelta));
    Fragments next = products->addProduct(Fragments(sums.take_front(ofKeys)),
                                          weights.gradients, columns);
    llvm::append_range(
        next, products->addProduct(Fragments(sums.drop_front(ofKeys)),
                                   weights.probabilities, columnsOfValues));
    return next;
  };
  SmallVector<Value> sums = device.loop(
      device.constant(0), device.constant(sizes.groups), 1, initial,
      [&](Value group, ValueRange sums) {
        Value head = integers.plus(integers.times(batch, sizes.groups), group);
        Value biasOfHead = scores.biasOf(head);
        return device.loop(firstQuery, queriesInside, tiling.columns, sums,
                           [&](Value query, ValueRange sums) {
                             return addTile(head, biasOfHead, query, sums);
                           });
      });
  Fragments keySums(ArrayRef(sums).take_front(ofKeys));
  Fragments valueSums(ArrayRef(sums).drop_front(ofKeys));
  store(1, keyBefore, scores.scale, keySums, sizes.keySize, allKeys, keyExists,
        keyInside);
  store(2, valueBefore, 1, valueSums, sizes.valueSize, allKeys, keyExists,
        keyInside);
}

void GradientNest::emitQueries(Value block) {
  const smith::AttentionSizes &sizes = scores.sizes;
  auto [head, firstQuery] = scores.queriesOf(block, tiling.rows());
  Value biasOfHead = scores.biasOf(head);
  Value inside = scores.queries.inside();
  Value firstRow = integers.times(head, sizes.queries);
  Value first = integers.plus(firstRow, firstQuery);
  Value count = integers.minus(inside, firstQuery);
  products->fill(rows, scores.query, first, count);
  products->fill(rowsOfValues, cotangent, first, count);
  keepRows();
  Value queries[2], allQueries[2], queryExists[2], queryInside[2];
  Value logSumExps[2], deltas[2];
  for (int64_t half = 0; half < 2; ++half) {
    queries[half] = integers.plus(firstQuery, thread.row(2 * half));
    allQueries[half] = integers.plus(firstRow, queries[half]);
    queryExists[half] = device.isBelow(queries[half], sizes.queries);
    Value isInside = integers.isBelow(queries[half], inside);
    if (scores.queries.hasPadding())
      queryInside[half] = isInside;
    logSumExps[half] = scores.load(logSumExp, allQueries[half], isInside);
    deltas[half] = delta(allQueries[half], isInside);
  }
  Value endOfKeys = scores.keysSeenBefore(
      integers.smaller(integers.plus(firstQuery, tiling.rows()), inside));
  Value firstKeyRow = integers.times(scores.batchOf(head), sizes.keys);
  SmallVector<Value> sums = device.loop(
      device.constant(0), endOfKeys, tiling.columns,
      thread.zeros(sizes.keySize), [&](Value firstKey, ValueRange sums) {
        device.barrier();
        Value row = integers.plus(firstKeyRow, firstKey);
        Value keyCount = integers.minus(endOfKeys, firstKey);
        products->fill(columns, scores.key, row, keyCount);
        products->fill(columnsOfValues, scores.value, row, keyCount);
        device.barrier();
        Weights weights = weigh(
            biasOfHead, [&](size_t i) { return queries[i % 4 / 2]; },
            [&](size_t i) {
              return integers.plus(
                  firstKey, thread.column(static_cast<int64_t>(i / 4), i % 4));
            },
            [&](size_t i) { return logSumExps[i % 4 / 2]; },
            [&](size_t i) { return deltas[i % 4 / 2]; });
        return products->addProduct(Fragments(sums), weights.gradients,
                                    columns);
      });
  store(0, queryBefore, scores.scale, Fragments(sums), sizes.keySize,
        allQueries, queryExists, queryInside);
}

void GradientNest::emit(int64_t blocksOfKeys) {
  Value isOfKeys = device.isBelow(device.block, blocksOfKeys);
  auto branch = scf::IfOp::create(builder, isOfKeys, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitKeys(device.block);
  builder.setInsertionPointToStart(branch.elseBlock());
  emitQueries(integers.plus(device.block, -blocksOfKeys));
}

} // namespace

void emitGradient(DeviceKernel &device, Operation *op, AttentionTiling tiling) {
  smith::AttentionSizes sizes = attentionSizesOf(op);
  int64_t batches = batchesOf(sizes);
  int64_t blocksOfKeys = batches * ceilDivide(sizes.keys, tiling.rows());
  int64_t blocksOfQueries =
      batches * sizes.groups * ceilDivide(sizes.queries, tiling.rows());
  device.launch(blocksOfKeys + blocksOfQueries, tiling.threads());
  GradientNest(device, op, tiling).emit(blocksOfKeys);
}

} // namespace shardsmith::cuda

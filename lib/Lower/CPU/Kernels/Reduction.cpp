// SPDX-License-Identifier: Apache-2.0
//
// Kernels whose reductions do not run over the trailing dimensions. If the
// last dimension is kept, lanes lie along it and a unit is a block of columns:
//
//     for unit in [begin, end):         kept outer position, block of columns
//       for every reduced position:     accumulate one vector
//       store every result
//
// If it is reduced, lanes lie along it and are combined at the end; a unit is
// one kept position.

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "shardsmith/Dialect/StableHLO/Matching.h"
#include "shardsmith/Support/Quantity.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace shardsmith::cpu {
namespace {

/// Sums of no more terms are made one by one.
constexpr int64_t shortSum = 64;

class ReductionNest {
public:
  explicit ReductionNest(KernelBody &body)
      : body(body), builder(body.builder), domain(body.domain),
        isReduced(domain.size(), false) {
    for (int64_t d : body.kernel.getReduced())
      isReduced[d] = true;
    for (auto [d, size] : llvm::enumerate(domain))
      (isReduced[d] ? reducedDimensions : keptDimensions).push_back(d);
    for (Operation &op : body.kernel.getBody().front())
      if (isa<stablehlo::ReduceOp>(op))
        reduces.push_back(&op);
  }

  int64_t emit();

private:
  void emitKeptLanes(ArrayRef<LaneIndex> outerKept, LaneIndex column,
                     int64_t lanes);
  void emitReducedLanes(ArrayRef<LaneIndex> kept);

  /// Loops over `dimensions`, filling in `index`; `innermost` gets and
  /// returns accumulators.
  SmallVector<Value>
  nest(ArrayRef<int64_t> dimensions, LaneIndices &index,
       ValueRange accumulators,
       llvm::function_ref<SmallVector<Value>(ValueRange)> innermost);
  /// Adds up the reduced dimensions for kept lanes. Sums are made dimension by
  /// dimension, and along a long one in blocks: of n equal terms, n roundings
  /// have a common sign, and one sum would be off by n times what each loses.
  SmallVector<Value> reduceAlong(ArrayRef<int64_t> dimensions, int64_t lanes,
                                 LaneIndices &index, ValueRange accumulators);
  SmallVector<Value> combineAll(int64_t lanes, ValueRange left,
                                ValueRange right);
  SmallVector<Value> sumInBlocks(int64_t dimension, int64_t lanes,
                                 LaneIndices &index, ValueRange accumulators);
  /// True if all reductions are sums that may start again from zero.
  bool mayStartAgain();
  SmallVector<Value> initial(int64_t lanes);
  SmallVector<Value> step(int64_t lanes, ArrayRef<LaneIndex> index,
                          ValueRange accumulators);
  void storeResults(int64_t lanes, ArrayRef<LaneIndex> kept, ValueRange values);

  KernelBody &body;
  ImplicitLocOpBuilder &builder;
  ArrayRef<int64_t> domain;
  SmallVector<bool> isReduced;
  SmallVector<int64_t> reducedDimensions, keptDimensions;
  SmallVector<Operation *> reduces;
};

SmallVector<Value> ReductionNest::nest(
    ArrayRef<int64_t> dimensions, LaneIndices &index, ValueRange accumulators,
    llvm::function_ref<SmallVector<Value>(ValueRange)> innermost) {
  if (dimensions.empty())
    return innermost(accumulators);
  int64_t d = dimensions.front();
  return body.loop(body.constant(0), body.constant(domain[d]), 1, accumulators,
                   [&](Value position, ValueRange next) {
                     index[d] = LaneIndex::at(position);
                     return nest(dimensions.drop_front(), index, next,
                                 innermost);
                   });
}

bool ReductionNest::mayStartAgain() {
  return llvm::all_of(reduces, [](Operation *op) {
    auto reduce = cast<stablehlo::ReduceOp>(op);
    return reduce.getInputs().size() == 1 &&
           stablehlo::matchReduction(reduce.getBody()) == ReductionKind::Sum &&
           stablehlo::isZero(reduce.getInitValues().front());
  });
}

SmallVector<Value> ReductionNest::sumInBlocks(int64_t dimension, int64_t lanes,
                                              LaneIndices &index,
                                              ValueRange accumulators) {
  int64_t size = domain[dimension];
  auto add = [&](Value from, Value to, ValueRange sums) {
    return body.loop(from, to, 1, sums, [&](Value position, ValueRange next) {
      index[dimension] = LaneIndex::at(position);
      return step(lanes, index, next);
    });
  };
  if (size <= shortSum || !mayStartAgain())
    return add(body.constant(0), body.constant(size), accumulators);
  // As many blocks as elements in a block, about.
  int64_t block = int64_t(1) << ((llvm::Log2_64(size) + 1) / 2);
  return body.loop(
      body.constant(0), body.constant(size), block, accumulators,
      [&](Value start, ValueRange totals) {
        Value end = arith::AddIOp::create(builder, start, body.constant(block));
        end = arith::MinSIOp::create(builder, end, body.constant(size));
        return combineAll(lanes, totals, add(start, end, initial(lanes)));
      });
}

SmallVector<Value> ReductionNest::combineAll(int64_t lanes, ValueRange left,
                                             ValueRange right) {
  SmallVector<Value> results;
  for (Operation *reduce : reduces) {
    unsigned count = reduce->getNumResults();
    llvm::append_range(results,
                       combine(builder, reduce, lanes, left.take_front(count),
                               right.take_front(count)));
    left = left.drop_front(count);
    right = right.drop_front(count);
  }
  return results;
}

SmallVector<Value> ReductionNest::reduceAlong(ArrayRef<int64_t> dimensions,
                                              int64_t lanes, LaneIndices &index,
                                              ValueRange accumulators) {
  int64_t d = dimensions.front();
  if (dimensions.size() == 1)
    return sumInBlocks(d, lanes, index, accumulators);
  bool startsAgain = mayStartAgain();
  return body.loop(body.constant(0), body.constant(domain[d]), 1, accumulators,
                   [&](Value position, ValueRange totals) {
                     index[d] = LaneIndex::at(position);
                     ArrayRef<int64_t> rest = dimensions.drop_front();
                     if (!startsAgain)
                       return reduceAlong(rest, lanes, index, totals);
                     return combineAll(
                         lanes, totals,
                         reduceAlong(rest, lanes, index, initial(lanes)));
                   });
}

SmallVector<Value> ReductionNest::initial(int64_t lanes) {
  ElementEmitter emitter(builder, lanes, body.inputs, noHook);
  SmallVector<Value> all;
  for (Operation *reduce : reduces)
    llvm::append_range(all, initialAccumulators(emitter, reduce));
  return all;
}

SmallVector<Value> ReductionNest::step(int64_t lanes, ArrayRef<LaneIndex> index,
                                       ValueRange accumulators) {
  ElementEmitter emitter(builder, lanes, body.inputs, noHook);
  SmallVector<Value> next;
  for (Operation *reduce : reduces) {
    unsigned count = reduce->getNumResults();
    llvm::append_range(next, accumulate(emitter, reduce, index,
                                        accumulators.take_front(count)));
    accumulators = accumulators.drop_front(count);
  }
  return next;
}

void ReductionNest::storeResults(int64_t lanes, ArrayRef<LaneIndex> kept,
                                 ValueRange values) {
  DenseMap<Value, Value> reduced;
  for (Operation *reduce : reduces)
    for (Value result : reduce->getResults()) {
      reduced[result] = values.front();
      values = values.drop_front();
    }
  auto hook = [&](ElementEmitter &, Value tensor, ArrayRef<LaneIndex>) {
    return reduced.lookup(tensor);
  };
  ElementEmitter emitter(builder, lanes, body.inputs, hook);
  SmallVector<int64_t> keptSizes;
  for (int64_t d : keptDimensions)
    keptSizes.push_back(domain[d]);
  SmallVector<KernelBody::Store> stores;
  for (unsigned i = 0; i < body.results.size(); ++i)
    stores.push_back({i, indexFor(body.resultShape(i), keptSizes, kept),
                      emitter.arithmetic.linearize(kept, keptSizes)});
  body.store(emitter, stores);
}

void ReductionNest::emitKeptLanes(ArrayRef<LaneIndex> outerKept,
                                  LaneIndex column, int64_t lanes) {
  if (lanes > 1)
    column.stride = 1;
  LaneIndices index(domain.size()), kept(outerKept);
  kept.push_back(column);
  for (auto [d, position] : llvm::zip_equal(keptDimensions, kept))
    index[d] = position;
  SmallVector<Value> sums =
      reduceAlong(reducedDimensions, lanes, index, initial(lanes));
  storeResults(lanes, kept, sums);
}

// Two sets of accumulators travel through the loops: full vectors, and
// vectors of the columns that do not fill one.
void ReductionNest::emitReducedLanes(ArrayRef<LaneIndex> kept) {
  int64_t last = domain.size() - 1;
  int64_t lanes = body.preferredLanes(domain[last], 64);
  int64_t rest = domain[last] % lanes;
  LaneIndices index(domain.size());
  for (auto [d, position] : llvm::zip_equal(keptDimensions, kept))
    index[d] = position;
  SmallVector<Value> accumulators = initial(lanes);
  size_t count = accumulators.size();
  if (rest > 0)
    llvm::append_range(accumulators, initial(rest));
  SmallVector<Value> sums = nest(
      ArrayRef<int64_t>(reducedDimensions).drop_back(), index, accumulators,
      [&](ValueRange outer) {
        SmallVector<Value> next = body.loop(
            body.constant(0), body.constant(domain[last] - rest), lanes,
            outer.take_front(count), [&](Value column, ValueRange inner) {
              index[last] = LaneIndex::at(column, lanes);
              index[last].stride = lanes > 1 ? 1 : 0;
              return step(lanes, index, inner);
            });
        if (rest > 0) {
          index[last] = LaneIndex::constant(domain[last] - rest);
          index[last].stride = rest > 1 ? 1 : 0;
          llvm::append_range(next, step(rest, index, outer.drop_front(count)));
        }
        return next;
      });
  ValueRange remaining(sums);
  ValueRange tails = remaining.drop_front(count);
  SmallVector<Value> values;
  for (Operation *reduce : reduces) {
    unsigned results = reduce->getNumResults();
    SmallVector<Value> total =
        combineLanes(builder, reduce, lanes, remaining.take_front(results));
    remaining = remaining.drop_front(results);
    if (rest > 0) {
      SmallVector<Value> tail =
          combineLanes(builder, reduce, rest, tails.take_front(results));
      tails = tails.drop_front(results);
      total = combine(builder, reduce, 1, total, tail);
    }
    llvm::append_range(values, total);
  }
  storeResults(1, kept, values);
}

int64_t ReductionNest::emit() {
  LaneArithmetic scalars(builder, 1);
  SmallVector<int64_t> kept;
  for (int64_t d : keptDimensions)
    kept.push_back(domain[d]);
  if (isReduced.back()) {
    int64_t units = 1;
    for (int64_t size : kept)
      units *= size;
    body.loop(body.begin, body.end, 1, [&](Value unit) {
      emitReducedLanes(scalars.delinearize(LaneIndex::at(unit), kept));
    });
    return units;
  }

  int64_t columns = kept.back();
  ArrayRef<int64_t> outer = ArrayRef<int64_t>(kept).drop_back();
  int64_t lanes = body.preferredLanes(columns, 64);
  int64_t blocks = ceilDivide(columns, lanes), rest = columns % lanes;
  int64_t units = blocks;
  for (int64_t size : outer)
    units *= size;
  body.loop(body.begin, body.end, 1, [&](Value unit) {
    auto [row, block] = scalars.divide(LaneIndex::at(unit), blocks);
    LaneIndices outerIndex = scalars.delinearize(row, outer);
    LaneIndex column = scalars.times(block, lanes);
    if (rest == 0) {
      emitKeptLanes(outerIndex, column, lanes);
      return;
    }
    Value isLast =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                              scalars.scalar(block), body.constant(blocks - 1));
    auto branch = scf::IfOp::create(builder, isLast, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    emitKeptLanes(outerIndex, LaneIndex::constant(columns - rest), rest);
    builder.setInsertionPointToStart(branch.elseBlock());
    if (blocks > 1)
      emitKeptLanes(outerIndex, column, lanes);
  });
  return units;
}

} // namespace

int64_t emitReduction(KernelBody &body) { return ReductionNest(body).emit(); }

} // namespace shardsmith::cpu

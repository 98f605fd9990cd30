// SPDX-License-Identifier: Apache-2.0
//
// Kernels whose reductions run over the trailing dimensions, the *row*.
// Softmax, for example, is
//
//     for row in [begin, end):
//       level 1:  m = max over columns of x
//       level 2:  s = sum over columns of e, e = exp(x − m) kept in scratch
//       store:    e / s
//
// Reductions of one level (RowLevels.h) share a loop. A full value that is
// expensive to compute and needed by several loops is kept in scratch, which
// stays in cache.

#include "KernelEmitter.h"
#include "shardsmith/Lower/CPU/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace shardsmith::cpu {
namespace {

/// Scratch per thread; a fraction of a second-level cache.
constexpr int64_t scratchLimit = 256 * 1024;

class RowNest {
public:
  explicit RowNest(KernelBody &body)
      : body(body), builder(body.builder), domain(body.domain) {
    rowRank = body.kernel.getReduced().size();
    outer = domain.drop_back(rowRank);
    row = domain.take_back(rowRank);
    for (int64_t size : row)
      columns *= size;
    for (int64_t size : domain)
      elements *= size;
  }

  int64_t emit();

private:
  void chooseScratch();
  void collectNeeds(Value value, int64_t loop,
                    llvm::DenseSet<std::pair<Value, int64_t>> &visited);
  bool isFull(Value value) const;

  void emitLevel(int64_t level);
  void emitStores();
  void keepNewScratch(ElementEmitter &emitter, int64_t loop,
                      ArrayRef<LaneIndex> index, const LaneIndex &column);
  LaneIndices domainIndex(LaneArithmetic &arithmetic, const LaneIndex &column);
  /// The position in a full value, whose shape may have other dimensions of
  /// size 1 than the domain.
  LaneIndices fullIndex(Value value, ArrayRef<LaneIndex> index) {
    return indexFor(cast<RankedTensorType>(value.getType()).getShape(), domain,
                    index);
  }
  Value hook(ElementEmitter &emitter, Value tensor, ArrayRef<LaneIndex> index,
             ArrayRef<LaneIndex> current, const LaneIndex &column);

  KernelBody &body;
  ImplicitLocOpBuilder &builder;
  ArrayRef<int64_t> domain, outer, row;
  int64_t rowRank, columns = 1, elements = 1, lanes = 1, rest = 0;

  RowLevels levelReduces;
  /// Loops (levels 1 …, stores last) that need a full value.
  llvm::MapVector<Value, llvm::SmallSetVector<int64_t, 4>> needs;
  struct Scratch {
    Buffer buffer;
    int64_t firstLoop;
    bool isFilled = false;
  };
  llvm::MapVector<Value, Scratch> scratch;

  /// While a row is emitted:
  LaneIndex rowNumber;
  LaneIndices outerIndex;
  DenseMap<Value, Value> reduced;
};

bool RowNest::isFull(Value value) const {
  auto type = cast<RankedTensorType>(value.getType());
  return columns > 1 && type.getNumElements() == elements;
}

void RowNest::collectNeeds(Value value, int64_t loop,
                           llvm::DenseSet<std::pair<Value, int64_t>> &visited) {
  if (!visited.insert({value, loop}).second)
    return;
  Operation *op = value.getDefiningOp();
  if (!op || isa<stablehlo::ReduceOp>(op))
    return;
  if (isFull(value) && cpuTarget().costOf(op) == lower::ElementCost::Expensive)
    needs[value].insert(loop);
  for (Value operand : op->getOperands())
    collectNeeds(operand, loop, visited);
}

void RowNest::chooseScratch() {
  llvm::DenseSet<std::pair<Value, int64_t>> visited;
  for (auto [level, reduces] : llvm::enumerate(levelReduces))
    for (Operation *reduce : reduces)
      for (Value input : cast<stablehlo::ReduceOp>(reduce).getInputs())
        collectNeeds(input, level, visited);
  int64_t storeLoop = levelReduces.size();
  for (Value result : body.terminator()->getOperands())
    if (isFull(result))
      collectNeeds(result, storeLoop, visited);

  int64_t budget = scratchLimit;
  for (auto &[value, loops] : needs) {
    if (loops.size() < 2)
      continue;
    Type element =
        registerType(cast<RankedTensorType>(value.getType()).getElementType());
    int64_t bytes = columns * storageBytes(element);
    if (bytes > budget)
      continue;
    budget -= bytes;
    auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
    Value place = LLVM::AllocaOp::create(builder, pointer, builder.getI8Type(),
                                         body.constant(bytes), 64);
    scratch[value] = {{place, {}, {}}, *llvm::min_element(loops)};
  }
}

LaneIndices RowNest::domainIndex(LaneArithmetic &arithmetic,
                                 const LaneIndex &column) {
  LaneIndices index(outerIndex);
  llvm::append_range(index, arithmetic.delinearize(column, row));
  for (auto [position, size] : llvm::zip_equal(index, domain))
    if (size == 1)
      position = LaneIndex::constant(0);
  return index;
}

Value RowNest::hook(ElementEmitter &emitter, Value tensor,
                    ArrayRef<LaneIndex> index, ArrayRef<LaneIndex> current,
                    const LaneIndex &column) {
  if (Value value = reduced.lookup(tensor))
    return value;
  auto kept = scratch.find(tensor);
  if (kept == scratch.end() || !kept->second.isFilled ||
      index != ArrayRef<LaneIndex>(fullIndex(tensor, current)))
    return {};
  return loadElements(
      builder, emitter.arithmetic, kept->second.buffer,
      registerType(cast<RankedTensorType>(tensor.getType()).getElementType()),
      column);
}

void RowNest::keepNewScratch(ElementEmitter &emitter, int64_t loop,
                             ArrayRef<LaneIndex> index,
                             const LaneIndex &column) {
  for (auto &[value, kept] : scratch) {
    if (kept.firstLoop != loop)
      continue;
    Type element =
        registerType(cast<RankedTensorType>(value.getType()).getElementType());
    storeElements(builder, emitter.arithmetic, kept.buffer, element, column,
                  emitter.emit(value, fullIndex(value, index)));
  }
}

void RowNest::emitLevel(int64_t level) {
  ArrayRef<Operation *> reduces = levelReduces[level];
  auto group = [&](int64_t laneCount, LaneIndex column,
                   ValueRange accumulators) {
    column.stride = laneCount > 1 ? 1 : 0;
    LaneArithmetic arithmetic(builder, laneCount);
    LaneIndices index = domainIndex(arithmetic, column);
    auto hook = [&](ElementEmitter &emitter, Value tensor,
                    ArrayRef<LaneIndex> at) {
      return this->hook(emitter, tensor, at, index, column);
    };
    ElementEmitter emitter(builder, laneCount, body.inputs, hook);
    keepNewScratch(emitter, level, index, column);
    SmallVector<Value> next;
    for (Operation *reduce : reduces) {
      unsigned count = reduce->getNumResults();
      llvm::append_range(next, accumulate(emitter, reduce, index,
                                          accumulators.take_front(count)));
      accumulators = accumulators.drop_front(count);
    }
    return next;
  };
  auto initial = [&](int64_t laneCount) {
    auto hook = [&](ElementEmitter &, Value tensor, ArrayRef<LaneIndex>) {
      return reduced.lookup(tensor);
    };
    ElementEmitter emitter(builder, laneCount, body.inputs, hook);
    SmallVector<Value> all;
    for (Operation *reduce : reduces)
      llvm::append_range(all, initialAccumulators(emitter, reduce));
    return all;
  };

  SmallVector<Value> sums = body.loop(
      body.constant(0), body.constant(columns - rest), lanes, initial(lanes),
      [&](Value column, ValueRange accumulators) {
        return group(lanes, LaneIndex::at(column, lanes), accumulators);
      });
  SmallVector<Value> tails;
  if (rest > 0)
    tails = group(rest, LaneIndex::constant(columns - rest), initial(rest));

  ValueRange remaining(sums), remainingTails(tails);
  SmallVector<std::pair<Value, Value>> found;
  for (Operation *reduce : reduces) {
    unsigned count = reduce->getNumResults();
    SmallVector<Value> total =
        combineLanes(builder, reduce, lanes, remaining.take_front(count));
    remaining = remaining.drop_front(count);
    if (rest > 0) {
      SmallVector<Value> tail =
          combineLanes(builder, reduce, rest, remainingTails.take_front(count));
      remainingTails = remainingTails.drop_front(count);
      total = combine(builder, reduce, 1, total, tail);
    }
    for (auto [result, value] : llvm::zip_equal(reduce->getResults(), total))
      found.push_back({result, value});
  }
  for (auto [result, value] : found)
    reduced[result] = value;
  for (auto &[value, kept] : scratch)
    kept.isFilled |= kept.firstLoop == level;
}

void RowNest::emitStores() {
  int64_t storeLoop = levelReduces.size();
  auto group = [&](int64_t laneCount, LaneIndex column, bool fullResults) {
    column.stride = laneCount > 1 ? 1 : 0;
    LaneArithmetic arithmetic(builder, laneCount);
    LaneIndices index = domainIndex(arithmetic, column);
    auto hook = [&](ElementEmitter &emitter, Value tensor,
                    ArrayRef<LaneIndex> at) {
      return this->hook(emitter, tensor, at, index, column);
    };
    ElementEmitter emitter(builder, laneCount, body.inputs, hook);
    LaneIndex start = arithmetic.times(rowNumber, columns);
    if (fullResults)
      keepNewScratch(emitter, storeLoop, index, column);
    SmallVector<KernelBody::Store> stores;
    for (auto [i, result] : llvm::enumerate(body.terminator()->getOperands()))
      if (isFull(result) == fullResults)
        stores.push_back(
            {static_cast<unsigned>(i),
             fullResults ? fullIndex(result, index)
                         : indexFor(body.resultShape(i), outer, outerIndex),
             fullResults ? arithmetic.plus(start, column) : rowNumber});
    body.store(emitter, stores);
  };

  auto results = body.terminator()->getOperands();
  if (llvm::any_of(results, [&](Value v) { return isFull(v); })) {
    body.loop(body.constant(0), body.constant(columns - rest), lanes,
              [&](Value column) {
                group(lanes, LaneIndex::at(column, lanes), true);
              });
    if (rest > 0)
      group(rest, LaneIndex::constant(columns - rest), true);
  }
  if (!llvm::all_of(results, [&](Value v) { return isFull(v); }))
    group(1, LaneIndex::constant(0), false);
}

int64_t RowNest::emit() {
  lanes = body.preferredLanes(columns, 64);
  rest = columns % lanes;
  levelReduces = findRowLevels(body.kernel.getBody().front());
  chooseScratch();
  int64_t rows = 1;
  for (int64_t size : outer)
    rows *= size;
  body.loop(body.begin, body.end, 1, [&](Value unit) {
    LaneArithmetic scalars(builder, 1);
    rowNumber = LaneIndex::at(unit);
    outerIndex = scalars.delinearize(rowNumber, outer);
    for (size_t level = 0; level < levelReduces.size(); ++level)
      emitLevel(level);
    emitStores();
  });
  return rows;
}

} // namespace

int64_t emitRows(KernelBody &body) { return RowNest(body).emit(); }

} // namespace shardsmith::cpu

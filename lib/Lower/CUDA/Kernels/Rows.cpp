// SPDX-License-Identifier: Apache-2.0
//
// Kernels whose reductions are worked on one *row* at a time: the reduced
// dimensions at one position of the kept ones. Softmax, for example:
//
//     level 1:  m = max over columns of x            every thread its columns,
//     level 2:  s = sum over columns of exp(x − m)   then combineThreads
//     store:    exp(x − m) / s
//
// How threads share the rows out:
//
//     row                      threads of a row        columns are kept
//     short                    1 … 32, several rows    in registers
//     up to 32 · 1024          a block                 in registers
//     longer                   a block                 in no place: each level
//                                                      reads the row again
//
// In registers, a thread has `chunks` groups of lanes, `threads · lanes` apart:
//
//     columns   | t0 t1 t2 … | t0 t1 t2 … | t0 t1 - - |
//                 chunk 0      chunk 1      chunk 2
//
// The code is straight-line, so a value that several levels need is computed
// once. Where a chunk ends beyond the row, loads and stores are guarded, and
// what a thread would add there is left out.

#include "DeviceKernel.h"

#include "shardsmith/Support/Quantity.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace shardsmith::cuda {
namespace {

/// Below this many rows, rows of more than two warps' lanes get a block each:
/// a warp each would leave most of the device idle.
constexpr int64_t fewRows = 1024;

class RowNest : KernelNest {
public:
  RowNest(DeviceKernel &device, smith::KernelOp kernel);
  void emit();

private:
  void shareOut();
  bool isFull(Value value) const;
  LaneIndices domainIndex(LaneArithmetic &arithmetic, const LaneIndex &column);
  Value hook(Value tensor) { return reduced.lookup(tensor); }

  void emitInRegisters();
  void emitInLoops();
  void finishLevel(ArrayRef<Operation *> reduces, ValueRange accumulators);
  void storeFull(ElementEmitter &emitter, const LaneIndex &column,
                 ArrayRef<LaneIndex> index, Value isActive);
  void storeRowResults();

  SmallVector<int64_t> keptDimensions, reducedDimensions;
  SmallVector<int64_t> kept, row;
  int64_t rows = 1, columns = 1;

  int64_t lanes = 1;
  int64_t threads = 1; ///< of one row
  int64_t rowsPerBlock = 1;
  int64_t chunks = 1;
  bool inRegisters = true;

  RowLevels levels;
  Value place; ///< this thread's number among those of the row; null: 0
  LaneIndex rowNumber;
  Value rowIsInside; ///< null: always
  LaneIndices outerIndex;
  DenseMap<Value, Value> reduced;
};

RowNest::RowNest(DeviceKernel &device, smith::KernelOp kernel)
    : KernelNest(device, kernel) {
  for (auto [d, size] : llvm::enumerate(domain)) {
    bool isReduced =
        llvm::is_contained(kernel.getReduced(), static_cast<int64_t>(d));
    (isReduced ? reducedDimensions : keptDimensions).push_back(d);
    (isReduced ? row : kept).push_back(size);
    (isReduced ? columns : rows) *= size;
  }
  levels = findRowLevels(kernel.getBody().front());
}

bool RowNest::isFull(Value value) const {
  auto type = cast<RankedTensorType>(value.getType());
  return columns > 1 && type.getNumElements() == rows * columns;
}

void RowNest::shareOut() {
  lanes = lanesFor(row.back());
  int64_t groups = columns / lanes;
  // Values of a thread that straight-line code keeps in registers.
  int64_t mostElements = opCount() > 40 ? 8 : opCount() > 16 ? 16 : 32;
  int64_t mostChunks = std::max<int64_t>(1, mostElements / lanes);
  int64_t rounded = static_cast<int64_t>(llvm::PowerOf2Ceil(groups));
  bool hasWarp = groups <= warpSize * std::min<int64_t>(mostChunks, 8) &&
                 (groups <= 2 * warpSize || rows >= fewRows);
  if (hasWarp) {
    threads = std::min(warpSize, rounded);
    int64_t fewest = warpSize / threads, most = usualThreads / threads;
    rowsPerBlock = std::clamp<int64_t>(
        static_cast<int64_t>(llvm::PowerOf2Ceil(rows)), fewest, most);
  } else {
    threads = std::clamp<int64_t>(rounded, 2 * warpSize, usualThreads);
    while (threads < 1024 && ceilDivide(groups, threads) > mostChunks)
      threads *= 2;
    inRegisters = ceilDivide(groups, threads) <= mostChunks;
    if (!inRegisters)
      threads = 512;
  }
  chunks = ceilDivide(groups, threads);
}

LaneIndices RowNest::domainIndex(LaneArithmetic &arithmetic,
                                 const LaneIndex &column) {
  LaneIndices index(domain.size(), LaneIndex::constant(0));
  LaneIndices inner = arithmetic.delinearize(column, row);
  for (auto [d, position] : llvm::zip_equal(keptDimensions, outerIndex))
    index[d] = position;
  for (auto [d, position] : llvm::zip_equal(reducedDimensions, inner))
    index[d] = position;
  for (auto [position, size] : llvm::zip_equal(index, domain))
    if (size == 1)
      position = LaneIndex::constant(0);
  return index;
}

void RowNest::finishLevel(ArrayRef<Operation *> reduces,
                          ValueRange accumulators) {
  SmallVector<std::pair<Value, Value>> found;
  for (Operation *reduce : reduces) {
    unsigned count = reduce->getNumResults();
    SmallVector<Value> total =
        combineLanes(builder, reduce, lanes, accumulators.take_front(count));
    accumulators = accumulators.drop_front(count);
    total = combineThreads(device, reduce, threads, total);
    for (auto [result, value] : llvm::zip_equal(reduce->getResults(), total))
      found.push_back({result, value});
  }
  for (auto [result, value] : found)
    reduced[result] = value;
}

void RowNest::storeFull(ElementEmitter &emitter, const LaneIndex &column,
                        ArrayRef<LaneIndex> index, Value isActive) {
  SmallVector<std::pair<unsigned, Value>> values;
  for (auto [i, result] : llvm::enumerate(yielded()))
    if (isFull(result))
      values.push_back(
          {i, emitter.emit(result, indexFor(shapeOf(result), domain, index))});
  device.guarded(isActive, [&] {
    LaneIndex position = emitter.arithmetic.plus(
        emitter.arithmetic.times(rowNumber, columns), column);
    for (auto [i, value] : values)
      store(emitter.arithmetic, i, position, value);
  });
}

void RowNest::storeRowResults() {
  auto results = yielded();
  if (llvm::all_of(results, [&](Value value) { return isFull(value); }))
    return;
  Value isFirst = place
                      ? arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                              place, device.constant(0))
                      : Value();
  device.guarded(device.both(isFirst, rowIsInside), [&] {
    device.memory.active = {};
    auto knownSums = [&](ElementEmitter &, Value tensor, ArrayRef<LaneIndex>) {
      return hook(tensor);
    };
    ElementEmitter emitter(builder, 1, device.memory, knownSums);
    SmallVector<std::pair<unsigned, Value>> values;
    for (auto [i, result] : llvm::enumerate(results))
      if (!isFull(result))
        values.push_back({i, emitter.emit(result, indexFor(shapeOf(result),
                                                           kept, outerIndex))});
    for (auto [i, value] : values)
      store(emitter.arithmetic, i, rowNumber, value);
  });
}

void RowNest::emitInRegisters() {
  auto knownSums = [&](ElementEmitter &, Value tensor, ArrayRef<LaneIndex>) {
    return hook(tensor);
  };
  ElementEmitter emitter(builder, lanes, device.memory, knownSums);
  LaneIndex first = place
                        ? emitter.arithmetic.times(LaneIndex::at(place), lanes)
                        : LaneIndex::constant(0);
  struct Chunk {
    LaneIndex column;
    LaneIndices index;
    Value isActive;
  };
  // A thread that has no element in a chunk has none in the chunks after it,
  // so what is loaded for a row in one chunk may serve the later ones.
  SmallVector<Chunk> all;
  for (int64_t c = 0; c < chunks; ++c) {
    Chunk chunk;
    int64_t start = c * threads * lanes;
    chunk.column = emitter.arithmetic.plus(first, start);
    chunk.isActive = rowIsInside;
    if (start + threads * lanes > columns)
      chunk.isActive = device.both(
          rowIsInside,
          device.isBelow(emitter.arithmetic.scalar(chunk.column), columns));
    chunk.column.stride = lanes > 1 ? 1 : 0;
    chunk.index = domainIndex(emitter.arithmetic, chunk.column);
    all.push_back(chunk);
  }
  for (ArrayRef<Operation *> reduces : levels) {
    SmallVector<Value> sums;
    device.memory.active = {};
    for (Operation *reduce : reduces)
      llvm::append_range(sums, initialAccumulators(emitter, reduce));
    for (const Chunk &chunk : all) {
      device.memory.active = chunk.isActive;
      SmallVector<Value> next;
      ValueRange remaining(sums);
      for (Operation *reduce : reduces) {
        unsigned count = reduce->getNumResults();
        llvm::append_range(next, accumulate(emitter, reduce, chunk.index,
                                            remaining.take_front(count)));
        remaining = remaining.drop_front(count);
      }
      if (chunk.isActive)
        for (auto [value, before] : llvm::zip_equal(next, sums))
          value =
              arith::SelectOp::create(builder, chunk.isActive, value, before);
      sums = next;
    }
    finishLevel(reduces, sums);
  }
  if (llvm::any_of(yielded(), [&](Value value) { return isFull(value); }))
    for (const Chunk &chunk : all) {
      device.memory.active = chunk.isActive;
      storeFull(emitter, chunk.column, chunk.index, chunk.isActive);
    }
}

void RowNest::emitInLoops() {
  auto knownSums = [&](ElementEmitter &, Value tensor, ArrayRef<LaneIndex>) {
    return hook(tensor);
  };
  auto sweep = [&](ValueRange initial, auto body) {
    LaneArithmetic scalars(builder, 1);
    Value first = scalars.scalar(scalars.times(LaneIndex::at(place), lanes));
    return device.loop(
        first, device.constant(columns), threads * lanes, initial,
        [&](Value position, ValueRange sums) {
          ElementEmitter emitter(builder, lanes, device.memory, knownSums);
          LaneIndex column = LaneIndex::at(position, lanes);
          column.stride = lanes > 1 ? 1 : 0;
          LaneIndices index = domainIndex(emitter.arithmetic, column);
          return body(emitter, column, index, sums);
        });
  };
  for (ArrayRef<Operation *> reduces : levels) {
    SmallVector<Value> initial;
    {
      ElementEmitter emitter(builder, lanes, device.memory, knownSums);
      for (Operation *reduce : reduces)
        llvm::append_range(initial, initialAccumulators(emitter, reduce));
    }
    SmallVector<Value> sums =
        sweep(initial, [&](ElementEmitter &emitter, const LaneIndex &,
                           ArrayRef<LaneIndex> index, ValueRange before) {
          SmallVector<Value> next;
          for (Operation *reduce : reduces) {
            unsigned count = reduce->getNumResults();
            llvm::append_range(next, accumulate(emitter, reduce, index,
                                                before.take_front(count)));
            before = before.drop_front(count);
          }
          return next;
        });
    finishLevel(reduces, sums);
  }
  if (llvm::any_of(yielded(), [&](Value value) { return isFull(value); }))
    sweep({}, [&](ElementEmitter &emitter, const LaneIndex &column,
                  ArrayRef<LaneIndex> index, ValueRange) {
      storeFull(emitter, column, index, {});
      return SmallVector<Value>();
    });
}

void RowNest::emit() {
  shareOut();
  int64_t blocks = ceilDivide(rows, rowsPerBlock);
  device.launch(blocks, threads * rowsPerBlock);
  LaneArithmetic scalars(builder, 1);
  LaneIndex number = LaneIndex::at(device.block);
  if (blocks == 1)
    number = LaneIndex::constant(0);
  if (rowsPerBlock > 1) {
    auto [rowInBlock, inRow] =
        scalars.divide(LaneIndex::at(device.thread), threads);
    number = scalars.plus(scalars.times(number, rowsPerBlock), rowInBlock);
    if (threads > 1)
      place = scalars.scalar(inRow);
    if (rows % rowsPerBlock != 0)
      rowIsInside = device.isBelow(scalars.scalar(number), rows);
  } else {
    place = device.thread;
  }
  rowNumber = number;
  outerIndex = scalars.delinearize(number, kept);
  if (inRegisters)
    emitInRegisters();
  else
    emitInLoops();
  storeRowResults();
}

} // namespace

void emitRows(DeviceKernel &device, smith::KernelOp kernel) {
  RowNest(device, kernel).emit();
}

} // namespace shardsmith::cuda

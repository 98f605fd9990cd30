// SPDX-License-Identifier: Apache-2.0
//
// Kernels that reduce leading dimensions and keep the last one: sums of
// columns. A block is `across` threads along the kept positions, with lanes,
// by `down` threads that share the reduced positions out:
//
//     down   ┌ t0 t1 … ┐  reduced positions 0, down, 2 · down, …
//            │ …       │  1, down + 1, …
//            └─────────┘
//              across      then the rows of threads are halved in shared memory
//
// The order of additions follows from the shape alone, so results are the same
// in every run.

#include "DeviceKernel.h"

#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Support/Quantity.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace shardsmith::cuda {
namespace {

/// About as many as a device has multiprocessors (A100 108, H100 132, B200
/// 148): with fewer, the others wait.
constexpr int64_t enoughBlocks = 128;

class ColumnNest : KernelNest {
public:
  ColumnNest(DeviceKernel &device, smith::KernelOp kernel)
      : KernelNest(device, kernel) {
    for (auto [d, size] : llvm::enumerate(domain)) {
      bool isReduced =
          llvm::is_contained(kernel.getReduced(), static_cast<int64_t>(d));
      (isReduced ? reducedDimensions : keptDimensions).push_back(d);
      (isReduced ? reducedSizes : keptSizes).push_back(size);
      (isReduced ? positions : columns) *= size;
    }
    for (Operation &op : kernel.getBody().front())
      if (isa<stablehlo::ReduceOp>(op))
        reduces.push_back(&op);
  }
  void emit();

private:
  void shareOut();
  SmallVector<Value> initial(ElementEmitter::Hook hook);
  SmallVector<Value> combineRows(ValueRange sums);

  SmallVector<int64_t> keptDimensions, reducedDimensions, keptSizes,
      reducedSizes;
  int64_t columns = 1, positions = 1;
  SmallVector<Operation *> reduces;
  int64_t lanes = 1, across = 1, down = 1;
  Value acrossNumber, downNumber;
};

void ColumnNest::shareOut() {
  lanes = lanesFor(keptSizes.back());
  // Neighbouring threads fill sectors with one element each, too.
  while (lanes > 1 && columns < lanes * warpSize * enoughBlocks)
    lanes /= 2;
  int64_t bytes = 0;
  for (Operation *reduce : reduces)
    for (Type type : reduce->getResultTypes())
      bytes += storageBytes(registerType(getElementTypeOrSelf(type)));
  while (lanes > 1 && bytes * lanes * usualThreads > sharedBytes)
    lanes /= 2;
  int64_t most = usualThreads;
  while (most > warpSize && bytes * lanes * most > sharedBytes)
    most /= 2;
  auto rounded = [](int64_t size) {
    return static_cast<int64_t>(llvm::PowerOf2Ceil(size));
  };
  across = std::min(warpSize, rounded(columns / lanes));
  down = std::min(most / across, rounded(positions));
  // Whole warps, and no thread without work before there is one.
  across = std::max(across, warpSize / down);
}

SmallVector<Value> ColumnNest::initial(ElementEmitter::Hook hook) {
  ElementEmitter emitter(builder, lanes, device.memory, hook);
  SmallVector<Value> all;
  for (Operation *reduce : reduces)
    llvm::append_range(all, initialAccumulators(emitter, reduce));
  return all;
}

// sums[t] += sums[t + half] for the upper half of the rows of threads, until
// one is left. Lane l of thread t is at l · threads + t: neighbours use
// different banks.
SmallVector<Value> ColumnNest::combineRows(ValueRange sums) {
  int64_t threads = across * down;
  SmallVector<Value> places;
  for (Value sum : sums)
    places.push_back(device.shared(threads * lanes, laneType(sum)));
  auto position = [&](int64_t lane, int64_t rowsBelow) {
    return arith::AddIOp::create(
        builder, device.thread,
        device.constant(lane * threads + rowsBelow * across));
  };
  auto put = [&](ValueRange values) {
    for (auto [place, value] : llvm::zip_equal(places, values))
      for (int64_t lane = 0; lane < lanes; ++lane)
        device.storeShared(place, position(lane, 0),
                           lanes == 1 ? value
                                      : Value(vector::ExtractOp::create(
                                            builder, value, lane)));
  };
  auto get = [&](int64_t rowsBelow) {
    SmallVector<Value> values;
    for (auto [place, sum] : llvm::zip_equal(places, sums)) {
      SmallVector<Value> elements;
      for (int64_t lane = 0; lane < lanes; ++lane)
        elements.push_back(
            device.loadShared(place, position(lane, rowsBelow), laneType(sum)));
      values.push_back(lanes == 1 ? elements.front()
                                  : Value(vector::FromElementsOp::create(
                                        builder, sum.getType(), elements)));
    }
    return values;
  };
  put(sums);
  for (int64_t half = down / 2; half > 0; half /= 2) {
    device.barrier();
    device.guarded(device.isBelow(downNumber, half), [&] {
      SmallVector<Value> mine = get(0), others = get(half), next;
      ValueRange left(mine), right(others);
      for (Operation *reduce : reduces) {
        unsigned count = reduce->getNumResults();
        llvm::append_range(next, combine(builder, reduce, lanes,
                                         left.take_front(count),
                                         right.take_front(count)));
        left = left.drop_front(count);
        right = right.drop_front(count);
      }
      put(next);
    });
  }
  // Only the first row of threads reads, what it has written itself.
  return get(0);
}

void ColumnNest::emit() {
  shareOut();
  int64_t groups = columns / lanes;
  device.launch(ceilDivide(groups, across), across * down);
  LaneArithmetic scalars(builder, 1);
  auto [row, column] = scalars.divide(LaneIndex::at(device.thread), across);
  downNumber = scalars.scalar(row);
  acrossNumber = scalars.scalar(column);
  Value group = arith::AddIOp::create(
      builder,
      arith::MulIOp::create(builder, device.block, device.constant(across)),
      acrossNumber);
  Value isInside =
      groups % across == 0 ? Value() : device.isBelow(group, groups);

  LaneArithmetic arithmetic(builder, lanes);
  LaneIndex linear = arithmetic.times(LaneIndex::at(group), lanes);
  linear.stride = lanes > 1 ? 1 : 0;
  LaneIndices kept = arithmetic.delinearize(linear, keptSizes);

  auto noHook = [](ElementEmitter &, Value, ArrayRef<LaneIndex>) -> Value {
    return {};
  };
  device.memory.active = isInside;
  SmallVector<Value> sums = device.loop(
      downNumber, device.constant(positions), down, initial(noHook),
      [&](Value position, ValueRange before) {
        ElementEmitter emitter(builder, lanes, device.memory, noHook);
        LaneIndices index(domain.size(), LaneIndex::constant(0));
        LaneIndices reduced = emitter.arithmetic.delinearize(
            LaneIndex::at(position), reducedSizes);
        for (auto [d, at] : llvm::zip_equal(reducedDimensions, reduced))
          index[d] = at;
        for (auto [d, at] : llvm::zip_equal(keptDimensions, kept))
          index[d] = at;
        SmallVector<Value> next;
        for (Operation *reduce : reduces) {
          unsigned count = reduce->getNumResults();
          llvm::append_range(next, accumulate(emitter, reduce, index,
                                              before.take_front(count)));
          before = before.drop_front(count);
        }
        return next;
      });
  device.memory.active = {};
  if (down > 1)
    sums = combineRows(sums);

  DenseMap<Value, Value> reduced;
  ValueRange remaining(sums);
  for (Operation *reduce : reduces)
    for (Value result : reduce->getResults()) {
      reduced[result] = remaining.front();
      remaining = remaining.drop_front();
    }
  Value isFirst =
      down == 1 ? Value()
                : Value(arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                              downNumber, device.constant(0)));
  device.guarded(device.both(isFirst, isInside), [&] {
    auto knownSums = [&](ElementEmitter &, Value tensor, ArrayRef<LaneIndex>) {
      return reduced.lookup(tensor);
    };
    ElementEmitter emitter(builder, lanes, device.memory, knownSums);
    SmallVector<Value> values;
    for (Value result : yielded())
      values.push_back(
          emitter.emit(result, indexFor(shapeOf(result), keptSizes, kept)));
    for (auto [i, value] : llvm::enumerate(values))
      store(emitter.arithmetic, i, linear, value);
  });
}

} // namespace

void emitColumns(DeviceKernel &device, smith::KernelOp kernel) {
  ColumnNest(device, kernel).emit();
}

} // namespace shardsmith::cuda

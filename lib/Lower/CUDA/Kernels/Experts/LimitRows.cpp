// SPDX-License-Identifier: Apache-2.0
//
// Which rows an expert takes. A thread has one row and counts those before it,
// of the same sample and the same expert:
//
//     kept = count < capacity ? expert : −1
//
// Rows are numbered in the order of the sequence, in zigzag as well: only where
// they are in memory differs then.
//
// All threads of a warp read the same row before, which the cache gives to
// them at once. A block has rows of one sample; where dropped rows are counted,
// it adds its own to the counter that has the block's number, which no other
// block of any launch touches meanwhile.

#include "../Integers.h"
#include "../OwnFunctions.h"
#include "WarpCount.h"

#include "shardsmith/Dialect/Smith/RowOps.h"
#include "shardsmith/Support/Quantity.h"
#include "shardsmith/Support/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace shardsmith::cuda {
namespace {

struct LimitShape {
  explicit LimitShape(smith::LimitRowsOp op)
      : samples(shapeOf(op.getExperts())[0]), rows(shapeOf(op.getExperts())[1]),
        threads(std::min<int64_t>(
            usualThreads, static_cast<int64_t>(llvm::alignTo(rows, warpSize)))),
        blocksOfSample(ceilDivide(rows, threads)) {}

  int64_t samples, rows, threads, blocksOfSample;
};

class LimitNest {
public:
  LimitNest(DeviceKernel &device, smith::LimitRowsOp op)
      : device(device), builder(device.builder), integers(device), op(op),
        scalars(builder, 1), shape(op) {}
  void emit();

private:
  /// Where a row of the sequence is in its sample.
  Value placeOf(Value row);
  Value expertAt(Value place) {
    return device.memory.load(builder, scalars, op.getExperts(),
                              LaneIndex::at(place));
  }
  Value integer(int64_t value) {
    return arith::ConstantOp::create(builder, builder.getI32IntegerAttr(value));
  }
  /// Adds up who has dropped a row, and adds the sum to the block's counter.
  void addToCounter(Value isDropped);

  DeviceKernel &device;
  ImplicitLocOpBuilder &builder;
  Integers integers;
  smith::LimitRowsOp op;
  LaneArithmetic scalars;
  LimitShape shape;
};

/// Of 2n parts of the rows, part q is the first one of rank q or, in the second
/// half, the second one of rank 2n − 1 − q.
Value LimitNest::placeOf(Value row) {
  if (!op.getZigzag())
    return row;
  int64_t ranks = static_cast<int64_t>(*op.getZigzag());
  int64_t size = shape.rows / (2 * ranks);
  Value part = integers.quotient(row, size);
  Value twice = integers.times(part, 2);
  Value place = integers.smaller(
      twice, integers.minus(device.constant(4 * ranks - 1), twice));
  return integers.plus(integers.times(place, size),
                       integers.remainder(row, size));
}

void LimitNest::addToCounter(Value isDropped) {
  int64_t warps = shape.threads / warpSize;
  Type i32 = builder.getI32Type();
  Value ofWarps = device.shared(warps, i32);
  Value lane = integers.remainder(device.thread, warpSize);
  Value own = arith::ExtUIOp::create(builder, i32, isDropped);
  for (int64_t offset = warpSize / 2; offset > 0; offset /= 2)
    own = arith::AddIOp::create(builder, own,
                                exchangeInWarp(builder, own, offset));
  device.guarded(device.isBelow(lane, 1), [&] {
    device.storeShared(ofWarps, integers.quotient(device.thread, warpSize),
                       own);
  });
  device.barrier();
  device.guarded(device.isBelow(device.thread, 1), [&] {
    LaneIndex place = LaneIndex::at(device.block);
    Value sum =
        DeviceMemory::loadFrom(builder, scalars, device.buffer(2), i32, place);
    for (int64_t warp = 0; warp < warps; ++warp)
      sum = arith::AddIOp::create(
          builder, sum, device.loadShared(ofWarps, device.constant(warp), i32));
    DeviceMemory::store(builder, scalars, device.buffer(2), i32, place, sum);
  });
}

void LimitNest::emit() {
  device.launch(shape.samples * shape.blocksOfSample, shape.threads);
  Value sample = integers.quotient(device.block, shape.blocksOfSample);
  Value firstOfBlock = integers.times(
      integers.remainder(device.block, shape.blocksOfSample), shape.threads);
  Value row = integers.plus(firstOfBlock, device.thread);
  Value exists = shape.rows % shape.threads == 0
                     ? Value()
                     : device.isBelow(row, shape.rows);
  Value firstOfSample = integers.times(sample, shape.rows);
  device.memory.active = exists;
  Value place = integers.plus(firstOfSample, placeOf(row));
  Value own = expertAt(place);
  device.memory.active = {};
  // No row of the block has more rows before it.
  Value end = integers.smaller(integers.plus(firstOfBlock, shape.threads - 1),
                               device.constant(shape.rows));
  Value before =
      device
          .loop(device.constant(0), end, 1, device.constant(0),
                [&](Value other, ValueRange before) {
                  Value isSame = arith::CmpIOp::create(
                      builder, arith::CmpIPredicate::eq,
                      expertAt(integers.plus(firstOfSample, placeOf(other))),
                      own);
                  Value counts =
                      device.both(isSame, integers.isBelow(other, row));
                  return SmallVector<Value>{
                      integers.plus(before.front(), integers.widened(counts))};
                })
          .front();
  Value isExpert = arith::CmpIOp::create(builder, arith::CmpIPredicate::sge,
                                         own, integer(0));
  Value isOver = arith::CmpIOp::create(
      builder, arith::CmpIPredicate::sge, before,
      device.constant(static_cast<int64_t>(op.getCapacity())));
  Value isDropped = device.both(device.both(isExpert, isOver), exists);
  device.guarded(exists, [&] {
    Value kept = arith::SelectOp::create(builder, isDropped, integer(-1), own);
    DeviceMemory::store(builder, scalars, device.buffer(1),
                        builder.getI32Type(), LaneIndex::at(place), kept);
  });
  if (op.getCounts())
    addToCounter(isDropped);
}

} // namespace

int64_t countersOf(Operation *op) {
  auto limit = dyn_cast<smith::LimitRowsOp>(op);
  if (!limit || !limit.getCounts())
    return 0;
  LimitShape shape(limit);
  return shape.samples * shape.blocksOfSample;
}

void emitLimitRows(DeviceKernel &device, Operation *op) {
  LimitNest(device, cast<smith::LimitRowsOp>(op)).emit();
}

} // namespace shardsmith::cuda

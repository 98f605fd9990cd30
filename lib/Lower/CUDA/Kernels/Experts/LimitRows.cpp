// SPDX-License-Identifier: Apache-2.0
//
// Which rows an expert takes. A warp has one expert of one sample and goes
// through the sample's rows, 32 at a time, in the order of the sequence:
//
//     kept = own rows before < capacity ? expert : −1
//
// One more warp of each sample has the rows whose expert is none, which stay as
// they are. Rows are numbered in the order of the sequence, in zigzag as well:
// only where they are in memory differs then.
//
// Where dropped rows are counted, a warp adds its own to the counter that has
// the warp's number, which no other warp of any launch touches meanwhile.

#include "../OwnFunctions.h"
#include "ExpertWarps.h"
#include "WarpCount.h"

#include "shardsmith/Dialect/Smith/RowOps.h"
#include "shardsmith/Support/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace shardsmith::cuda {
namespace {

class LimitNest {
public:
  LimitNest(DeviceKernel &device, smith::LimitRowsOp op)
      : device(device), builder(device.builder), integers(device), op(op),
        scalars(builder, 1), rows(shapeOf(op.getExperts())[1]),
        capacity(static_cast<int64_t>(op.getCapacity())),
        warps(device, shapeOf(op.getExperts())[0],
              static_cast<int64_t>(op.getAmong())) {}
  void emit();

private:
  /// Where a row of the sequence is in its sample.
  Value placeOf(Value row);
  /// 32 rows from `first` on, behind `before` rows of the warp's expert; how
  /// many there are behind these.
  Value limitRows(Value first, Value before);
  void storeInteger(unsigned buffer, Value place, Value value) {
    DeviceMemory::store(builder, scalars, device.buffer(buffer),
                        builder.getI32Type(), LaneIndex::at(place), value);
  }
  void addToCounter(Value rowsOfExpert);

  DeviceKernel &device;
  ImplicitLocOpBuilder &builder;
  Integers integers;
  smith::LimitRowsOp op;
  LaneArithmetic scalars;
  int64_t rows, capacity;
  ExpertWarps warps;
  /// Whether the warp has an expert, and not the rows that have none.
  Value isSome;
};

/// Of 2n parts of the rows, part q is the first one of rank q or, in the second
/// half, the second one of rank 2n − 1 − q.
Value LimitNest::placeOf(Value row) {
  if (!op.getZigzag())
    return row;
  int64_t ranks = static_cast<int64_t>(*op.getZigzag());
  int64_t size = rows / (2 * ranks);
  Value part = integers.quotient(row, size);
  Value twice = integers.times(part, 2);
  Value place = integers.smaller(
      twice, integers.minus(device.constant(4 * ranks - 1), twice));
  return integers.plus(integers.times(place, size),
                       integers.remainder(row, size));
}

Value LimitNest::limitRows(Value first, Value before) {
  Value row = integers.plus(first, warps.lane);
  Value isThere = device.both(device.isBelow(row, rows), warps.exists);
  Value place = integers.plus(integers.times(warps.sample, rows), placeOf(row));
  Value isOwn = device.both(
      isThere, integers.isEqual(warps.expertAt(op.getExperts(), place, isThere),
                                warps.expert));
  WarpCount own = countInWarp(integers, warps.lane, isOwn);
  Value isOver = arith::CmpIOp::create(builder, arith::CmpIPredicate::sge,
                                       integers.plus(before, own.before),
                                       device.constant(capacity));
  device.guarded(isOwn, [&] {
    Value number = device.memory.load(builder, scalars, op.getExperts(),
                                      LaneIndex::at(place));
    Value none =
        arith::ConstantOp::create(builder, builder.getI32IntegerAttr(-1));
    storeInteger(1, place,
                 arith::SelectOp::create(builder, device.both(isSome, isOver),
                                         none, number));
  });
  return integers.plus(before, own.all);
}

void LimitNest::addToCounter(Value rowsOfExpert) {
  Value isFirst = device.both(device.isBelow(warps.lane, 1),
                              device.both(isSome, warps.exists));
  device.guarded(isFirst, [&] {
    Type i32 = builder.getI32Type();
    Value kept = integers.smaller(rowsOfExpert, device.constant(capacity));
    Value dropped = arith::TruncIOp::create(builder, i32,
                                            integers.minus(rowsOfExpert, kept));
    Value sum = DeviceMemory::loadFrom(builder, scalars, device.buffer(2), i32,
                                       LaneIndex::at(warps.warp));
    storeInteger(2, warps.warp, arith::AddIOp::create(builder, sum, dropped));
  });
}

void LimitNest::emit() {
  isSome = device.isBelow(warps.expert, warps.experts);
  Value rowsOfExpert =
      device
          .loop(device.constant(0), device.constant(rows), warpSize,
                device.constant(0),
                [&](Value first, ValueRange before) {
                  return SmallVector<Value>{limitRows(first, before.front())};
                })
          .front();
  if (op.getCounts())
    addToCounter(rowsOfExpert);
}

} // namespace

int64_t countersOf(Operation *op) {
  auto limit = dyn_cast<smith::LimitRowsOp>(op);
  if (!limit || !limit.getCounts())
    return 0;
  return ExpertWarps::countOf(shapeOf(limit.getExperts())[0],
                              static_cast<int64_t>(limit.getAmong()));
}

void emitLimitRows(DeviceKernel &device, Operation *op) {
  LimitNest(device, cast<smith::LimitRowsOp>(op)).emit();
}

} // namespace shardsmith::cuda

// SPDX-License-Identifier: Apache-2.0
//
// Where rows are among those of the rank of their expert. A warp has one expert
// of one sample, and goes through the sample's rows twice:
//
//     before   rows whose expert is in the same part and comes first
//     own      rows of its expert
//
//     ends = before + own        slot of its i-th row = before + i
//
// One more warp of each sample has the rows whose expert is none.

#include "../OwnFunctions.h"
#include "WarpCount.h"

#include "shardsmith/Dialect/Smith/RowOps.h"
#include "shardsmith/Support/Quantity.h"
#include "shardsmith/Support/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace shardsmith::cuda {
namespace {

constexpr int64_t warpsOfBlock = 4;

class PlaceNest {
public:
  PlaceNest(DeviceKernel &device, smith::PlaceRowsOp op)
      : device(device), builder(device.builder), integers(device), op(op),
        scalars(builder, 1), samples(shapeOf(op.getExperts())[0]),
        rows(shapeOf(op.getExperts())[1]), parts(shapeOf(op.getEnds())[0]),
        perPart(shapeOf(op.getEnds())[2]) {}
  void emit();

private:
  /// The expert of a row of the sample; `parts · perPart` for none.
  Value expertOf(Value row, Value exists);
  void storeInteger(unsigned buffer, Value place, Value value);
  void placeOwn(Value before);

  DeviceKernel &device;
  ImplicitLocOpBuilder &builder;
  Integers integers;
  smith::PlaceRowsOp op;
  LaneArithmetic scalars;
  int64_t samples, rows, parts, perPart;
  /// Of the warp; `exists` is null where all warps have something to do.
  Value lane, exists, sample, expert, part;
};

Value PlaceNest::expertOf(Value row, Value isThere) {
  Value position = integers.plus(integers.times(sample, rows), row);
  device.memory.active = isThere;
  Value named = device.memory.load(builder, scalars, op.getExperts(),
                                   LaneIndex::at(position));
  device.memory.active = {};
  // As unsigned numbers, negative ones are large.
  return arith::MinUIOp::create(builder, integers.widened(named),
                                device.constant(parts * perPart));
}

void PlaceNest::storeInteger(unsigned buffer, Value place, Value value) {
  Type i32 = builder.getI32Type();
  DeviceMemory::store(builder, scalars, device.buffer(buffer), i32,
                      LaneIndex::at(place),
                      arith::TruncIOp::create(builder, i32, value));
}

void PlaceNest::placeOwn(Value before) {
  auto count = static_cast<int64_t>(op.getCount());
  Value isSome = device.isBelow(expert, parts * perPart);
  auto place = [&](Value first, ValueRange placed) {
    Value row = integers.plus(first, lane);
    Value isThere = device.both(device.isBelow(row, rows), exists);
    Value isOwn =
        device.both(isThere, integers.isEqual(expertOf(row, isThere), expert));
    WarpCount own = countInWarp(integers, lane, isOwn);
    device.guarded(isOwn, [&] {
      Value position = integers.plus(placed.front(), own.before);
      Value slot = arith::SelectOp::create(
          builder, device.both(isSome, device.isBelow(position, count)),
          integers.plus(integers.times(part, count), position),
          device.constant(-1));
      storeInteger(1, integers.plus(integers.times(sample, rows), row), slot);
    });
    return SmallVector<Value>{integers.plus(placed.front(), own.all)};
  };
  device.loop(device.constant(0), device.constant(rows), warpSize, before,
              place);
}

void PlaceNest::emit() {
  int64_t experts = parts * perPart;
  int64_t warps = samples * (experts + 1);
  device.launch(ceilDivide(warps, warpsOfBlock), warpsOfBlock * warpSize);
  lane = integers.remainder(device.thread, warpSize);
  Value warp = integers.plus(integers.times(device.block, warpsOfBlock),
                             integers.quotient(device.thread, warpSize));
  if (warps % warpsOfBlock != 0)
    exists = device.isBelow(warp, warps);
  sample = integers.quotient(warp, experts + 1);
  expert = integers.remainder(warp, experts + 1);
  part = integers.quotient(expert, perPart);
  Value firstOfPart = integers.times(part, perPart);
  auto count = [&](Value row, ValueRange counts) {
    Value named = expertOf(row, exists);
    Value isBefore =
        device.both(integers.isBelow(named, expert),
                    arith::CmpIOp::create(builder, arith::CmpIPredicate::sge,
                                          named, firstOfPart));
    Value isOwn = integers.isEqual(named, expert);
    return SmallVector<Value>{
        integers.plus(counts[0], integers.widened(isBefore)),
        integers.plus(counts[1], integers.widened(isOwn))};
  };
  Value zero = device.constant(0);
  SmallVector<Value> counts =
      device.loop(lane, device.constant(rows), warpSize, {zero, zero}, count);
  Value before = sumInWarp(integers, counts[0]);
  Value own = sumInWarp(integers, counts[1]);
  Value writesEnd =
      device.both(exists, device.both(device.isBelow(lane, 1),
                                      device.isBelow(expert, experts)));
  device.guarded(writesEnd, [&] {
    Value end =
        integers.smaller(integers.plus(before, own),
                         device.constant(static_cast<int64_t>(op.getCount())));
    Value line = integers.plus(integers.times(part, samples), sample);
    storeInteger(2,
                 integers.plus(integers.times(line, perPart),
                               integers.minus(expert, firstOfPart)),
                 end);
  });
  placeOwn(before);
}

} // namespace

void emitPlaceRows(DeviceKernel &device, Operation *op) {
  PlaceNest(device, cast<smith::PlaceRowsOp>(op)).emit();
}

} // namespace shardsmith::cuda

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
#include "ExpertWarps.h"
#include "WarpCount.h"

#include "shardsmith/Dialect/Smith/RowOps.h"
#include "shardsmith/Support/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace shardsmith::cuda {
namespace {

class PlaceNest {
public:
  PlaceNest(DeviceKernel &device, smith::PlaceRowsOp op)
      : device(device), builder(device.builder), integers(device), op(op),
        scalars(builder, 1), samples(shapeOf(op.getExperts())[0]),
        rows(shapeOf(op.getExperts())[1]), perPart(shapeOf(op.getEnds())[2]),
        warps(device, samples, shapeOf(op.getEnds())[0] * perPart) {}
  void emit();

private:
  Value placeOf(Value row) {
    return integers.plus(integers.times(warps.sample, rows), row);
  }
  void storeInteger(unsigned buffer, Value place, Value value);
  void placeOwn(Value before);

  DeviceKernel &device;
  ImplicitLocOpBuilder &builder;
  Integers integers;
  smith::PlaceRowsOp op;
  LaneArithmetic scalars;
  int64_t samples, rows, perPart;
  ExpertWarps warps;
  /// That of the warp's expert.
  Value part;
};

void PlaceNest::storeInteger(unsigned buffer, Value place, Value value) {
  Type i32 = builder.getI32Type();
  DeviceMemory::store(builder, scalars, device.buffer(buffer), i32,
                      LaneIndex::at(place),
                      arith::TruncIOp::create(builder, i32, value));
}

void PlaceNest::placeOwn(Value before) {
  auto count = static_cast<int64_t>(op.getCount());
  Value isSome = device.isBelow(warps.expert, warps.experts);
  auto place = [&](Value first, ValueRange placed) {
    Value row = integers.plus(first, warps.lane);
    Value isThere = device.both(device.isBelow(row, rows), warps.exists);
    Value named = warps.expertAt(op.getExperts(), placeOf(row), isThere);
    Value isOwn = device.both(isThere, integers.isEqual(named, warps.expert));
    WarpCount own = countInWarp(integers, warps.lane, isOwn);
    device.guarded(isOwn, [&] {
      Value position = integers.plus(placed.front(), own.before);
      Value slot = arith::SelectOp::create(
          builder, device.both(isSome, device.isBelow(position, count)),
          integers.plus(integers.times(part, count), position),
          device.constant(-1));
      storeInteger(1, placeOf(row), slot);
    });
    return SmallVector<Value>{integers.plus(placed.front(), own.all)};
  };
  device.loop(device.constant(0), device.constant(rows), warpSize, before,
              place);
}

void PlaceNest::emit() {
  part = integers.quotient(warps.expert, perPart);
  Value firstOfPart = integers.times(part, perPart);
  auto count = [&](Value row, ValueRange counts) {
    Value named = warps.expertAt(op.getExperts(), placeOf(row), warps.exists);
    Value isBefore =
        device.both(integers.isBelow(named, warps.expert),
                    arith::CmpIOp::create(builder, arith::CmpIPredicate::sge,
                                          named, firstOfPart));
    Value isOwn = integers.isEqual(named, warps.expert);
    return SmallVector<Value>{
        integers.plus(counts[0], integers.widened(isBefore)),
        integers.plus(counts[1], integers.widened(isOwn))};
  };
  Value zero = device.constant(0);
  SmallVector<Value> counts = device.loop(warps.lane, device.constant(rows),
                                          warpSize, {zero, zero}, count);
  Value before = sumInWarp(integers, counts[0]);
  Value own = sumInWarp(integers, counts[1]);
  Value writesEnd = device.both(
      warps.exists, device.both(device.isBelow(warps.lane, 1),
                                device.isBelow(warps.expert, warps.experts)));
  device.guarded(writesEnd, [&] {
    Value end =
        integers.smaller(integers.plus(before, own),
                         device.constant(static_cast<int64_t>(op.getCount())));
    Value line = integers.plus(integers.times(part, samples), warps.sample);
    storeInteger(2,
                 integers.plus(integers.times(line, perPart),
                               integers.minus(warps.expert, firstOfPart)),
                 end);
  });
  placeOwn(before);
}

} // namespace

void emitPlaceRows(DeviceKernel &device, Operation *op) {
  PlaceNest(device, cast<smith::PlaceRowsOp>(op)).emit();
}

} // namespace shardsmith::cuda

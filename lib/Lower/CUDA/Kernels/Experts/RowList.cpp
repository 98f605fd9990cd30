// SPDX-License-Identifier: Apache-2.0

#include "RowList.h"

#include "WarpCount.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace shardsmith::cuda {

RowList::RowList(DeviceKernel &device, Value groups, int64_t groupCount,
                 int64_t rows)
    : device(device), builder(device.builder), integers(device), groups(groups),
      lane(integers.remainder(device.thread, warpSize)),
      isFirstWarp(device.isBelow(device.thread, warpSize)),
      numbers(device.shared(std::min(rows, mostRows), builder.getI32Type())),
      groupCount(groupCount) {}

// Every warp goes through all rows, so that all know the number; the first one
// writes.
Value RowList::collect(Value begin, Value end, Value group) {
  first = begin;
  LaneArithmetic scalars(builder, 1);
  auto visit = [&](Value start, ValueRange count) {
    Value row = integers.plus(start, lane);
    Value isThere = integers.isBelow(row, end);
    device.memory.active = isThere;
    Value named =
        device.memory.load(builder, scalars, groups, LaneIndex::at(row));
    device.memory.active = {};
    // As unsigned numbers, negative ones are large.
    named = arith::MinUIOp::create(builder, integers.widened(named),
                                   device.constant(groupCount));
    Value isOurs = device.both(isThere, integers.isEqual(named, group));
    auto [before, all] = countInWarp(integers, lane, isOurs);
    device.guarded(device.both(isOurs, isFirstWarp), [&] {
      device.storeShared(numbers, integers.plus(count.front(), before),
                         arith::TruncIOp::create(builder, builder.getI32Type(),
                                                 integers.minus(row, begin)));
    });
    return SmallVector<Value>{integers.plus(count.front(), all)};
  };
  return device.loop(begin, end, warpSize, device.constant(0), visit).front();
}

Value RowList::at(Value place, Value condition) {
  auto load = [&] {
    Value number = integers.widened(
        device.loadShared(numbers, place, builder.getI32Type()));
    return integers.plus(number, first);
  };
  if (!condition)
    return load();
  auto branch =
      scf::IfOp::create(builder, builder.getI64Type(), condition, true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, load());
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, device.constant(0));
  return branch.getResult(0);
}

} // namespace shardsmith::cuda

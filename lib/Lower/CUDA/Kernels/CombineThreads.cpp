// SPDX-License-Identifier: Apache-2.0
//
// Threads of a warp exchange accumulators with the thread whose number differs
// in one bit, from the highest bit down; afterwards all have the same:
//
//     0 1 2 3 4 5 6 7     offset 4: 0↔4 1↔5 2↔6 3↔7
//                         offset 2: 0↔2 1↔3 …        offset 1: 0↔1 …
//
// Warps then exchange through shared memory: each leaves its result, and every
// warp combines all of them in the same way.

#include "DeviceKernel.h"

#include "shardsmith/Dialect/StableHLO/Matching.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace shardsmith::cuda {
namespace {

/// True if it makes no difference which of two accumulators comes first.
bool isSymmetric(Operation *reduce) {
  Operation *combiner =
      stablehlo::matchCombiner(cast<stablehlo::ReduceOp>(reduce).getBody());
  return isa_and_nonnull<stablehlo::AddOp, stablehlo::AndOp, stablehlo::MaxOp,
                         stablehlo::MinOp, stablehlo::MulOp, stablehlo::OrOp>(
      combiner);
}

/// Exchanges within groups of `count` threads, at most a warp.
SmallVector<Value> combineWarp(DeviceKernel &device, Operation *reduce,
                               int64_t count, ValueRange accumulators) {
  ImplicitLocOpBuilder &b = device.builder;
  SmallVector<Value> mine(accumulators);
  bool ordered = !isSymmetric(reduce);
  for (int64_t offset = count / 2; offset > 0; offset /= 2) {
    SmallVector<Value> others;
    for (Value value : mine)
      others.push_back(exchangeInWarp(b, value, offset));
    if (!ordered) {
      mine = combine(b, reduce, 1, mine, others);
      continue;
    }
    // The thread with the lower number is on the left for both.
    Value bit =
        arith::AndIOp::create(b, device.thread, device.constant(offset));
    Value isUpper = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit,
                                          device.constant(0));
    SmallVector<Value> left, right;
    for (auto [own, other] : llvm::zip_equal(mine, others)) {
      left.push_back(arith::SelectOp::create(b, isUpper, other, own));
      right.push_back(arith::SelectOp::create(b, isUpper, own, other));
    }
    mine = combine(b, reduce, 1, left, right);
  }
  return mine;
}

} // namespace

// Shuffles move 32 bits.
Value exchangeInWarp(ImplicitLocOpBuilder &b, Value value, int64_t offset) {
  Type type = value.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  auto move = [&](Value bits) -> Value {
    return gpu::ShuffleOp::create(b, bits, static_cast<int32_t>(offset),
                                  static_cast<int32_t>(warpSize),
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  if (width == 32)
    return move(value);
  Type i32 = b.getI32Type();
  if (width < 32) {
    Value wide = arith::ExtUIOp::create(b, i32, value);
    return arith::TruncIOp::create(b, type, move(wide));
  }
  Type i64 = b.getI64Type();
  Value bits =
      type.isInteger() ? value : Value(arith::BitcastOp::create(b, i64, value));
  Value half =
      arith::ConstantOp::create(b, b.getIntegerAttr(i64, 32)).getResult();
  Value low = move(arith::TruncIOp::create(b, i32, bits));
  Value high = move(
      arith::TruncIOp::create(b, i32, arith::ShRUIOp::create(b, bits, half)));
  Value moved = arith::OrIOp::create(
      b, arith::ShLIOp::create(b, arith::ExtUIOp::create(b, i64, high), half),
      arith::ExtUIOp::create(b, i64, low));
  return type.isInteger() ? moved
                          : Value(arith::BitcastOp::create(b, type, moved));
}

SmallVector<Value> combineThreads(DeviceKernel &device, Operation *reduce,
                                  int64_t count, ValueRange accumulators) {
  ImplicitLocOpBuilder &b = device.builder;
  SmallVector<Value> mine =
      combineWarp(device, reduce, std::min(count, warpSize), accumulators);
  if (count <= warpSize)
    return mine;
  int64_t warps = count / warpSize;
  Value size = device.constant(warpSize);
  Value warp = arith::DivUIOp::create(b, device.thread, size);
  Value lane = arith::RemUIOp::create(b, device.thread, size);
  SmallVector<Value> places;
  for (Value value : mine)
    places.push_back(device.shared(warps, value.getType()));
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane,
                                        device.constant(0));
  device.guarded(isFirst, [&] {
    for (auto [place, value] : llvm::zip_equal(places, mine))
      device.storeShared(place, warp, value);
  });
  device.barrier();
  Value from = arith::RemUIOp::create(b, lane, device.constant(warps));
  SmallVector<Value> all;
  for (auto [place, value] : llvm::zip_equal(places, mine))
    all.push_back(device.loadShared(place, from, value.getType()));
  return combineWarp(device, reduce, warps, all);
}

} // namespace shardsmith::cuda

// SPDX-License-Identifier: Apache-2.0

#include "ExpertWarps.h"

#include "shardsmith/Support/Quantity.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace shardsmith::cuda {

constexpr int64_t warpsOfBlock = 4;

ExpertWarps::ExpertWarps(DeviceKernel &device, int64_t samples, int64_t experts)
    : device(device), experts(experts) {
  int64_t count = countOf(samples, experts);
  device.launch(ceilDivide(count, warpsOfBlock), warpsOfBlock * warpSize);
  Integers integers(device);
  lane = integers.remainder(device.thread, warpSize);
  warp = integers.plus(integers.times(device.block, warpsOfBlock),
                       integers.quotient(device.thread, warpSize));
  if (count % warpsOfBlock != 0)
    exists = device.isBelow(warp, count);
  sample = integers.quotient(warp, experts + 1);
  expert = integers.remainder(warp, experts + 1);
}

Value ExpertWarps::expertAt(Value numbers, Value place, Value isThere) {
  LaneArithmetic scalars(device.builder, 1);
  device.memory.active = isThere;
  Value named = device.memory.load(device.builder, scalars, numbers,
                                   LaneIndex::at(place));
  device.memory.active = {};
  // As unsigned numbers, negative ones are large.
  return arith::MinUIOp::create(device.builder, Integers(device).widened(named),
                                device.constant(experts));
}

} // namespace shardsmith::cuda

// SPDX-License-Identifier: Apache-2.0

#include "WarpCount.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace shardsmith::cuda {

// Among 2, 4, 8 … neighbours: the upper half has those of the lower before it.
WarpCount countInWarp(Integers integers, Value lane, Value condition) {
  DeviceKernel &device = integers.device;
  ImplicitLocOpBuilder &builder = device.builder;
  Value zero = arith::ConstantOp::create(builder, builder.getI32IntegerAttr(0));
  Value before = zero;
  Value all = arith::ExtUIOp::create(builder, builder.getI32Type(), condition);
  for (int64_t offset = 1; offset < warpSize; offset *= 2) {
    Value others = exchangeInWarp(builder, all, offset);
    Value isUpper = arith::CmpIOp::create(
        builder, arith::CmpIPredicate::ne,
        arith::AndIOp::create(builder, lane, device.constant(offset)),
        device.constant(0));
    before = arith::AddIOp::create(
        builder, before,
        arith::SelectOp::create(builder, isUpper, others, zero));
    all = arith::AddIOp::create(builder, all, others);
  }
  return {integers.widened(before), integers.widened(all)};
}

Value sumInWarp(Integers integers, Value value) {
  for (int64_t offset = warpSize / 2; offset > 0; offset /= 2)
    value = integers.plus(
        value, exchangeInWarp(integers.device.builder, value, offset));
  return value;
}

} // namespace shardsmith::cuda

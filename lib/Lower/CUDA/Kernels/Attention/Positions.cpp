// SPDX-License-Identifier: Apache-2.0

#include "Positions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace shardsmith::cuda {

Value Integers::plus(Value a, Value b) {
  return device.builder.createOrFold<arith::AddIOp>(a, b);
}

Value Integers::minus(Value a, Value b) {
  return device.builder.createOrFold<arith::SubIOp>(a, b);
}

Value Integers::times(Value a, int64_t b) {
  return device.builder.createOrFold<arith::MulIOp>(a, constant(b));
}

Value Integers::quotient(Value a, int64_t b) {
  return device.builder.createOrFold<arith::DivUIOp>(a, constant(b));
}

Value Integers::remainder(Value a, int64_t b) {
  return device.builder.createOrFold<arith::RemUIOp>(a, constant(b));
}

Value Integers::smaller(Value a, Value b) {
  return device.builder.createOrFold<arith::MinSIOp>(a, b);
}

Value Integers::clamp(Value a, int64_t most) {
  Value atMost = smaller(a, constant(most));
  return device.builder.createOrFold<arith::MaxSIOp>(atMost, constant(0));
}

Value Integers::isBelow(Value a, Value b) {
  return device.builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                                    a, b);
}

Value PositionRun::secondOffset() {
  return integers.minus(integers.constant(positions - rows), first);
}

Value PositionRun::positionOf(Value row) {
  if (!first)
    return row;
  if (!isZigzag)
    return integers.plus(row, first);
  Value isFirst = integers.isBelow(row, integers.constant(rows / 2));
  Value offset = arith::SelectOp::create(integers.device.builder, isFirst,
                                         first, secondOffset());
  return integers.plus(row, offset);
}

Value PositionRun::countBelow(Value position) {
  if (!first)
    return integers.clamp(position, rows);
  if (!isZigzag)
    return integers.clamp(integers.minus(position, first), rows);
  int64_t half = rows / 2;
  Value inFirst = integers.clamp(integers.minus(position, first), half);
  Value secondBegin = integers.plus(secondOffset(), half);
  Value inSecond = integers.clamp(integers.minus(position, secondBegin), half);
  return integers.plus(inFirst, inSecond);
}

Value PositionRun::inside() {
  return hasPadding() ? countBelow(integers.constant(positions))
                      : integers.constant(rows);
}

} // namespace shardsmith::cuda

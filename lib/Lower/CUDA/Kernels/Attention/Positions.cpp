// SPDX-License-Identifier: Apache-2.0

#include "Positions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace shardsmith::cuda {

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

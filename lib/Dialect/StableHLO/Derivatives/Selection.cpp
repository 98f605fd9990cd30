// SPDX-License-Identifier: Apache-2.0
// Derivatives of ops that pass one of their operands on.

#include "Families.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {
namespace {

using Direction = ComparisonDirection;

/// Bounds of a clamp may be scalars for a tensor of any shape.
TensorValue toShape(TensorValue operand, ArrayRef<int64_t> shape) {
  return operand.rank() == 0 ? broadcastScalar(operand, shape) : operand;
}

/// Cotangent of a bound: its scalar form collects all elements.
TensorValue fromShape(TensorValue cotangent, Value bound) {
  return TensorValue(cotangent.builder(), bound).rank() == 0 ? sumAll(cotangent)
                                                             : cotangent;
}

LogicalResult deriveSelect(SelectOp op, TensorValue g, Cotangents &cotangents) {
  TensorValue predicate(g.builder(), op.getPred());
  TensorValue zero = g.filled(0.0);
  cotangents[1] = select(predicate, g, zero);
  cotangents[2] = select(predicate, zero, g);
  return success();
}

/// The operand gets the cotangent strictly between the bounds, a bound where
/// it replaces the operand.
LogicalResult deriveClamp(ClampOp op, TensorValue g, Cotangents &cotangents) {
  ImplicitLocOpBuilder &builder = g.builder();
  TensorValue operand(builder, op.getOperand());
  TensorValue low = toShape({builder, op.getMin()}, g.shape());
  TensorValue high = toShape({builder, op.getMax()}, g.shape());
  TensorValue zero = g.filled(0.0);

  TensorValue isBelow = compare(low, Direction::GT, operand);
  TensorValue isLow = isBelow & compare(low, Direction::LT, high);
  TensorValue isAbove = compare(operand, Direction::GT, low);
  TensorValue isInside = isAbove & compare(operand, Direction::LT, high);
  TensorValue isHigh = compare(high, Direction::LT, operand);
  cotangents[0] = fromShape(select(isLow, g, zero), op.getMin());
  cotangents[1] = select(isInside, g, zero);
  cotangents[2] = fromShape(select(isHigh, g, zero), op.getMax());
  return success();
}

} // namespace

void attachSelectionDerivatives(MLIRContext *context) {
  attachDerivative<SelectOp>(context,
                             [](auto op, TensorValue g, Cotangents &dx) {
                               return deriveSelect(op, g, dx);
                             });
  attachDerivative<ClampOp>(context,
                            [](auto op, TensorValue g, Cotangents &dx) {
                              return deriveClamp(op, g, dx);
                            });
}

} // namespace shardsmith

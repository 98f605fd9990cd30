// SPDX-License-Identifier: Apache-2.0
// Derivatives of ops that pass one of their operands on.

#include "Families.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {
namespace {

using Direction = ComparisonDirection;

/// Bounds of a clamp may be scalars for a tensor of any shape.
Tensor toShape(Tensor operand, ArrayRef<int64_t> shape) {
  return operand.rank() == 0 ? broadcastScalar(operand, shape) : operand;
}

/// Cotangent of a bound: its scalar form collects all elements.
Tensor fromShape(Tensor cotangent, Value bound) {
  return Tensor(cotangent.builder(), bound).rank() == 0 ? sumAll(cotangent)
                                                        : cotangent;
}

LogicalResult deriveSelect(SelectOp op, Tensor g, Cotangents &cotangents) {
  Tensor predicate(g.builder(), op.getPred());
  Tensor zero = g.filled(0.0);
  cotangents[1] = select(predicate, g, zero);
  cotangents[2] = select(predicate, zero, g);
  return success();
}

/// The operand gets the cotangent strictly between the bounds, a bound where
/// it replaces the operand.
LogicalResult deriveClamp(ClampOp op, Tensor g, Cotangents &cotangents) {
  ImplicitLocOpBuilder &builder = g.builder();
  Tensor operand(builder, op.getOperand());
  Tensor low = toShape({builder, op.getMin()}, g.shape());
  Tensor high = toShape({builder, op.getMax()}, g.shape());
  Tensor zero = g.filled(0.0);

  Tensor isLow =
      compare(low, Direction::GT, operand) & compare(low, Direction::LT, high);
  Tensor isInside = compare(operand, Direction::GT, low) &
                    compare(operand, Direction::LT, high);
  Tensor isHigh = compare(high, Direction::LT, operand);
  cotangents[0] = fromShape(select(isLow, g, zero), op.getMin());
  cotangents[1] = select(isInside, g, zero);
  cotangents[2] = fromShape(select(isHigh, g, zero), op.getMax());
  return success();
}

} // namespace

void attachSelectionDerivatives(MLIRContext *context) {
  attachDerivative<SelectOp>(context, [](auto op, Tensor g, Cotangents &dx) {
    return deriveSelect(op, g, dx);
  });
  attachDerivative<ClampOp>(context, [](auto op, Tensor g, Cotangents &dx) {
    return deriveClamp(op, g, dx);
  });
}

} // namespace shardsmith

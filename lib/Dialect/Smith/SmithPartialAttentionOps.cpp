// SPDX-License-Identifier: Apache-2.0

#include "AttentionShapes.h"

using namespace mlir;

namespace shardsmith::smith {
namespace {

/// Values of which there may be none have the shape of another.
LogicalResult verifyAlike(Operation *op, const char *name, Value value,
                          Value like) {
  if (!value || typeOf(value).getShape() == typeOf(like).getShape())
    return success();
  return op->emitOpError() << "has " << name << " of type " << value.getType()
                           << ": expected the shape of " << like.getType();
}

template <typename AnyOp> LogicalResult verifyZigzag(AnyOp op) {
  AttentionSizes sizes = sizesOf(op);
  int64_t positions = op.getPositions();
  if (!op.getZigzag() ||
      (sizes.queries == sizes.keys && sizes.queries % 2 == 0 &&
       sizes.queries > 0 && positions % sizes.queries == 0))
    return success();
  return op.emitOpError() << "is in zigzag with " << sizes.queries
                          << " queries and " << sizes.keys << " keys of "
                          << positions
                          << " positions: expected an even number that divides "
                             "the positions, the same of each";
}

} // namespace

LogicalResult PartialAttentionOp::verify() {
  if (failed(verifyInputs(*this)) || failed(verifyZigzag(*this)) ||
      failed(verifyAlike(*this, "an output before", getOutputBefore(),
                         getOutput())) ||
      failed(verifyAlike(*this, "log-sum-exps before", getLogSumExpBefore(),
                         getLogSumExp())))
    return failure();
  return success();
}

LogicalResult PartialAttentionGradientOp::verify() {
  if (failed(verifyInputs(*this)) || failed(verifyZigzag(*this)) ||
      failed(verifyAlike(*this, "a cotangent", getOutputCotangent(),
                         getOutput())) ||
      failed(verifyAlike(*this, "gradients of queries before", getQueryBefore(),
                         getQueryGradient())) ||
      failed(verifyAlike(*this, "gradients of keys before", getKeyBefore(),
                         getKeyGradient())) ||
      failed(verifyAlike(*this, "gradients of values before", getValueBefore(),
                         getValueGradient())))
    return failure();
  for (auto [operand, gradient] : llvm::zip(getOperands(), getResults()))
    if (failed(verifyAlike(*this, "a gradient", gradient, operand)))
      return failure();
  return success();
}

} // namespace shardsmith::smith

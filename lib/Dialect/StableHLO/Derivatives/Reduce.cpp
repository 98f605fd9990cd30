// SPDX-License-Identifier: Apache-2.0
// Derivatives of reductions of one tensor with a single well-known op.

#include "Families.h"
#include "ReductionBody.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {
namespace {

using Direction = ComparisonDirection;

/// A reduction y = reduce(x, init) with the cotangent of y.
struct Reduction {
  TensorValue g;
  TensorValue x;
  TensorValue y;
  ArrayRef<int64_t> dimensions;

  TensorValue spread(TensorValue operand) const {
    return broadcastAlong(operand, x.shape(), dimensions);
  }
};

/// y = init + Σ x:  dx = g,  dinit = Σ g.
void deriveSum(const Reduction &reduction, Cotangents &cotangents) {
  cotangents[0] = reduction.spread(reduction.g);
  cotangents[1] = sumAll(reduction.g);
}

/// The elements that equal the extremum share its cotangent evenly.
void deriveExtremum(const Reduction &reduction, Cotangents &cotangents) {
  const auto &[g, x, y, dimensions] = reduction;
  TensorValue isExtremum = compare(x, Direction::EQ, reduction.spread(y));
  TensorValue indicator = select(isExtremum, x.filled(1.0), x.filled(0.0));
  TensorValue share = g / sum(indicator, dimensions);
  cotangents[0] = select(isExtremum, reduction.spread(share), x.filled(0.0));
}

/// y = Π x:  dx_i = g Π_{j≠i} x_j. With p the product of the elements that are
/// not zero, that is p / x_i where no element is zero, p at a single zero, and
/// 0 otherwise.
void deriveProduct(const Reduction &reduction, Cotangents &cotangents) {
  const auto &[g, x, y, dimensions] = reduction;
  TensorValue zero = x.filled(0.0);
  TensorValue isZero = compare(x, Direction::EQ, zero);
  TensorValue nonZero = select(isZero, x.filled(1.0), x);
  TensorValue rest = product(nonZero, dimensions);
  TensorValue zeros = sum(select(isZero, x.filled(1.0), zero), dimensions);

  TensorValue withoutZeros =
      select(compare(zeros, Direction::EQ, 0.0), g * rest, g.filled(0.0));
  TensorValue withOneZero =
      select(compare(zeros, Direction::EQ, 1.0), g * rest, g.filled(0.0));
  cotangents[0] = select(isZero, reduction.spread(withOneZero),
                         reduction.spread(withoutZeros) / nonZero);
}

LogicalResult deriveReduce(ReduceOp op, TensorValue g, Cotangents &cotangents) {
  ImplicitLocOpBuilder &builder = g.builder();
  Reduction reduction{g,
                      {builder, op.getInputs().front()},
                      {builder, op->getResult(0)},
                      op.getDimensions()};
  BodyKind kind = classifyBody(op.getBody());
  if (kind == BodyKind::sum) {
    deriveSum(reduction, cotangents);
    return success();
  }
  if (!matchPattern(op.getInitValues().front(), m_Constant()))
    return op->emitError("no derivative for a reduction other than a sum that "
                         "starts from a computed value: expected a constant");
  switch (kind) {
  case BodyKind::maximum:
  case BodyKind::minimum:
    deriveExtremum(reduction, cotangents);
    return success();
  case BodyKind::product:
    deriveProduct(reduction, cotangents);
    return success();
  default:
    return op->emitError("no derivative for a reduction with this body: "
                         "expected one add, maximum, minimum or multiply of "
                         "the two block arguments");
  }
}

/// Reductions of several tensors, such as argmax, have integer results in
/// practice; a cotangent for one of their floats has no rule.
struct ReduceModel
    : DifferentiableInterface::ExternalModel<ReduceModel, ReduceOp> {
  LogicalResult buildDerivative(Operation *op, ImplicitLocOpBuilder &builder,
                                ArrayRef<Value> resultCotangents,
                                Cotangents &operandCotangents) const {
    operandCotangents.assign(op->getNumOperands(), nullptr);
    if (llvm::none_of(resultCotangents, [](Value v) { return bool(v); }))
      return success();
    if (op->getNumResults() != 1)
      return op->emitError("no derivative for a reduction of several tensors "
                           "together");
    return deriveReduce(cast<ReduceOp>(op), {builder, resultCotangents.front()},
                        operandCotangents);
  }
};

} // namespace

void attachReduceDerivatives(MLIRContext *context) {
  ReduceOp::attachInterface<ReduceModel>(*context);
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0
// Derivatives of reductions of one tensor with a single well-known op.

#include "Families.h"
#include "ReductionBody.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {
namespace {

using Direction = ComparisonDirection;

/// A reduction y = reduce(x, init) with the cotangent of y.
struct Reduction {
  TensorValue g;
  TensorValue x;
  TensorValue init;
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
  const auto &[g, x, init, y, dimensions] = reduction;
  TensorValue isExtremum = compare(x, Direction::EQ, reduction.spread(y));
  TensorValue one = x.filled(1.0);
  TensorValue indicator = select(isExtremum, one, x.filled(0.0));
  TensorValue share = reduction.spread(g / sum(indicator, dimensions));
  cotangents[0] = select(isExtremum, share, x.filled(0.0));
}

/// y = init Π x:  dx_i = g init Π_{j≠i} x_j. With p the product of the elements
/// that are not zero, that is p / x_i where no element is zero, p at a single
/// zero, and 0 otherwise.
void deriveProduct(const Reduction &reduction, Cotangents &cotangents) {
  const auto &[g, x, init, y, dimensions] = reduction;
  TensorValue zero = x.filled(0.0);
  TensorValue isZero = compare(x, Direction::EQ, zero);
  TensorValue nonZero = select(isZero, x.filled(1.0), x);
  TensorValue started = g * broadcastScalar(init, g.shape());
  TensorValue rest = started * product(nonZero, dimensions);
  TensorValue zeros = sum(select(isZero, x.filled(1.0), zero), dimensions);

  auto restWhere = [&](double count) {
    TensorValue hasCount = compare(zeros, Direction::EQ, count);
    return reduction.spread(select(hasCount, rest, g.filled(0.0)));
  };
  TensorValue ofZero = restWhere(1.0);
  cotangents[0] = select(isZero, ofZero, restWhere(0.0) / nonZero);
}

LogicalResult deriveReduce(ReduceOp op, TensorValue g, Cotangents &cotangents) {
  ImplicitLocOpBuilder &builder = g.builder();
  Reduction reduction{g,
                      {builder, op.getInputs().front()},
                      {builder, op.getInitValues().front()},
                      {builder, op->getResult(0)},
                      op.getDimensions()};
  BodyKind kind = classifyBody(op.getBody());
  if (kind == BodyKind::sum) {
    deriveSum(reduction, cotangents);
    return success();
  }
  if (!isConstantStart(op.getInitValues().front()))
    return op->emitError(
        "unsupported: no derivative for a reduction other than a sum that "
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
    return op->emitError(
        "unsupported: no derivative for a reduction with this body: "
        "expected one add, maximum, minimum or multiply of "
        "the two block arguments");
  }
}

} // namespace

void attachReduceDerivatives(MLIRContext *context) {
  attachDerivative<ReduceOp>(
      context, [](ReduceOp op, TensorValue g, Cotangents &cotangents) {
        return deriveReduce(op, g, cotangents);
      });
}

} // namespace shardsmith

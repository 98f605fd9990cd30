// SPDX-License-Identifier: Apache-2.0
// Derivatives of y = f(x), element by element. In the formulas g is the
// cotangent of y; they reuse y where that saves a transcendental function.

#include "Families.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {
namespace {

void attachExponentials(MLIRContext *context) {
  attachUnary<ExpOp>(context, [](auto g, auto x, auto y) { return g * y; });
  attachUnary<Expm1Op>(context,
                       [](auto g, auto x, auto y) { return g * (y + 1.0); });
  attachUnary<LogOp>(context, [](auto g, auto x, auto y) { return g / x; });
  attachUnary<Log1pOp>(context,
                       [](auto g, auto x, auto y) { return g / (x + 1.0); });
  attachUnary<LogisticOp>(
      context, [](auto g, auto x, auto y) { return g * (y * (1.0 - y)); });
  // 1 - y² as (1 + y)(1 - y) keeps its precision near |y| = 1.
  attachUnary<TanhOp>(context, [](auto g, auto x, auto y) {
    TensorValue scaled = g + g * y;
    return scaled * (1.0 - y);
  });
}

void attachRoots(MLIRContext *context) {
  attachUnary<SqrtOp>(context,
                      [](auto g, auto x, auto y) { return g * (0.5 / y); });
  attachUnary<RsqrtOp>(
      context, [](auto g, auto x, auto y) { return g * (-0.5 * (y / x)); });
  attachUnary<CbrtOp>(context, [](auto g, auto x, auto y) {
    return g * ((1.0 / 3.0) / (y * y));
  });
}

void attachTrigonometry(MLIRContext *context) {
  attachUnary<SineOp>(context,
                      [](auto g, auto x, auto y) { return g * cosine(x); });
  attachUnary<CosineOp>(context,
                        [](auto g, auto x, auto y) { return -(g * sine(x)); });
  attachUnary<TanOp>(context,
                     [](auto g, auto x, auto y) { return g * (1.0 + y * y); });
}

void attachLinear(MLIRContext *context) {
  attachUnary<NegOp>(context, [](auto g, auto x, auto y) { return -g; });
  // Zero counts as positive.
  attachUnary<AbsOp>(context, [](auto g, auto x, auto y) {
    TensorValue isPositive = compare(x, ComparisonDirection::GE, 0.0);
    return select(isPositive, g, -g);
  });
  // The cotangent has the element type of its value, whatever the op's result.
  attachDerivative<ConvertOp>(
      context, [](ConvertOp op, TensorValue g, Cotangents &dx) {
        if (hasCotangent(op.getOperand()))
          dx[0] = convert(g, op.getOperand().getType().getElementType());
        return success();
      });
  attachDerivative<ReducePrecisionOp>(
      context, [](ReducePrecisionOp op, TensorValue g, Cotangents &dx) {
        dx[0] = ReducePrecisionOp::create(g.builder(), g.type(), g.value(),
                                          op.getExponentBitsAttr(),
                                          op.getMantissaBitsAttr());
        return success();
      });
}

} // namespace

void attachElementwiseUnaryDerivatives(MLIRContext *context) {
  attachExponentials(context);
  attachRoots(context);
  attachTrigonometry(context);
  attachLinear(context);

  attachZeroDerivative<CeilOp>(context);
  attachZeroDerivative<FloorOp>(context);
  attachZeroDerivative<RoundOp>(context);
  attachZeroDerivative<RoundNearestEvenOp>(context);
  attachZeroDerivative<SignOp>(context);
}

} // namespace shardsmith

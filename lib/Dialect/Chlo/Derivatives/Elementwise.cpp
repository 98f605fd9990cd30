// SPDX-License-Identifier: Apache-2.0
// Derivatives of y = f(x), element by element; g is the cotangent of y.

#include "Families.h"

#include "shardsmith/Dialect/Chlo/Chlo.h"
#include "llvm/ADT/SetVector.h"

#include <numbers>

using namespace mlir;
using namespace shardsmith::chlo;

namespace shardsmith {
namespace {

void attachErrorFunctions(MLIRContext *context) {
  // d erf(x) / dx = 2 / sqrt(pi) exp(-x²)
  attachUnary<ErfOp>(context, [](auto g, auto x, auto y) {
    return 2.0 * std::numbers::inv_sqrtpi * (g * exponential(-square(x)));
  });
  attachUnary<ErfcOp>(context, [](auto g, auto x, auto y) {
    return -2.0 * std::numbers::inv_sqrtpi * (g * exponential(-square(x)));
  });
  attachUnary<ErfInvOp>(context, [](auto g, auto x, auto y) {
    return 0.5 / std::numbers::inv_sqrtpi * (g * exponential(square(y)));
  });
}

void attachGammaFunctions(MLIRContext *context) {
  attachUnary<LgammaOp>(context, [](auto g, auto x, auto y) {
    ImplicitLocOpBuilder &builder = g.builder();
    return g * TensorValue(builder, DigammaOp::create(builder, x.value()));
  });
  attachUnary<DigammaOp>(context, [](auto g, auto x, auto y) {
    ImplicitLocOpBuilder &builder = g.builder();
    Value order = x.filled(1.0);
    return g *
           TensorValue(builder, PolygammaOp::create(builder, order, x.value()));
  });
}

/// Whether a float argument of the function has to do with a value.
bool followsFromArgument(Value value) {
  llvm::SetVector<Value> seen;
  seen.insert(value);
  for (size_t i = 0; i < seen.size(); ++i) {
    if (!hasCotangent(seen[i]))
      continue;
    Operation *op = seen[i].getDefiningOp();
    if (!op)
      return true;
    seen.insert_range(op->getOperands());
  }
  return false;
}

/// There is no derivative by the order, which must follow from constants.
void attachPolygamma(MLIRContext *context) {
  attachDerivative<PolygammaOp>(context, [](PolygammaOp op, TensorValue g,
                                            Cotangents &cotangents) {
    if (followsFromArgument(op.getLhs()))
      return LogicalResult(op.emitError("unsupported: no derivative of '")
                           << op->getName()
                           << "' by its order, which follows from an argument");
    ImplicitLocOpBuilder &builder = g.builder();
    TensorValue next = TensorValue(builder, op.getLhs()) + 1.0;
    TensorValue slope(builder, PolygammaOp::create(builder, next, op.getRhs()));
    cotangents[1] = g * slope;
    return success();
  });
}

void attachHyperbolic(MLIRContext *context) {
  attachUnary<SinhOp>(context, [](auto g, auto x, auto y) {
    ImplicitLocOpBuilder &builder = g.builder();
    return g * TensorValue(builder, CoshOp::create(builder, x.value()));
  });
  attachUnary<CoshOp>(context, [](auto g, auto x, auto y) {
    ImplicitLocOpBuilder &builder = g.builder();
    return g * TensorValue(builder, SinhOp::create(builder, x.value()));
  });
  attachUnary<AsinhOp>(context, [](auto g, auto x, auto y) {
    return g * reciprocalSquareRoot(square(x) + 1.0);
  });
  attachUnary<AcoshOp>(context, [](auto g, auto x, auto y) {
    return g * reciprocalSquareRoot(square(x) - 1.0);
  });
  attachUnary<AtanhOp>(context, [](auto g, auto x, auto y) {
    TensorValue reciprocal = 1.0 / (1.0 + x);
    return reciprocal * (g / (1.0 - x));
  });
}

void attachTrigonometry(MLIRContext *context) {
  attachUnary<AsinOp>(context, [](auto g, auto x, auto y) {
    return g * reciprocalSquareRoot(1.0 - square(x));
  });
  attachUnary<AcosOp>(context, [](auto g, auto x, auto y) {
    return -(g * reciprocalSquareRoot(1.0 - square(x)));
  });
  attachUnary<AtanOp>(
      context, [](auto g, auto x, auto y) { return g / (1.0 + square(x)); });
  attachUnary<TanOp>(
      context, [](auto g, auto x, auto y) { return g * (1.0 + square(y)); });
}

} // namespace

void attachChloElementwiseDerivatives(MLIRContext *context) {
  attachErrorFunctions(context);
  attachGammaFunctions(context);
  attachPolygamma(context);
  attachHyperbolic(context);
  attachTrigonometry(context);
  attachUnary<SquareOp>(context,
                        [](auto g, auto x, auto y) { return g * (2.0 * x); });
}

} // namespace shardsmith

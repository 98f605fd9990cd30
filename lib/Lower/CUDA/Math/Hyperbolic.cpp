// SPDX-License-Identifier: Apache-2.0
//
// With a = |x| and h = exp(a/2), which is infinite only where the result has
// long been:
//
//     sinh x   ± ½ (t + t / (t + 1)), t = exp(a) − 1      a < 1
//              ± (½ h h − ½ / h²)                         else
//     cosh x   ½ h h + ½ / h²
//     asinh x  ± log1p(a + a² / (1 + √(a² + 1)))          ± (log a + log 2)
//     acosh x  log1p(t + √(t (t + 2))), t = x − 1         log x + log 2
//                                                         (beyond 10⁹)
//     atanh x  ± ½ log1p(2 a / (1 − a))
//     asin x   the angle of (√((1 − x)(1 + x)), x)
//     acos x   the angle of (x, √((1 − x)(1 + x)))
//
// None of them loses digits where the result is small.

#include "Hyperbolic.h"

#include "shardsmith/Lower/Common/Elements/Registers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace shardsmith::cuda {
namespace {

constexpr double ln2 = 0.693147180559945309417;
/// From here on x² + 1 is x² in f32.
constexpr double large = 1e9;

/// Numbers that are of the type of `x`.
struct Numbers {
  ImplicitLocOpBuilder &b;
  Value x;

  Value of(double value) { return lower::numberLike(b, x, value); }
  Value plus(Value l, Value r) { return arith::AddFOp::create(b, l, r); }
  Value minus(Value l, Value r) { return arith::SubFOp::create(b, l, r); }
  Value times(Value l, Value r) { return arith::MulFOp::create(b, l, r); }
  Value over(Value l, Value r) { return arith::DivFOp::create(b, l, r); }
  Value root(Value value) { return math::SqrtOp::create(b, value); }
  Value size() { return math::AbsFOp::create(b, x); }
  Value signedAsX(Value value) { return math::CopySignOp::create(b, value, x); }
  Value where(arith::CmpFPredicate predicate, Value value, double limit,
              Value then, Value otherwise) {
    Value holds = arith::CmpFOp::create(b, predicate, value, of(limit));
    return arith::SelectOp::create(b, holds, then, otherwise);
  }
  /// exp(|x|) / 2 and exp(−|x|) / 2.
  std::pair<Value, Value> halves() {
    Value power = math::ExpOp::create(b, times(size(), of(0.5)));
    Value square = times(power, power);
    return {times(times(of(0.5), power), power), over(of(0.5), square)};
  }
  Value logarithmOfDouble(Value value) {
    return plus(math::LogOp::create(b, value), of(ln2));
  }
  /// √(1 − x²).
  Value otherSide() { return root(times(minus(of(1), x), plus(of(1), x))); }
};

} // namespace

Value emitHyperbolicSine(ImplicitLocOpBuilder &builder, Value x) {
  Numbers n{builder, x};
  Value a = n.size();
  Value t = math::ExpM1Op::create(builder, a);
  Value small = n.times(n.of(0.5), n.plus(t, n.over(t, n.plus(t, n.of(1)))));
  auto [up, down] = n.halves();
  return n.signedAsX(
      n.where(arith::CmpFPredicate::OLT, a, 1, small, n.minus(up, down)));
}

Value emitHyperbolicCosine(ImplicitLocOpBuilder &builder, Value x) {
  Numbers n{builder, x};
  auto [up, down] = n.halves();
  return n.plus(up, down);
}

Value emitInverseHyperbolicSine(ImplicitLocOpBuilder &builder, Value x) {
  Numbers n{builder, x};
  Value a = n.size(), square = n.times(a, a);
  Value below = n.plus(n.of(1), n.root(n.plus(square, n.of(1))));
  Value usual =
      math::Log1pOp::create(builder, n.plus(a, n.over(square, below)));
  return n.signedAsX(n.where(arith::CmpFPredicate::OGT, a, large,
                             n.logarithmOfDouble(a), usual));
}

Value emitInverseHyperbolicCosine(ImplicitLocOpBuilder &builder, Value x) {
  Numbers n{builder, x};
  Value t = n.minus(x, n.of(1));
  Value usual = math::Log1pOp::create(
      builder, n.plus(t, n.root(n.times(t, n.plus(t, n.of(2))))));
  Value all = n.where(arith::CmpFPredicate::OGT, x, large,
                      n.logarithmOfDouble(x), usual);
  return n.where(arith::CmpFPredicate::OLT, x, 1,
                 n.of(std::numeric_limits<double>::quiet_NaN()), all);
}

Value emitInverseHyperbolicTangent(ImplicitLocOpBuilder &builder, Value x) {
  Numbers n{builder, x};
  Value a = n.size();
  Value ratio = n.over(n.plus(a, a), n.minus(n.of(1), a));
  return n.signedAsX(n.times(n.of(0.5), math::Log1pOp::create(builder, ratio)));
}

Value emitArcSine(ImplicitLocOpBuilder &builder, Value x) {
  return math::Atan2Op::create(builder, x, Numbers{builder, x}.otherSide());
}

Value emitArcCosine(ImplicitLocOpBuilder &builder, Value x) {
  return math::Atan2Op::create(builder, Numbers{builder, x}.otherSide(), x);
}

} // namespace shardsmith::cuda

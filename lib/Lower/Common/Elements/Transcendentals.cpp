// SPDX-License-Identifier: Apache-2.0
//
// The classic scheme: reduce the argument to a small interval exactly, use a
// polynomial there, put the result back together. The coefficients were
// fitted for this file (weighted least squares towards equal relative error).

#include "shardsmith/Lower/Common/Elements/Transcendentals.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "shardsmith/Lower/Common/Elements/Registers.h"

#include <limits>

using namespace mlir;

namespace shardsmith::lower {
namespace {

constexpr double ln2High = 0.6931471824645996;
constexpr double ln2Low = -1.9046542121259336e-09;

/// Writes formulas on f32 elements.
struct Formula {
  ImplicitLocOpBuilder &b;
  Value like;

  Value number(double value) { return numberLike(b, like, value); }
  Value integer(int64_t value) { return integerLike(b, bits(like), value); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value subtract(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value multiply(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  /// x · y + z with one rounding.
  Value fused(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  /// c[0] + c[1] x + c[2] x² + …
  Value polynomial(Value x, ArrayRef<double> c) {
    Value sum = number(c.back());
    for (double coefficient : llvm::reverse(c.drop_back()))
      sum = fused(sum, x, number(coefficient));
    return sum;
  }
  Value bits(Value x) {
    Type type = b.getI32Type();
    if (auto vector = dyn_cast<VectorType>(x.getType()))
      type = vector.clone(type);
    return arith::BitcastOp::create(b, type, x);
  }
  Value fromBits(Value x) {
    return arith::BitcastOp::create(b, like.getType(), x);
  }
  Value plus(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value minus(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value shiftLeft(Value x, int64_t count) {
    return arith::ShLIOp::create(b, x, integer(count));
  }
  Value shiftRight(Value x, int64_t count) {
    return arith::ShRSIOp::create(b, x, integer(count));
  }
  Value choose(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value is(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }

  /// The integer nearest to x · scale, as a number and as i32. Adding
  /// 1.5 · 2²³ leaves the integer in the low bits of the sum.
  struct Rounded {
    Value number, integer;
  };
  Rounded round(Value x, double scale) {
    constexpr double magic = 12582912.0;
    Value shifted = fused(x, number(scale), number(magic));
    return {subtract(shifted, number(magic)),
            minus(bits(shifted), bits(number(magic)))};
  }

  /// 2ⁿ for −126 ≤ n ≤ 127.
  Value powerOfTwo(Value n) {
    return fromBits(shiftLeft(plus(n, integer(127)), 23));
  }
};

bool isSingle(Value x) { return laneType(x).isF32(); }

// sin and cos share the reduction x = n · π/2 + r, |r| ≤ π/4; the quadrant n
// says which polynomial to use and with which sign.
Value sineOfQuadrant(ImplicitLocOpBuilder &builder, Value x, int64_t shift) {
  using Predicate = arith::CmpIPredicate;
  Formula f{builder, x};
  auto [n, quadrant] = f.round(x, 0.6366197723675814);
  Value r = f.fused(n, f.number(-1.5707963705062866), x);
  r = f.fused(n, f.number(4.371138828673793e-08), r);
  r = f.fused(n, f.number(1.7151245100058819e-15), r);
  Value square = f.multiply(r, r);
  Value sine = f.polynomial(square, {-0.16666655242443085, 0.008332176133990288,
                                     -0.00019516977772582322});
  sine = f.fused(f.multiply(sine, square), r, r);
  Value cosine =
      f.polynomial(square, {-0.5, 0.04166664555668831, -0.0013887364184483886,
                            2.443809171381872e-05});
  cosine = f.fused(cosine, square, f.number(1));
  quadrant = f.plus(quadrant, f.integer(shift));
  Value isOdd = arith::CmpIOp::create(
      builder, Predicate::ne, f.both(quadrant, f.integer(1)), f.integer(0));
  Value magnitude = f.choose(isOdd, cosine, sine);
  Value signBit = f.shiftLeft(f.both(quadrant, f.integer(2)), 30);
  return f.fromBits(arith::XOrIOp::create(builder, f.bits(magnitude), signBit));
}

} // namespace

// exp(x) = 2ⁿ · exp(r), x = n ln 2 + r. 2ⁿ is applied in two steps because n
// goes down to −150, where only the product is a (denormal) number.
Value emitExponential(ImplicitLocOpBuilder &builder, Value x) {
  if (!isSingle(x))
    return math::ExpOp::create(builder, x);
  using Predicate = arith::CmpFPredicate;
  Formula f{builder, x};
  // NaN passes both comparisons unchanged.
  Value high = f.number(89), low = f.number(-104);
  Value inside = f.choose(f.is(Predicate::OGT, x, high), high, x);
  inside = f.choose(f.is(Predicate::OLT, inside, low), low, inside);
  auto [n, exponent] = f.round(inside, 1.4426950408889634);
  Value r = f.fused(n, f.number(-ln2High), inside);
  r = f.fused(n, f.number(-ln2Low), r);
  Value p = f.polynomial(r, {0.5, 0.166665181517601, 0.04166620597243309,
                             0.008368953131139278, 0.0013950602151453495});
  Value reduced = f.fused(f.multiply(r, r), p, r);
  reduced = f.add(reduced, f.number(1));
  Value half = f.shiftRight(exponent, 1);
  Value other = f.minus(exponent, half);
  return f.multiply(f.multiply(reduced, f.powerOfTwo(half)),
                    f.powerOfTwo(other));
}

// log(x) = e ln 2 + log(1 + t), x = 2ᵉ (1 + t) with 1 + t in [√½, √2).
Value emitLogarithm(ImplicitLocOpBuilder &builder, Value x) {
  if (!isSingle(x))
    return math::LogOp::create(builder, x);
  using Predicate = arith::CmpFPredicate;
  Formula f{builder, x};
  double infinity = std::numeric_limits<double>::infinity();
  constexpr int64_t sqrtHalfBits = 0x3f3504f3;

  // Numbers below the normal ones are scaled up first.
  Value isTiny = f.is(Predicate::OLT, x, f.number(0x1p-126));
  Value scaled = f.choose(isTiny, f.multiply(x, f.number(0x1p25)), x);
  Value shifted = f.minus(f.bits(scaled), f.integer(sqrtHalfBits));
  Value exponent = f.shiftRight(shifted, 23);
  exponent = f.minus(exponent, f.choose(isTiny, f.integer(25), f.integer(0)));
  Value mantissa = f.fromBits(
      f.plus(f.both(shifted, f.integer(0x7fffff)), f.integer(sqrtHalfBits)));
  Value t = f.subtract(mantissa, f.number(1));
  Value e = arith::SIToFPOp::create(builder, x.getType(), exponent);
  Value p = f.polynomial(
      t, {0.3333331346511841, -0.25000008940696716, 0.2000211924314499,
          -0.1666799634695053, 0.14219552278518677, -0.1240558922290802,
          0.11888162791728973, -0.11675651371479034, 0.0674663856625557});
  Value square = f.multiply(t, t);
  Value tail = f.multiply(f.multiply(square, t), p);
  tail = f.fused(e, f.number(ln2Low), tail);
  tail = f.fused(square, f.number(-0.5), tail);
  Value result = f.fused(e, f.number(ln2High), f.add(t, tail));

  // log(+inf) = inf, log(NaN) = NaN, log(±0) = −inf, log(negative) = NaN.
  Value isRegular = f.is(Predicate::OLT, x, f.number(infinity));
  result = f.choose(isRegular, result, x);
  Value isZero = f.is(Predicate::OEQ, x, f.number(0));
  result = f.choose(isZero, f.number(-infinity), result);
  Value isNegative = f.is(Predicate::OLT, x, f.number(0));
  return f.choose(isNegative,
                  f.number(std::numeric_limits<double>::quiet_NaN()), result);
}

// erf⁻¹(x) = x · p(w) with w = −log(1 − x²): a polynomial of w in the middle,
// of √w near ±1, where w is large.
Value emitInverseErf(ImplicitLocOpBuilder &builder, Value x) {
  if (!isSingle(x))
    return emitRuntimeFunction(builder, "smith_inverse_erf", x);
  using Predicate = arith::CmpFPredicate;
  Formula f{builder, x};
  Value one = f.number(1);
  Value w = f.multiply(f.subtract(one, x), f.add(one, x));
  w = f.subtract(f.number(0), emitLogarithm(builder, w));
  Value middle = f.polynomial(f.subtract(w, f.number(2.5)),
                              {1.5014093592824922, 0.24664028615345135,
                               -0.004177386781083669, -0.0012527418784442949,
                               0.00021834443942693373, -4.963347856355104e-06,
                               -3.4627047586614993e-06, 4.66170664316205e-07,
                               2.3232644298809026e-08, -8.791056499383779e-09});
  Value root = math::SqrtOp::create(builder, w);
  Value tail = f.polynomial(f.subtract(root, f.number(3.203699350211316)),
                            {3.0373533198160825, 1.0047365614722557,
                             0.005928297611441205, -0.004252189547012845,
                             0.0028913078187227685, -0.001963582197042252,
                             0.0011421441274692568, -0.0003679804765443859,
                             -0.00010792170277881012, 0.00010278256077186771});
  Value isMiddle = f.is(Predicate::OLT, w, f.number(5));
  Value result = f.multiply(f.choose(isMiddle, middle, tail), x);
  Value isEnd = f.is(Predicate::OEQ, math::AbsFOp::create(builder, x), one);
  double infinity = std::numeric_limits<double>::infinity();
  return f.choose(isEnd, f.multiply(x, f.number(infinity)), result);
}

Value emitRuntimeFunction(ImplicitLocOpBuilder &builder, StringRef name,
                          ValueRange operands) {
  Operation *module = SymbolTable::getNearestSymbolTable(
      builder.getInsertionBlock()->getParentOp());
  auto function = dyn_cast_or_null<LLVM::LLVMFuncOp>(
      SymbolTable::lookupSymbolIn(module, name));
  if (!function) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&module->getRegion(0).front());
    Type real = builder.getF64Type();
    SmallVector<Type> types(operands.size(), real);
    function = LLVM::LLVMFuncOp::create(
        builder, name, LLVM::LLVMFunctionType::get(real, types));
  }
  Value first = operands.front();
  Type element = laneType(first);
  bool isNarrow = !element.isF64();
  auto call = [&](ArrayRef<Value> lanes) -> Value {
    SmallVector<Value> wide(lanes);
    if (isNarrow)
      for (Value &lane : wide)
        lane = arith::ExtFOp::create(builder, builder.getF64Type(), lane);
    Value result = LLVM::CallOp::create(builder, function, wide).getResult();
    return isNarrow ? Value(arith::TruncFOp::create(builder, element, result))
                    : result;
  };
  auto vector = dyn_cast<VectorType>(first.getType());
  if (!vector)
    return call(llvm::to_vector(operands));
  SmallVector<Value> results;
  for (int64_t lane = 0; lane < vector.getNumElements(); ++lane) {
    SmallVector<Value> lanes;
    for (Value operand : operands)
      lanes.push_back(vector::ExtractOp::create(builder, operand, lane));
    results.push_back(call(lanes));
  }
  return vector::FromElementsOp::create(builder, vector, results);
}

Value emitSine(ImplicitLocOpBuilder &builder, Value x) {
  if (!isSingle(x))
    return math::SinOp::create(builder, x);
  return sineOfQuadrant(builder, x, 0);
}

Value emitCosine(ImplicitLocOpBuilder &builder, Value x) {
  if (!isSingle(x))
    return math::CosOp::create(builder, x);
  return sineOfQuadrant(builder, x, 1);
}

} // namespace shardsmith::lower

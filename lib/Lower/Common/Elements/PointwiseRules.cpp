// SPDX-License-Identifier: Apache-2.0
//
// Ops whose element depends on the operands' elements at the same place.

#include "Float8.h"

#include "shardsmith/Lower/Common/Elements/Transcendentals.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/Common/Elements/ElementEmitter.h"
#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;

namespace shardsmith::lower {
namespace {

using Elements = ArrayRef<Value>;
using LaneBuilder = ImplicitLocOpBuilder;

bool isFloat(Value tensor) { return isa<FloatType>(elementOf(tensor)); }

bool isUnsigned(Value tensor) {
  Type element = elementOf(tensor);
  return element.isUnsignedInteger() || element.isInteger(1);
}

/// Lets LLVM form fused multiply-adds; nothing else is relaxed.
template <typename FloatOp, typename... Operands>
Value contracted(LaneBuilder &b, Operands... operands) {
  return FloatOp::create(b, operands..., arith::FastMathFlags::contract);
}

template <typename FloatOp>
Value floatUnary(LaneBuilder &b, Operation *, Elements x) {
  return FloatOp::create(b, x[0]);
}

template <typename IntegerOp>
Value integerBinary(LaneBuilder &b, Operation *, Elements x) {
  return IntegerOp::create(b, x[0], x[1]);
}

// Booleans form the ring {or, and}: addition is or, multiplication is and.
Value add(LaneBuilder &b, Operation *op, Elements x) {
  if (isFloat(op->getResult(0)))
    return contracted<arith::AddFOp>(b, x[0], x[1]);
  if (laneType(x[0]).isInteger(1))
    return arith::OrIOp::create(b, x[0], x[1]);
  return arith::AddIOp::create(b, x[0], x[1]);
}

Value subtract(LaneBuilder &b, Operation *op, Elements x) {
  if (isFloat(op->getResult(0)))
    return contracted<arith::SubFOp>(b, x[0], x[1]);
  return arith::SubIOp::create(b, x[0], x[1]);
}

Value multiply(LaneBuilder &b, Operation *op, Elements x) {
  if (isFloat(op->getResult(0)))
    return contracted<arith::MulFOp>(b, x[0], x[1]);
  if (laneType(x[0]).isInteger(1))
    return arith::AndIOp::create(b, x[0], x[1]);
  return arith::MulIOp::create(b, x[0], x[1]);
}

/// Integer division traps on zero and on lowest / −1; both get a defined
/// result instead: all ones, and the dividend.
struct SafeDivision {
  Value divisor, byZero, overflows;
};

SafeDivision makeSafe(LaneBuilder &b, Operation *op, Elements x) {
  Value zero = integerLike(b, x[1], 0), one = integerLike(b, x[1], 1);
  SafeDivision safe;
  safe.byZero = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x[1], zero);
  safe.divisor = arith::SelectOp::create(b, safe.byZero, one, x[1]);
  if (isUnsigned(op->getResult(0)))
    return safe;
  unsigned width = laneType(x[0]).getIntOrFloatBitWidth();
  int64_t lowest = APInt::getSignedMinValue(width).getSExtValue();
  Value isLowest = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x[0],
                                         integerLike(b, x[0], lowest));
  Value isMinusOne = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x[1],
                                           integerLike(b, x[1], -1));
  safe.overflows = arith::AndIOp::create(b, isLowest, isMinusOne);
  safe.divisor = arith::SelectOp::create(b, safe.overflows, one, safe.divisor);
  return safe;
}

Value square(LaneBuilder &b, Operation *op, Elements x) {
  return multiply(b, op, {x[0], x[0]});
}

Value divide(LaneBuilder &b, Operation *op, Elements x) {
  if (isFloat(op->getResult(0)))
    return contracted<arith::DivFOp>(b, x[0], x[1]);
  SafeDivision safe = makeSafe(b, op, x);
  Value quotient = isUnsigned(op->getResult(0))
                       ? Value(arith::DivUIOp::create(b, x[0], safe.divisor))
                       : Value(arith::DivSIOp::create(b, x[0], safe.divisor));
  return arith::SelectOp::create(b, safe.byZero, integerLike(b, x[0], -1),
                                 quotient);
}

Value remainder(LaneBuilder &b, Operation *op, Elements x) {
  if (isFloat(op->getResult(0)))
    return arith::RemFOp::create(b, x[0], x[1]);
  SafeDivision safe = makeSafe(b, op, x);
  Value rest = isUnsigned(op->getResult(0))
                   ? Value(arith::RemUIOp::create(b, x[0], safe.divisor))
                   : Value(arith::RemSIOp::create(b, x[0], safe.divisor));
  return arith::SelectOp::create(b, safe.byZero, x[0], rest);
}

Value maximum(LaneBuilder &b, Operation *op, Elements x) {
  if (isFloat(op->getResult(0)))
    return arith::MaximumFOp::create(b, x[0], x[1]);
  if (isUnsigned(op->getResult(0)))
    return arith::MaxUIOp::create(b, x[0], x[1]);
  return arith::MaxSIOp::create(b, x[0], x[1]);
}

Value minimum(LaneBuilder &b, Operation *op, Elements x) {
  if (isFloat(op->getResult(0)))
    return arith::MinimumFOp::create(b, x[0], x[1]);
  if (isUnsigned(op->getResult(0)))
    return arith::MinUIOp::create(b, x[0], x[1]);
  return arith::MinSIOp::create(b, x[0], x[1]);
}

Value clamp(LaneBuilder &b, Operation *op, Elements x) {
  Value raised = maximum(b, op, {x[0], x[1]});
  return minimum(b, op, {raised, x[2]});
}

Value absolute(LaneBuilder &b, Operation *op, Elements x) {
  if (isFloat(op->getResult(0)))
    return math::AbsFOp::create(b, x[0]);
  return math::AbsIOp::create(b, x[0]);
}

Value negate(LaneBuilder &b, Operation *op, Elements x) {
  if (isFloat(op->getResult(0)))
    return arith::NegFOp::create(b, x[0]);
  return arith::SubIOp::create(b, integerLike(b, x[0], 0), x[0]);
}

// −1, 0 or 1; zeros keep their sign and NaN stays NaN.
Value sign(LaneBuilder &b, Operation *op, Elements x) {
  if (isFloat(op->getResult(0))) {
    Value zero = numberLike(b, x[0], 0), one = numberLike(b, x[0], 1);
    Value isOrdered =
        arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, x[0], zero);
    Value unit = math::CopySignOp::create(b, one, x[0]);
    return arith::SelectOp::create(b, isOrdered, unit, x[0]);
  }
  Value zero = integerLike(b, x[0], 0), one = integerLike(b, x[0], 1);
  Value isZero = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x[0], zero);
  Value unit = one;
  if (!isUnsigned(op->getResult(0))) {
    Value isNegative =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x[0], zero);
    unit =
        arith::SelectOp::create(b, isNegative, integerLike(b, x[0], -1), one);
  }
  return arith::SelectOp::create(b, isZero, zero, unit);
}

Value bitwiseNot(LaneBuilder &b, Operation *, Elements x) {
  return arith::XOrIOp::create(b, x[0], integerLike(b, x[0], -1));
}

/// Shifting by the width or more gives `beyond` instead of poison.
template <typename ShiftOp>
Value shift(LaneBuilder &b, Elements x, Value beyond) {
  unsigned width = laneType(x[0]).getIntOrFloatBitWidth();
  Value isTooFar = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, x[1],
                                         integerLike(b, x[1], width));
  Value amount =
      arith::SelectOp::create(b, isTooFar, integerLike(b, x[1], 0), x[1]);
  Value shifted = ShiftOp::create(b, x[0], amount);
  return arith::SelectOp::create(b, isTooFar, beyond, shifted);
}

Value shiftLeft(LaneBuilder &b, Operation *, Elements x) {
  return shift<arith::ShLIOp>(b, x, integerLike(b, x[0], 0));
}

Value shiftRightLogical(LaneBuilder &b, Operation *, Elements x) {
  return shift<arith::ShRUIOp>(b, x, integerLike(b, x[0], 0));
}

Value shiftRightArithmetic(LaneBuilder &b, Operation *, Elements x) {
  unsigned width = laneType(x[0]).getIntOrFloatBitWidth();
  Value signs =
      arith::ShRSIOp::create(b, x[0], integerLike(b, x[0], width - 1));
  return shift<arith::ShRSIOp>(b, x, signs);
}

Value select(LaneBuilder &b, Operation *, Elements x) {
  return arith::SelectOp::create(b, x[0], x[1], x[2]);
}

arith::CmpFPredicate floatPredicate(stablehlo::ComparisonDirection direction) {
  using Direction = stablehlo::ComparisonDirection;
  switch (direction) {
  case Direction::EQ:
    return arith::CmpFPredicate::OEQ;
  case Direction::NE:
    return arith::CmpFPredicate::UNE;
  case Direction::GE:
    return arith::CmpFPredicate::OGE;
  case Direction::GT:
    return arith::CmpFPredicate::OGT;
  case Direction::LE:
    return arith::CmpFPredicate::OLE;
  case Direction::LT:
    return arith::CmpFPredicate::OLT;
  }
  llvm_unreachable("all directions are handled");
}

arith::CmpIPredicate integerPredicate(stablehlo::ComparisonDirection direction,
                                      bool isUnsigned) {
  using Direction = stablehlo::ComparisonDirection;
  using Predicate = arith::CmpIPredicate;
  switch (direction) {
  case Direction::EQ:
    return Predicate::eq;
  case Direction::NE:
    return Predicate::ne;
  case Direction::GE:
    return isUnsigned ? Predicate::uge : Predicate::sge;
  case Direction::GT:
    return isUnsigned ? Predicate::ugt : Predicate::sgt;
  case Direction::LE:
    return isUnsigned ? Predicate::ule : Predicate::sle;
  case Direction::LT:
    return isUnsigned ? Predicate::ult : Predicate::slt;
  }
  llvm_unreachable("all directions are handled");
}

/// Maps a float's bits to an integer whose signed order is the IEEE total
/// order: −NaN < −inf < … < −0 < +0 < … < +inf < +NaN.
Value totalOrder(LaneBuilder &b, Value x) {
  unsigned width = laneType(x).getIntOrFloatBitWidth();
  Value bits =
      arith::BitcastOp::create(b, typeLike(x, b.getIntegerType(width)), x);
  Value signs =
      arith::ShRSIOp::create(b, bits, integerLike(b, bits, width - 1));
  Value flips = arith::ShRUIOp::create(b, signs, integerLike(b, bits, 1));
  return arith::XOrIOp::create(b, bits, flips);
}

Value compare(LaneBuilder &b, Operation *op, Elements x) {
  auto comparison = cast<stablehlo::CompareOp>(op);
  auto direction = comparison.getComparisonDirection();
  if (!isFloat(comparison.getLhs()))
    return arith::CmpIOp::create(
        b, integerPredicate(direction, isUnsigned(comparison.getLhs())), x[0],
        x[1]);
  if (comparison.getCompareType() == stablehlo::ComparisonType::TOTALORDER)
    return arith::CmpIOp::create(b, integerPredicate(direction, false),
                                 totalOrder(b, x[0]), totalOrder(b, x[1]));
  return arith::CmpFOp::create(b, floatPredicate(direction), x[0], x[1]);
}

/// Float to integer: out of range becomes the nearest integer, NaN zero.
Value floatToInteger(LaneBuilder &b, Value x, Type to, bool isUnsigned) {
  unsigned width = to.getIntOrFloatBitWidth();
  double limit = std::ldexp(1.0, isUnsigned ? width : width - 1);
  double lowest = isUnsigned ? 0 : -limit;
  Value tooHigh = arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, x,
                                        numberLike(b, x, limit));
  Value tooLow = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x,
                                       numberLike(b, x, lowest));
  Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
  Value outside =
      arith::OrIOp::create(b, arith::OrIOp::create(b, tooHigh, tooLow), isNaN);
  Value inside = arith::SelectOp::create(b, outside, numberLike(b, x, 0), x);
  Type type = typeLike(x, to);
  Value integer = isUnsigned ? Value(arith::FPToUIOp::create(b, type, inside))
                             : Value(arith::FPToSIOp::create(b, type, inside));
  APInt highest =
      isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  APInt smallest =
      isUnsigned ? APInt::getZero(width) : APInt::getSignedMinValue(width);
  integer = arith::SelectOp::create(
      b, tooHigh, integerLike(b, integer, highest.getSExtValue()), integer);
  return arith::SelectOp::create(
      b, tooLow, integerLike(b, integer, smallest.getSExtValue()), integer);
}

Value convert(LaneBuilder &b, Operation *op, Elements x) {
  Type from = elementOf(op->getOperand(0));
  Type to = elementOf(op->getResult(0));
  Type target = registerType(to);
  Type type = typeLike(x[0], target);
  bool fromUnsigned = isUnsigned(op->getOperand(0));
  if (isa<FloatType>(from) && isa<FloatType>(to)) {
    Value value = x[0];
    unsigned have = laneType(value).getIntOrFloatBitWidth();
    unsigned want = target.getIntOrFloatBitWidth();
    if (have < want)
      value = arith::ExtFOp::create(b, type, value);
    else if (have > want)
      value = to.isF32() ? Value(arith::TruncFOp::create(b, type, value))
                         : roundedToOdd(b, value);
    return to.getIntOrFloatBitWidth() < from.getIntOrFloatBitWidth() ||
                   (from != to && to.getIntOrFloatBitWidth() <= 16)
               ? roundTo(b, value, to)
               : value;
  }
  if (isa<FloatType>(to)) {
    Value value = fromUnsigned ? Value(arith::UIToFPOp::create(b, type, x[0]))
                               : Value(arith::SIToFPOp::create(b, type, x[0]));
    return roundTo(b, value, to);
  }
  if (to.isInteger(1)) {
    if (isa<FloatType>(from))
      return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, x[0],
                                   numberLike(b, x[0], 0));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, x[0],
                                 integerLike(b, x[0], 0));
  }
  if (isa<FloatType>(from))
    return floatToInteger(b, x[0], target, to.isUnsignedInteger());
  unsigned have = laneType(x[0]).getIntOrFloatBitWidth();
  unsigned want = target.getIntOrFloatBitWidth();
  if (have == want)
    return x[0];
  if (have > want)
    return arith::TruncIOp::create(b, type, x[0]);
  return fromUnsigned ? Value(arith::ExtUIOp::create(b, type, x[0]))
                      : Value(arith::ExtSIOp::create(b, type, x[0]));
}

/// Only between types of the same width; bits of floats that are kept in f32
/// are those of the rounded value.
Value bitcastConvert(LaneBuilder &b, Operation *op, Elements x) {
  Type from = elementOf(op->getOperand(0));
  Type to = elementOf(op->getResult(0));
  auto asBits = [&](Type element, Value value) -> Value {
    if (isFloat8(element))
      return toStorage(b, value, element);
    if (element.isBF16()) {
      Value bits = arith::BitcastOp::create(b, typeLike(value, b.getI32Type()),
                                            roundTo(b, value, element));
      bits = arith::ShRUIOp::create(b, bits, integerLike(b, bits, 16));
      return arith::TruncIOp::create(b, typeLike(value, b.getI16Type()), bits);
    }
    if (element.isF16())
      value = arith::TruncFOp::create(b, typeLike(value, element), value);
    if (isa<IntegerType>(laneType(value)))
      return value;
    Type integer = b.getIntegerType(laneType(value).getIntOrFloatBitWidth());
    return arith::BitcastOp::create(b, typeLike(value, integer), value);
  };
  Value bits = asBits(from, x[0]);
  if (isa<IntegerType>(to))
    return bits;
  if (isFloat8(to))
    return fromStorage(b, bits, to);
  if (to.isBF16()) {
    Value wide =
        arith::ExtUIOp::create(b, typeLike(bits, b.getI32Type()), bits);
    wide = arith::ShLIOp::create(b, wide, integerLike(b, wide, 16));
    return arith::BitcastOp::create(b, typeLike(bits, b.getF32Type()), wide);
  }
  Value value = arith::BitcastOp::create(b, typeLike(bits, to), bits);
  if (to.isF16())
    value = arith::ExtFOp::create(b, typeLike(bits, b.getF32Type()), value);
  return value;
}

Value isFinite(LaneBuilder &b, Operation *, Elements x) {
  Value size = math::AbsFOp::create(b, x[0]);
  return arith::CmpFOp::create(
      b, arith::CmpFPredicate::OLT, size,
      numberLike(b, x[0], std::numeric_limits<double>::infinity()));
}

Value rsqrt(LaneBuilder &b, Operation *, Elements x) {
  Value root = math::SqrtOp::create(b, x[0]);
  return arith::DivFOp::create(b, numberLike(b, x[0], 1), root);
}

/// The exponent if it is the same constant for all elements.
std::optional<double> constantExponent(Operation *power) {
  Value exponent = power->getOperand(1);
  if (auto broadcast = exponent.getDefiningOp<stablehlo::BroadcastInDimOp>())
    exponent = broadcast.getOperand();
  auto constant = exponent.getDefiningOp<stablehlo::ConstantOp>();
  if (!constant)
    return {};
  auto values = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!values || !values.isSplat() || !isFloat(exponent))
    return {};
  return values.getSplatValue<APFloat>().convertToDouble();
}

Value integerPower(LaneBuilder &b, Operation *op, Elements x) {
  // Square and multiply over the bits of the exponent. A negative exponent
  // leaves 1, −1 or 0, as 1 / x does in integers.
  unsigned width = laneType(x[0]).getIntOrFloatBitWidth();
  Value zero = integerLike(b, x[1], 0), one = integerLike(b, x[0], 1);
  Value result = one, square = x[0];
  for (unsigned bit = 0; bit < width; ++bit) {
    Value mask = integerLike(b, x[1], static_cast<int64_t>(1ull << bit));
    Value isSet =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                              arith::AndIOp::create(b, x[1], mask), zero);
    Value product = arith::MulIOp::create(b, result, square);
    result = arith::SelectOp::create(b, isSet, product, result);
    square = arith::MulIOp::create(b, square, square);
  }
  if (isUnsigned(op->getResult(0)))
    return result;
  Value isNegative =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x[1], zero);
  Value isOne = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x[0], one);
  Value isMinusOne = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x[0],
                                           integerLike(b, x[0], -1));
  Value isUnit = arith::OrIOp::create(b, isOne, isMinusOne);
  Value inverse =
      arith::SelectOp::create(b, isUnit, result, integerLike(b, x[0], 0));
  return arith::SelectOp::create(b, isNegative, inverse, result);
}

Value power(LaneBuilder &b, Operation *op, Elements x) {
  if (!isFloat(op->getResult(0)))
    return integerPower(b, op, x);
  auto times = [&](Value l, Value r) {
    return contracted<arith::MulFOp>(b, l, r);
  };
  std::optional<double> exponent = constantExponent(op);
  if (exponent == 1.0)
    return x[0];
  if (exponent == 2.0)
    return times(x[0], x[0]);
  if (exponent == 3.0)
    return times(times(x[0], x[0]), x[0]);
  return math::PowFOp::create(b, x[0], x[1]);
}

Value exponential(LaneBuilder &b, Operation *, Elements x) {
  return emitExponential(b, x[0]);
}

Value logarithm(LaneBuilder &b, Operation *, Elements x) {
  return emitLogarithm(b, x[0]);
}

Value sine(LaneBuilder &b, Operation *, Elements x) {
  return emitSine(b, x[0]);
}

Value cosine(LaneBuilder &b, Operation *, Elements x) {
  return emitCosine(b, x[0]);
}

Value inverseErf(LaneBuilder &b, Operation *, Elements x) {
  return emitInverseErf(b, x[0]);
}

Value logGamma(LaneBuilder &b, Operation *, Elements x) {
  return emitRuntimeFunction(b, "smith_log_gamma", x[0]);
}

Value digamma(LaneBuilder &b, Operation *, Elements x) {
  return emitRuntimeFunction(b, "smith_digamma", x[0]);
}

Value polygamma(LaneBuilder &b, Operation *, Elements x) {
  return emitRuntimeFunction(b, "smith_polygamma", {x[0], x[1]});
}

Value zeta(LaneBuilder &b, Operation *, Elements x) {
  return emitRuntimeFunction(b, "smith_zeta", {x[0], x[1]});
}

template <bool positive, bool negative>
Value isInfinite(LaneBuilder &b, Operation *, Elements x) {
  double infinity = std::numeric_limits<double>::infinity();
  Value size =
      positive && negative ? Value(math::AbsFOp::create(b, x[0])) : x[0];
  return arith::CmpFOp::create(
      b, arith::CmpFPredicate::OEQ, size,
      numberLike(b, x[0], positive ? infinity : -infinity));
}

// 1 / (1 + exp(−x)).
Value logistic(LaneBuilder &b, Operation *, Elements x) {
  Value one = numberLike(b, x[0], 1);
  Value power = emitExponential(b, arith::NegFOp::create(b, x[0]));
  return arith::DivFOp::create(b, one, arith::AddFOp::create(b, one, power));
}

} // namespace

void addPointwiseRules(ElementRules &rules) {
  auto add = [&](StringRef name, ElementRule::Pointwise pointwise) {
    rules[name] = {nullptr, pointwise};
  };
  add("stablehlo.abs", absolute);
  add("stablehlo.add", lower::add);
  add("stablehlo.and", integerBinary<arith::AndIOp>);
  add("stablehlo.bitcast_convert", bitcastConvert);
  add("stablehlo.ceil", floatUnary<math::CeilOp>);
  add("stablehlo.clamp", clamp);
  add("stablehlo.compare", compare);
  add("stablehlo.convert", convert);
  add("stablehlo.divide", divide);
  add("stablehlo.floor", floatUnary<math::FloorOp>);
  add("stablehlo.is_finite", isFinite);
  add("stablehlo.maximum", maximum);
  add("stablehlo.minimum", minimum);
  add("stablehlo.multiply", multiply);
  add("stablehlo.negate", negate);
  add("stablehlo.not", bitwiseNot);
  add("stablehlo.or", integerBinary<arith::OrIOp>);
  add("stablehlo.popcnt", floatUnary<math::CtPopOp>);
  add("stablehlo.count_leading_zeros", floatUnary<math::CountLeadingZerosOp>);
  add("stablehlo.round_nearest_afz", floatUnary<math::RoundOp>);
  add("stablehlo.round_nearest_even", floatUnary<math::RoundEvenOp>);
  add("stablehlo.select", select);
  add("stablehlo.shift_left", shiftLeft);
  add("stablehlo.shift_right_arithmetic", shiftRightArithmetic);
  add("stablehlo.shift_right_logical", shiftRightLogical);
  add("stablehlo.sign", sign);
  add("stablehlo.sqrt", floatUnary<math::SqrtOp>);
  add("stablehlo.rsqrt", rsqrt);
  add("stablehlo.subtract", subtract);
  add("stablehlo.xor", integerBinary<arith::XOrIOp>);
  add("chlo.acos", floatUnary<math::AcosOp>);
  add("chlo.acosh", floatUnary<math::AcoshOp>);
  add("chlo.asin", floatUnary<math::AsinOp>);
  add("chlo.asinh", floatUnary<math::AsinhOp>);
  add("chlo.atan", floatUnary<math::AtanOp>);
  add("chlo.atanh", floatUnary<math::AtanhOp>);
  add("chlo.cosh", floatUnary<math::CoshOp>);
  add("chlo.digamma", digamma);
  add("chlo.erf", floatUnary<math::ErfOp>);
  add("chlo.erf_inv", inverseErf);
  add("chlo.erfc", floatUnary<math::ErfcOp>);
  add("chlo.is_inf", isInfinite<true, true>);
  add("chlo.is_neg_inf", isInfinite<false, true>);
  add("chlo.is_pos_inf", isInfinite<true, false>);
  add("chlo.lgamma", logGamma);
  add("chlo.polygamma", polygamma);
  add("chlo.sinh", floatUnary<math::SinhOp>);
  add("chlo.square", square);
  add("chlo.tan", floatUnary<math::TanOp>);
  add("chlo.zeta", zeta);
  add("stablehlo.atan2", integerBinary<math::Atan2Op>);
  add("stablehlo.cbrt", floatUnary<math::CbrtOp>);
  add("stablehlo.cosine", cosine);
  add("stablehlo.exponential", exponential);
  add("stablehlo.exponential_minus_one", floatUnary<math::ExpM1Op>);
  add("stablehlo.log", logarithm);
  add("stablehlo.log_plus_one", floatUnary<math::Log1pOp>);
  add("stablehlo.logistic", logistic);
  add("stablehlo.power", power);
  add("stablehlo.remainder", remainder);
  add("stablehlo.sine", sine);
  add("stablehlo.tan", floatUnary<math::TanOp>);
  add("stablehlo.tanh", floatUnary<math::TanhOp>);
}

} // namespace shardsmith::lower

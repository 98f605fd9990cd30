// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic, comparisons and logic, with NumPy's broadcasting.

#include "../Registry.h"

#include <limits>

namespace shardsmith::onnx {
namespace {

using Direction = stablehlo::ComparisonDirection;

template <typename Op> void unary(Node &node) {
  node.result(node.build.unary<Op>(node.input(0)));
}

template <typename Op> void binary(Node &node) {
  node.result(node.build.binary<Op>(node.input(0), node.input(1)));
}

/// Operators of any number of operands.
template <typename Op> void fold(Node &node) {
  Value result = node.input(0);
  for (int64_t i = 1; i < node.inputCount(); ++i)
    result = node.build.binary<Op>(result, node.input(i));
  node.result(result);
}

void mean(Node &node) {
  Value total = node.input(0);
  for (int64_t i = 1; i < node.inputCount(); ++i)
    total = node.build.add(total, node.input(i));
  node.result(node.build.divide(total, static_cast<double>(node.inputCount())));
}

template <Direction direction> void compare(Node &node) {
  node.result(node.build.compare(node.input(0), direction, node.input(1)));
}

void reciprocal(Node &node) {
  Value x = node.input(0);
  node.result(node.build.divide(node.build.like(x, 1.0), x));
}

void power(Node &node) {
  Builder &build = node.build;
  Value base = node.input(0), exponent = node.input(1);
  Type element = elementOf(base);
  // The result has the type of the base, whatever that of the exponent.
  if (isFloat(base)) {
    node.result(
        build.binary<stablehlo::PowOp>(base, build.convert(exponent, element)));
    return;
  }
  Type wide = isFloat(exponent) ? elementOf(exponent) : element;
  Value result = build.binary<stablehlo::PowOp>(build.convert(base, wide),
                                                build.convert(exponent, wide));
  node.result(build.convert(result, element));
}

/// With fmod = 0 the result has the sign of the divisor, as in Python.
void modulo(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0), y = node.input(1);
  build.broadcastTogether(x, y);
  Value remainder = build.binary<stablehlo::RemOp>(x, y);
  if (node.flag("fmod", false) || elementOf(x).isUnsignedInteger()) {
    node.result(remainder);
    return;
  }
  Value differs =
      build.compare(build.compare(remainder, Direction::LT, 0.0), Direction::NE,
                    build.compare(y, Direction::LT, 0.0));
  Value isWrong = build.binary<stablehlo::AndOp>(
      differs, build.compare(remainder, Direction::NE, 0.0));
  node.result(build.select(isWrong, build.add(remainder, y), remainder));
}

void where(Node &node) {
  if (elementOf(node.input(1)) != elementOf(node.input(2)))
    badInput("its operands 1 and 2 have elements of different types");
  node.result(node.build.select(node.input(0), node.input(1), node.input(2)));
}

void cast(Node &node) {
  node.result(node.build.convert(node.input(0), node.elementType("to", 0)));
}

void castLike(Node &node) {
  node.result(node.build.convert(node.input(0), elementOf(node.input(1))));
}

void clip(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  if (node.hasInput(1))
    x = build.binary<stablehlo::MaxOp>(x, node.input(1));
  if (node.hasInput(2))
    x = build.binary<stablehlo::MinOp>(x, node.input(2));
  node.result(x);
}

void isInfinite(Node &node) {
  Builder &build = node.build;
  Value x = node.input(0);
  double infinity = std::numeric_limits<double>::infinity();
  bool negative = node.flag("detect_negative", true);
  bool positive = node.flag("detect_positive", true);
  Value isPositive = build.compare(x, Direction::EQ, infinity);
  Value isNegative = build.compare(x, Direction::EQ, -infinity);
  if (negative && positive)
    node.result(build.binary<stablehlo::OrOp>(isPositive, isNegative));
  else if (negative || positive)
    node.result(positive ? isPositive : isNegative);
  else
    node.result(build.filled(shapeOf(x), build.boolean(), 0.0));
}

void isNotANumber(Node &node) {
  Value x = node.input(0);
  node.result(node.build.compare(x, Direction::NE, x));
}

void shift(Node &node) {
  std::string direction = node.text("direction", "");
  if (direction == "LEFT")
    return binary<stablehlo::ShiftLeftOp>(node);
  if (direction == "RIGHT")
    return elementOf(node.input(0)).isUnsignedInteger()
               ? binary<stablehlo::ShiftRightLogicalOp>(node)
               : binary<stablehlo::ShiftRightArithmeticOp>(node);
  badInput("its direction is '{}', not LEFT or RIGHT", direction);
}

} // namespace

void registerElementwise(Registry &registry) {
  registry.add("Abs", unary<stablehlo::AbsOp>);
  registry.add("Acos", unary<chlo::AcosOp>);
  registry.add("Acosh", unary<chlo::AcoshOp>);
  registry.add("Add", binary<stablehlo::AddOp>);
  registry.add("And", binary<stablehlo::AndOp>);
  registry.add("Asin", unary<chlo::AsinOp>);
  registry.add("Asinh", unary<chlo::AsinhOp>);
  registry.add("Atan", unary<chlo::AtanOp>);
  registry.add("Atanh", unary<chlo::AtanhOp>);
  registry.add("BitShift", shift);
  registry.add("BitwiseAnd", binary<stablehlo::AndOp>);
  registry.add("BitwiseNot", unary<stablehlo::NotOp>);
  registry.add("BitwiseOr", binary<stablehlo::OrOp>);
  registry.add("BitwiseXor", binary<stablehlo::XorOp>);
  registry.add("Cast", cast);
  registry.add("CastLike", castLike);
  registry.add("Ceil", unary<stablehlo::CeilOp>);
  registry.add("Clip", clip);
  registry.add("Cos", unary<stablehlo::CosineOp>);
  registry.add("Cosh", unary<chlo::CoshOp>);
  registry.add("Div", binary<stablehlo::DivOp>);
  registry.add("Equal", compare<Direction::EQ>);
  registry.add("Erf", unary<chlo::ErfOp>);
  registry.add("Exp", unary<stablehlo::ExpOp>);
  registry.add("Floor", unary<stablehlo::FloorOp>);
  registry.add("Greater", compare<Direction::GT>);
  registry.add("GreaterOrEqual", compare<Direction::GE>);
  registry.add("IsInf", isInfinite);
  registry.add("IsNaN", isNotANumber);
  registry.add("Less", compare<Direction::LT>);
  registry.add("LessOrEqual", compare<Direction::LE>);
  registry.add("Log", unary<stablehlo::LogOp>);
  registry.add("Max", fold<stablehlo::MaxOp>);
  registry.add("Mean", mean);
  registry.add("Min", fold<stablehlo::MinOp>);
  registry.add("Mod", modulo);
  registry.add("Mul", binary<stablehlo::MulOp>);
  registry.add("Neg", unary<stablehlo::NegOp>);
  registry.add("Not", unary<stablehlo::NotOp>);
  registry.add("Or", binary<stablehlo::OrOp>);
  registry.add("Pow", power);
  registry.add("Reciprocal", reciprocal);
  registry.add("Round", unary<stablehlo::RoundNearestEvenOp>);
  registry.add("Sign", unary<stablehlo::SignOp>);
  registry.add("Sin", unary<stablehlo::SineOp>);
  registry.add("Sinh", unary<chlo::SinhOp>);
  registry.add("Sqrt", unary<stablehlo::SqrtOp>);
  registry.add("Sub", binary<stablehlo::SubtractOp>);
  registry.add("Sum", fold<stablehlo::AddOp>);
  registry.add("Tan", unary<stablehlo::TanOp>);
  registry.add("Tanh", unary<stablehlo::TanhOp>);
  registry.add("Where", where);
  registry.add("Xor", binary<stablehlo::XorOp>);
}

} // namespace shardsmith::onnx

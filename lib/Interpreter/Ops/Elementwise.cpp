// SPDX-License-Identifier: Apache-2.0

#include "../Kernels/Elementwise.h"
#include "../Kernels/SpecialFunctions.h"
#include "Register.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"
#include "shardsmith/Interpreter/TensorAttributes.h"

#include <cmath>

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

Rounding roundingOf(BinaryKind kind) {
  switch (kind) {
  case BinaryKind::Add:
  case BinaryKind::Subtract:
  case BinaryKind::Multiply:
  case BinaryKind::Divide:
    return Rounding::Once;
  case BinaryKind::Power:
  case BinaryKind::Atan2:
    return Rounding::Function;
  default:
    return Rounding::None;
  }
}

template <typename OpTy>
void addBinary(EvaluatorRegistry &registry, BinaryKind kind) {
  registry.addFunction<OpTy>(
      [kind](Arguments operands) {
        return applyBinary(kind, operands[0], operands[1]);
      },
      roundingOf(kind));
}

template <typename OpTy>
void addReal(EvaluatorRegistry &registry, RealFunction function,
             Rounding rounding = Rounding::Function) {
  registry.addFunction<OpTy>(
      [function](Arguments operands) {
        return applyReal(function, operands[0]);
      },
      rounding);
}

template <typename OpTy>
void addUnary(EvaluatorRegistry &registry, Tensor (*kernel)(const Tensor &)) {
  registry.addFunction<OpTy>(
      [kernel](Arguments operands) { return kernel(operands[0]); });
}

Comparison directionOf(stablehlo::ComparisonDirection direction) {
  switch (direction) {
  case stablehlo::ComparisonDirection::EQ:
    return Comparison::EQ;
  case stablehlo::ComparisonDirection::NE:
    return Comparison::NE;
  case stablehlo::ComparisonDirection::GE:
    return Comparison::GE;
  case stablehlo::ComparisonDirection::GT:
    return Comparison::GT;
  case stablehlo::ComparisonDirection::LE:
    return Comparison::LE;
  case stablehlo::ComparisonDirection::LT:
    return Comparison::LT;
  }
  llvm_unreachable("all directions are listed");
}

LogicalResult evaluateCompare(stablehlo::CompareOp op, Arguments operands,
                              const Device &, Tensors &results) {
  const bool totalOrder =
      op.getCompareType() == stablehlo::ComparisonType::TOTALORDER;
  results.push_back(compare(directionOf(op.getComparisonDirection()),
                            totalOrder, operands[0], operands[1]));
  return success();
}

LogicalResult evaluateConvert(stablehlo::ConvertOp op, Arguments operands,
                              const Device &, Tensors &results) {
  results.push_back(convert(operands[0], staticTypeOf(op.getType())->element));
  return success();
}

LogicalResult evaluateReducePrecision(stablehlo::ReducePrecisionOp op,
                                      Arguments operands, const Device &device,
                                      Tensors &results) {
  if (isNarrow(operands[0].type()))
    return device.unsupported(op, "eight-bit floats are not supported here");
  results.push_back(
      reducePrecision(operands[0], op.getExponentBits(), op.getMantissaBits()));
  return success();
}

} // namespace

void registerElementwise(EvaluatorRegistry &registry) {
  using namespace stablehlo;
  addBinary<AddOp>(registry, BinaryKind::Add);
  addBinary<AndOp>(registry, BinaryKind::And);
  addBinary<Atan2Op>(registry, BinaryKind::Atan2);
  addBinary<DivOp>(registry, BinaryKind::Divide);
  addBinary<MaxOp>(registry, BinaryKind::Maximum);
  addBinary<MinOp>(registry, BinaryKind::Minimum);
  addBinary<MulOp>(registry, BinaryKind::Multiply);
  addBinary<OrOp>(registry, BinaryKind::Or);
  addBinary<PowOp>(registry, BinaryKind::Power);
  addBinary<RemOp>(registry, BinaryKind::Remainder);
  addBinary<ShiftLeftOp>(registry, BinaryKind::ShiftLeft);
  addBinary<ShiftRightArithmeticOp>(registry, BinaryKind::ShiftRightArithmetic);
  addBinary<ShiftRightLogicalOp>(registry, BinaryKind::ShiftRightLogical);
  addBinary<SubtractOp>(registry, BinaryKind::Subtract);
  addBinary<XorOp>(registry, BinaryKind::Xor);

  addReal<CbrtOp>(registry, std::cbrt);
  addReal<CeilOp>(registry, std::ceil, Rounding::None);
  addReal<CosineOp>(registry, std::cos);
  addReal<ExpOp>(registry, std::exp);
  addReal<Expm1Op>(registry, std::expm1);
  addReal<FloorOp>(registry, std::floor, Rounding::None);
  addReal<Log1pOp>(registry, std::log1p);
  addReal<LogOp>(registry, std::log);
  addReal<LogisticOp>(registry, logistic);
  addReal<RoundNearestEvenOp>(registry, roundNearestEven, Rounding::None);
  addReal<RoundOp>(registry, std::round, Rounding::None);
  addReal<RsqrtOp>(registry, reciprocalSquareRoot);
  addReal<SineOp>(registry, std::sin);
  addReal<SqrtOp>(registry, std::sqrt);
  addReal<TanOp>(registry, std::tan);
  addReal<TanhOp>(registry, std::tanh);

  addUnary<AbsOp>(registry, absolute);
  addUnary<CountLeadingZerosOp>(registry, countLeadingZeros);
  addUnary<IsFiniteOp>(registry, isFinite);
  addUnary<NegOp>(registry, negate);
  addUnary<NotOp>(registry, bitwiseNot);
  addUnary<PopulationCountOp>(registry, countOnes);
  addUnary<SignOp>(registry, signOf);
  // Complex operands have been refused; of a real number the real part is
  // itself and the imaginary part zero.
  registry.addFunction<RealOp>([](Arguments operands) { return operands[0]; });
  registry.addFunction<ImagOp>([](Arguments operands) {
    return Tensor::zeros(operands[0].type(), operands[0].shape());
  });

  registry.addFunction<ClampOp>([](Arguments operands) {
    return clamp(operands[0], operands[1], operands[2]);
  });
  registry.addFunction<SelectOp>([](Arguments operands) {
    return select(operands[0], operands[1], operands[2]);
  });
  registry.add<CompareOp>(evaluateCompare);
  registry.add<ConvertOp>(evaluateConvert, Rounding::Conversion);
  registry.add<ReducePrecisionOp>(evaluateReducePrecision, Rounding::Once);
}

} // namespace shardsmith::inline interpreter

// SPDX-License-Identifier: Apache-2.0
//
// Ops that compute each result element from the operand elements at the same
// place: one pass-through factor per dimension, ([i, j], [i, j])->([i, j]).

#include "Families.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;

namespace shardsmith::stablehlo {
namespace {

template <typename OpTy> FactorRule plainRule(OpTy op) {
  return pointwiseRule(op);
}

/// f(x) with f(a + b) = f(a) + f(b).
template <typename OpTy> FactorRule linearRule(OpTy op) {
  FactorRule rule = pointwiseRule(op);
  rule.linearOperandSets.push_back({0});
  return rule;
}

/// x + y and x - y.
template <typename OpTy> FactorRule sumRule(OpTy op) {
  FactorRule rule = pointwiseRule(op);
  rule.linearOperandSets.push_back({0, 1});
  return rule;
}

FactorRule multiplyRule(MulOp op) {
  FactorRule rule = pointwiseRule(op);
  rule.linearOperandSets.push_back({0});
  rule.linearOperandSets.push_back({1});
  return rule;
}

FactorRule divideRule(DivOp op) {
  FactorRule rule = pointwiseRule(op);
  // Integer division rounds, so partial quotients do not add up.
  if (isa<FloatType>(op.getType().getElementType()))
    rule.linearOperandSets.push_back({0});
  return rule;
}

FactorRule convertRule(ConvertOp op) {
  FactorRule rule = pointwiseRule(op);
  if (isa<FloatType>(op.getOperand().getType().getElementType()) &&
      isa<FloatType>(op.getType().getElementType()))
    rule.linearOperandSets.push_back({0});
  return rule;
}

FactorRule selectRule(SelectOp op) {
  FactorRule rule = pointwiseRule(op);
  rule.linearOperandSets.push_back({1, 2});
  return rule;
}

/// Operand k goes to result k; the pairs have nothing to do with each other.
FactorRule barrierRule(OptimizationBarrierOp op) {
  unsigned count = op->getNumOperands();
  FactorRuleBuilder builder(count, count);
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    for (auto [dim, size] : llvm::enumerate(shapeOf(operand))) {
      FactorRuleBuilder::Place place{unsigned(index), unsigned(dim)};
      builder.add(size, {place}, {place});
    }
  }
  return builder.build();
}

template <typename... OpTys> void attachPlain(MLIRContext *context) {
  (FactorRuleModel<OpTys, plainRule<OpTys>>::attach(context), ...);
}

} // namespace

void attachElementwiseFactorRules(MLIRContext *context) {
  attachPlain<AbsOp, AndOp, Atan2Op, CbrtOp, CeilOp, ClampOp,
              CountLeadingZerosOp, CompareOp, ComplexOp, CosineOp, ExpOp,
              Expm1Op, FloorOp, ImagOp, IsFiniteOp, Log1pOp, LogOp, LogisticOp,
              MapOp, MaxOp, MinOp, NotOp, OrOp, PopulationCountOp, PowOp,
              RealOp, ReducePrecisionOp, RemOp, RoundNearestEvenOp, RoundOp,
              RsqrtOp, ShiftLeftOp, ShiftRightArithmeticOp, ShiftRightLogicalOp,
              SignOp, SineOp, SqrtOp, TanOp, TanhOp, XorOp>(context);
  FactorRuleModel<AddOp, sumRule<AddOp>>::attach(context);
  FactorRuleModel<ConvertOp, convertRule>::attach(context);
  FactorRuleModel<DivOp, divideRule>::attach(context);
  FactorRuleModel<MulOp, multiplyRule>::attach(context);
  FactorRuleModel<NegOp, linearRule<NegOp>>::attach(context);
  FactorRuleModel<OptimizationBarrierOp, barrierRule>::attach(context);
  FactorRuleModel<SelectOp, selectRule>::attach(context);
  FactorRuleModel<SubtractOp, sumRule<SubtractOp>>::attach(context);
}

} // namespace shardsmith::stablehlo

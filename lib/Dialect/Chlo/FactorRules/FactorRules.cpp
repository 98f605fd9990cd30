// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Chlo/FactorRules.h"

#include "shardsmith/Dialect/Chlo/Chlo.h"
#include "shardsmith/Interfaces/FactorRuleModel.h"

using namespace mlir;

namespace shardsmith::chlo {
namespace {

template <typename OpTy> FactorRule elementwiseRule(OpTy op) {
  return pointwiseRule(op);
}

template <typename... OpTys> void attachElementwise(MLIRContext *context) {
  (FactorRuleModel<OpTys, elementwiseRule<OpTys>>::attach(context), ...);
}

/// The searched dimension, the last, must be whole.
FactorRule topKRule(TopKOp op) {
  ArrayRef<int64_t> from = shapeOf(op.getOperand());
  ArrayRef<int64_t> to = shapeOf(op->getResult(0));
  unsigned last = from.size() - 1;
  FactorRuleBuilder builder(1, 2);
  for (unsigned dim = 0; dim < last; ++dim)
    builder.add(from[dim], {{0, dim}}, {{0, dim}, {1, dim}});
  builder.add(from[last], {{0, last}}, {}, FactorKind::NeedReplication);
  builder.add(to[last], {}, {{0, last}, {1, last}},
              FactorKind::NeedReplication);
  return builder.build();
}

} // namespace

void registerChloFactorRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, ChloDialect *dialect) {
    attachElementwise<AcosOp, AcoshOp, AsinOp, AsinhOp, AtanOp, AtanhOp,
                      BesselI1eOp, CoshOp, DigammaOp, ErfInvOp, ErfOp, ErfcOp,
                      IsInfOp, IsNegInfOp, IsPosInfOp, LgammaOp, NextAfterOp,
                      PolygammaOp, SinhOp, SquareOp, TanOp, ZetaOp>(context);
    FactorRuleModel<TopKOp, topKRule>::attach(context);
  });
}

} // namespace shardsmith::chlo

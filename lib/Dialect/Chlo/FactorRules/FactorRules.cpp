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

/// A contraction whose ragged dimension must be whole: `group_sizes` counts
/// from its beginning. So must the groups.
///
///   ([m, k], [g, k, n], [s])->([m, n])    need_replication={m, g, s}
///   ([k, m], [k, n], [s])->([g, m, n])    need_replication={k, g, s}
FactorRule raggedDotRule(RaggedDotOp op) {
  RaggedDotDimensionNumbersAttr numbers = op.getRaggedDotDimensionNumbers();
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs());
  ArrayRef<int64_t> lhsBatching = numbers.getLhsBatchingDimensions();
  ArrayRef<int64_t> rhsBatching = numbers.getRhsBatchingDimensions();
  ArrayRef<int64_t> lhsSummed = numbers.getLhsContractingDimensions();
  ArrayRef<int64_t> rhsSummed = numbers.getRhsContractingDimensions();
  ArrayRef<int64_t> groups = numbers.getRhsGroupDimensions();
  int64_t ragged = numbers.getLhsRaggedDimensions().front();
  auto kindOf = [&](int64_t lhsDim, FactorKind otherwise) {
    return lhsDim == ragged ? FactorKind::NeedReplication : otherwise;
  };
  FactorRuleBuilder builder(/*operandCount=*/3, /*resultCount=*/1);
  unsigned inResult = 0;
  if (llvm::is_contained(lhsSummed, ragged)) {
    int64_t count = shapeOf(op.getResult())[inResult];
    builder.add(count, {}, {{0, inResult++}}, FactorKind::NeedReplication);
  }
  for (auto [left, right] : llvm::zip_equal(lhsBatching, rhsBatching))
    builder.add(lhs[left], {{0, unsigned(left)}, {1, unsigned(right)}},
                {{0, inResult++}}, kindOf(left, FactorKind::PassThrough));
  for (unsigned dim = 0; dim < lhs.size(); ++dim)
    if (!llvm::is_contained(lhsBatching, dim) &&
        !llvm::is_contained(lhsSummed, dim))
      builder.add(lhs[dim], {{0, dim}}, {{0, inResult++}},
                  kindOf(dim, FactorKind::PassThrough));
  for (unsigned dim = 0; dim < rhs.size(); ++dim)
    if (llvm::is_contained(groups, dim))
      builder.add(rhs[dim], {{1, dim}}, {}, FactorKind::NeedReplication);
    else if (!llvm::is_contained(rhsBatching, dim) &&
             !llvm::is_contained(rhsSummed, dim))
      builder.add(rhs[dim], {{1, dim}}, {{0, inResult++}});
  for (auto [left, right] : llvm::zip_equal(lhsSummed, rhsSummed))
    builder.add(lhs[left], {{0, unsigned(left)}, {1, unsigned(right)}}, {},
                kindOf(left, FactorKind::Reduction));
  builder.add(shapeOf(op.getGroupSizes())[0], {{2, 0}}, {},
              FactorKind::NeedReplication);
  builder.addLinearSet({0});
  builder.addLinearSet({1});
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
    FactorRuleModel<RaggedDotOp, raggedDotRule>::attach(context);
  });
}

} // namespace shardsmith::chlo

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interfaces/FactorRuleInterface.h"
#include "shardsmith/Interfaces/NeighbourhoodInterface.h"
#include "shardsmith/Interfaces/Passes.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_REPORTFACTORRULES
#include "shardsmith/Interfaces/Passes.h.inc"

namespace {

SmallVector<ArrayRef<int64_t>> shapesOf(TypeRange types) {
  SmallVector<ArrayRef<int64_t>> shapes;
  for (Type type : types)
    shapes.push_back(cast<RankedTensorType>(type).getShape());
  return shapes;
}

struct ReportFactorRules : impl::ReportFactorRulesBase<ReportFactorRules> {
  void runOnOperation() override {
    // Ops in regions (reducers, comparators) work on scalars.
    for (auto op : getOperation().getOps<FactorRuleInterface>()) {
      FactorRule rule = op.getFactorRule();
      Neighbourhoods neighbourhoods = getNeighbourhoods(op);
      std::string needed = textOf(neighbourhoods);
      op.emitRemark() << rule.str() << (needed.empty() ? "" : " ") << needed;
      std::string broken = rule.verify(shapesOf(op->getOperandTypes()),
                                       shapesOf(op->getResultTypes()));
      if (broken.empty())
        broken = verifyNeighbourhoods(rule, neighbourhoods);
      if (broken.empty())
        continue;
      op.emitError() << "broken factor rule: " << broken;
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace shardsmith

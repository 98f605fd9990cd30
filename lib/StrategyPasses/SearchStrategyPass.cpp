// SPDX-License-Identifier: Apache-2.0

#include "PlanAttribute.h"
#include "ReadSearch.h"

#include "shardsmith/StrategyPasses/Passes.h"

#include <fmt/format.h>

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_SEARCHSTRATEGY
#include "shardsmith/StrategyPasses/Passes.h.inc"

namespace {

/// Why a search has no plan.
std::string describeNoPlan(const SearchResult &result, const Cluster &cluster) {
  if (!result.infeasibility)
    return "the search was stopped before it found a plan; time-limit gives "
           "it longer";
  const Infeasibility &reason = *result.infeasibility;
  if (!reason.nearest)
    return reason.contradiction;
  return fmt::format("nothing fits {}: the nearest plan ({}) needs {} bytes "
                     "more per device; the largest part is {}",
                     cluster.name, reason.nearest->str(),
                     reason.missing.count(), reason.largestItem);
}

class SearchStrategyPass : public impl::SearchStrategyBase<SearchStrategyPass> {
public:
  using SearchStrategyBase::SearchStrategyBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::unique_ptr<SearchProblem> problem =
        readSearch(module, {cluster, profile, fix, forbid, margin, timeLimit});
    if (!problem)
      return signalPassFailure();
    problem->options.planCount = 1;
    problem->options.simplestOfEquals = true;
    CostContext inputs = problem->context();
    SearchResult result = searchStrategies(inputs, problem->options);
    if (result.plans.empty()) {
      emitError(module.getLoc(), describeNoPlan(result, problem->cluster));
      return signalPassFailure();
    }
    module->setAttr(kPlanAttributeName,
                    planAttribute(&getContext(), inputs, result));
  }
};

} // namespace
} // namespace shardsmith

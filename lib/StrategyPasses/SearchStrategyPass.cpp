// SPDX-License-Identifier: Apache-2.0

#include "PlanAttribute.h"
#include "ReadWorkload.h"

#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Dialect/Smith/DerivativeOps.h"
#include "shardsmith/Plan/Search/Search.h"
#include "shardsmith/StrategyPasses/Passes.h"

#include "mlir/IR/OwningOpRef.h"

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
    if (!module.getOps<sdy::MeshOp>().empty())
      return fail("the module has a mesh, and so shardings of its own; the "
                  "strategy search decides all layouts");
    OwningOpRef<ModuleOp> plain = cast<ModuleOp>(module->clone());
    smith::eraseCustomDerivatives(*plain);
    std::optional<workload::Workload> workload = readWorkload(*plain, nullptr);
    if (!workload)
      return signalPassFailure();
    ClusterResult found = findCluster(cluster);
    if (!found.cluster)
      return fail(found.errorText());
    if (std::string limits = found.cluster->limitsProblem(); !limits.empty())
      return fail(limits);
    std::string problem;
    std::optional<StackProfile> stack = findProfile(
        profile.empty() ? defaultProfileName(*found.cluster) : profile,
        problem);
    if (!stack)
      return fail(problem);
    search(*workload, *found.cluster, *stack);
  }

private:
  void search(const workload::Workload &workload, const Cluster &machines,
              const StackProfile &stack) {
    SearchOptions options;
    std::optional<std::string> problem;
    if (!fix.empty())
      problem = options.constraints.fix(fix.getValue());
    if (problem)
      return fail("fix: " + *problem);
    if (!forbid.empty())
      problem = options.constraints.forbid(forbid.getValue());
    if (problem)
      return fail("forbid: " + *problem);
    options.planCount = 1;
    options.simplestOfEquals = true;
    if (!(margin >= 0 && margin < 1))
      return fail(
          fmt::format("margin: expected a share of at least 0 and below "
                      "1, got {}",
                      margin.getValue()));
    // No search takes ten years.
    if (timeLimit > 0)
      options.timeLimit = std::chrono::milliseconds(
          int64_t(std::min<double>(timeLimit, 3e8) * 1e3));
    ClusterTopology topology(machines);
    CostContext inputs{workload, topology, stack, {margin}};
    SearchResult result = searchStrategies(inputs, options);
    if (result.plans.empty())
      return fail(describeNoPlan(result, machines));
    getOperation()->setAttr(kPlanAttributeName,
                            planAttribute(&getContext(), inputs, result));
  }

  void fail(const std::string &problem) {
    emitError(getOperation().getLoc(), problem);
    signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith

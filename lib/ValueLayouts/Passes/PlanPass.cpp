// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Cluster/Topology.h"
#include "shardsmith/PlanFiles/PlanDocument.h"
#include "shardsmith/Support/AtomicFile.h"
#include "shardsmith/ValueLayouts/Complete/SearchPlan.h"
#include "shardsmith/ValueLayouts/Passes.h"

#include <fmt/format.h>

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_PLANTRAINSTEP
#include "shardsmith/ValueLayouts/Passes.h.inc"

namespace {

class PlanTrainStepPass : public impl::PlanTrainStepBase<PlanTrainStepPass> {
public:
  using PlanTrainStepBase::PlanTrainStepBase;

  void runOnOperation() override {
    if (llvm::Error error = run()) {
      std::string message;
      takeError(std::move(error), message);
      mlir::emitError(getOperation().getLoc(), message);
      signalPassFailure();
    }
  }

private:
  llvm::Error run() {
    auto function = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!function)
      return makeError(ExitCode::BadInput, "the module has no @main");
    ClusterResult found = findCluster(cluster);
    if (!found.cluster)
      return makeError(ExitCode::BadInput, found.errorText());
    if (std::string limits = found.cluster->limitsProblem(); !limits.empty())
      return makeError(ExitCode::BadInput, limits);

    PlanOptions options;
    options.memoryMargin = margin;
    options.effort = effort;
    options.timeLimitSeconds = timeLimit;
    if (!fix.empty()) {
      auto axes = parseFixedAxes(fix);
      if (!axes)
        return axes.takeError();
      options.fix = std::move(*axes);
    }
    std::string problem;
    std::optional<StackProfile> stack = findProfile(
        profile.empty() ? defaultProfileName(*found.cluster) : profile,
        problem);
    if (!stack)
      return makeError(ExitCode::BadInput, problem);
    llvm::Expected<StepPlan> plan =
        searchPlan(function, *found.cluster, *stack, options);
    if (!plan)
      return plan.takeError();
    if (!file.empty())
      if (llvm::Error error = write(*found.cluster, *plan))
        return error;
    return applyPlan(getOperation(), *plan);
  }

  llvm::Error write(const Cluster &machines, const StepPlan &plan) {
    std::vector<PlannedPool> pools;
    ClusterTopology topology(machines);
    for (const DevicePool &pool : topology.pools())
      pools.push_back({pool.type, pool.count()});
    std::vector<PlanOption> options = {{"cluster", cluster, true}};
    if (!fix.empty())
      options.push_back({"fix", fix, true});
    options.push_back({"margin", fmt::format("{}", margin.getValue())});
    options.push_back({"time-limit", fmt::format("{}", timeLimit.getValue())});
    std::string problem = writeFileAtomically(
        file, toJson(planWithoutStrategy(plan, pools, options)));
    if (!problem.empty())
      return makeError(ExitCode::Environment, problem);
    return llvm::Error::success();
  }
};

} // namespace
} // namespace shardsmith

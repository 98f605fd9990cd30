// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/ValueLayouts/Complete/SearchPlan.h"
#include "shardsmith/ValueLayouts/File/PlanFile.h"
#include "shardsmith/ValueLayouts/Passes.h"

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
    llvm::Expected<Plan> plan =
        searchPlan(function, *found.cluster, *stack, options);
    if (!plan)
      return plan.takeError();
    if (!file.empty())
      if (llvm::Error error = writePlan(file, *plan))
        return error;
    return applyPlan(getOperation(), *plan);
  }
};

} // namespace
} // namespace shardsmith

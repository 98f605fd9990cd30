// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/PlanFiles/PlanDocument.h"
#include "shardsmith/ValueLayouts/Complete/SearchPlan.h"
#include "shardsmith/ValueLayouts/Passes.h"

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_APPLYPLANFILE
#include "shardsmith/ValueLayouts/Passes.h.inc"

namespace {

class ApplyPlanFilePass : public impl::ApplyPlanFileBase<ApplyPlanFilePass> {
public:
  using ApplyPlanFileBase::ApplyPlanFileBase;

  void runOnOperation() override {
    std::string message;
    if (std::optional<StepPlan> plan = readStepPlan(file, message)) {
      llvm::Error error = applyPlan(getOperation(), *plan);
      if (!error)
        return;
      takeError(std::move(error), message);
    }
    mlir::emitError(getOperation().getLoc(), message);
    signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/ValueLayouts/Complete/SearchPlan.h"
#include "shardsmith/ValueLayouts/File/PlanFile.h"
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
    llvm::Expected<Plan> plan = readPlan(file);
    llvm::Error error =
        plan ? applyPlan(getOperation(), *plan) : plan.takeError();
    if (!error)
      return;
    std::string message;
    takeError(std::move(error), message);
    mlir::emitError(getOperation().getLoc(), message);
    signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "PlanAttribute.h"
#include "ReadWorkload.h"

#include "shardsmith/Dialect/Smith/DerivativeOps.h"
#include "shardsmith/StrategyPasses/Passes.h"
#include "shardsmith/ValueLayouts/Annotate/AnnotateGraph.h"

#include "mlir/IR/OwningOpRef.h"

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_ANNOTATESTRATEGY
#include "shardsmith/StrategyPasses/Passes.h.inc"

namespace {

class AnnotateStrategyPass
    : public impl::AnnotateStrategyBase<AnnotateStrategyPass> {
public:
  using AnnotateStrategyBase::AnnotateStrategyBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    IRMapping copies;
    OwningOpRef<ModuleOp> copy;
    if (forTraining)
      copy = cast<ModuleOp>(module->clone(copies));
    ModuleOp plain = forTraining ? *copy : module;
    smith::eraseCustomDerivatives(plain);

    workload::GraphMap map;
    std::optional<workload::Workload> workload = readWorkload(plain, &map);
    if (!workload)
      return signalPassFailure();
    std::string problem;
    std::optional<Strategy> strategy =
        plannedStrategy(module, *workload, problem);
    if (!strategy) {
      emitError(module.getLoc(), problem);
      return signalPassFailure();
    }
    llvm::Error error = forTraining
                            ? annotateForTraining(module, plain, copies, map,
                                                  *workload, *strategy)
                            : annotateGraph(module, map, *workload, *strategy);
    if (error) {
      takeError(std::move(error), problem);
      emitError(module.getLoc(), problem);
      return signalPassFailure();
    }
    module->removeAttr(kPlanAttributeName);
  }
};

} // namespace
} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/Common/Passes.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_DROPBARRIERS
#include "shardsmith/Lower/Common/Passes.h.inc"

namespace {

struct DropBarriersPass : public impl::DropBarriersBase<DropBarriersPass> {
  void runOnOperation() override {
    getOperation().walk([](stablehlo::OptimizationBarrierOp barrier) {
      barrier->replaceAllUsesWith(barrier->getOperands());
      barrier.erase();
    });
  }
};

} // namespace
} // namespace shardsmith

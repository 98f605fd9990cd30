// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/CUDA/KernelTraffic.h"
#include "shardsmith/Lower/CUDA/Passes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_ESTIMATEKERNELS
#include "shardsmith/Lower/CUDA/Passes.h.inc"

namespace {

struct EstimateKernels : impl::EstimateKernelsBase<EstimateKernels> {
  void runOnOperation() override {
    Builder builder(&getContext());
    auto result = getOperation().walk([&](gpu::GPUFuncOp function) {
      FailureOr<lower::KernelTraffic> traffic =
          lower::estimateTraffic(function);
      if (failed(traffic))
        return WalkResult::interrupt();
      auto named = [&](StringRef name, Attribute value) {
        return builder.getNamedAttr(name, value);
      };
      function->setAttr(
          "smith.traffic",
          builder.getDictionaryAttr(
              {named("active_lanes",
                     builder.getF64FloatAttr(traffic->activeLanes)),
               named("asked",
                     builder.getI64IntegerAttr(traffic->asked.count())),
               named("buffers",
                     builder.getI64IntegerAttr(traffic->buffers.count())),
               named("coalescing",
                     builder.getF64FloatAttr(traffic->coalescing)),
               named("data_dependent",
                     builder.getBoolAttr(traffic->dependsOnData)),
               named("exact", builder.getBoolAttr(traffic->isExact)),
               named("moved",
                     builder.getI64IntegerAttr(traffic->moved.count())),
               named("shared",
                     builder.getI64IntegerAttr(traffic->shared.count()))}));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith

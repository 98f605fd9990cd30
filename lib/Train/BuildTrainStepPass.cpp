// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Train/Passes.h"
#include "shardsmith/Train/TrainStep.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_BUILDTRAINSTEP
#include "shardsmith/Train/Passes.h.inc"

namespace {

struct BuildTrainStepPass : impl::BuildTrainStepBase<BuildTrainStepPass> {
  using BuildTrainStepBase::BuildTrainStepBase;

  void runOnOperation() override {
    FailureOr<TrainOptions> options = readOptions();
    if (failed(options) || failed(buildTrainStep(getOperation(), *options)))
      signalPassFailure();
  }

private:
  FailureOr<TrainOptions> readOptions() {
    TrainOptions options;
    options.optimizer = {.name = optimizer,
                         .learningRate = learningRate,
                         .momentum = momentum,
                         .nesterov = nesterov,
                         .firstDecay = firstDecay,
                         .secondDecay = secondDecay,
                         .epsilon = epsilon,
                         .weightDecay = weightDecay};
    if (clipNorm != 0.0)
      options.clipNorm = clipNorm;
    std::optional<ComputeType> type = computeTypeNamed(computeType);
    if (!type)
      return getOperation().emitError("unknown compute-dtype '")
             << computeType << "': expected f32, bf16 or f8";
    options.computeType = *type;
    return options;
  }
};

} // namespace
} // namespace shardsmith

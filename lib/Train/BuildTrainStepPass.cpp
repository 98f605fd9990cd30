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
    if (!computeType.empty() && computeType != "bf16" && computeType != "f32")
      return getOperation().emitError("unknown compute-dtype '")
             << computeType << "': expected f32 or bf16";
    options.computeInBFloat16 = computeType == "bf16";
    return options;
  }
};

} // namespace
} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Partition/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

namespace shardsmith {

static void buildLocalProgram(mlir::OpPassManager &passes) {
  // Says where values change layout, so that each op is free of conflicts.
  passes.addPass(createInsertReshards());
  // Says how they change; the planner has priced exactly these steps.
  passes.addPass(createReshardsToCollectives());
  // Steps of neighbouring reshards may meet.
  passes.addPass(createCanonicalizeCollectives());
  passes.addPass(createCountMicroBatches());
  passes.addPass(createGlobalToLocal());
  // Shard offsets and masks are built where they are needed, many times over.
  passes.addPass(mlir::createCSEPass());
  // Rows of experts move in exchanges of their own.
  passes.addPass(createExchangeExactRows());
}

void buildPartitionPipeline(mlir::OpPassManager &passes) {
  buildLocalProgram(passes);
  passes.addPass(createOutlineMicroBatches());
  // Loops of a micro-batch are called by its function.
  passes.addPass(createOutlineLoops());
}

void buildStagesPipeline(mlir::OpPassManager &passes) {
  buildLocalProgram(passes);
  passes.addPass(createScheduleStages());
  passes.addPass(createOutlineLoops());
}

void registerPartitionPipeline() {
  mlir::PassPipelineRegistration<>(
      "partition", "From the annotated program to the program of one device",
      buildPartitionPipeline);
  mlir::PassPipelineRegistration<>(
      "partition-into-stages",
      "From the annotated program with a schedule to programs of ranks",
      buildStagesPipeline);
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_PARTITION_PASSES_H
#define SHARDSMITH_PARTITION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace shardsmith {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "shardsmith/Partition/Passes.h.inc"

/// Appends the passes that turn an annotated program into the program of one
/// device, which computes all stages that there are.
void buildPartitionPipeline(mlir::OpPassManager &passes);

/// The same into programs of ranks, each with its own stages. The program has a
/// schedule.
void buildStagesPipeline(mlir::OpPassManager &passes);

/// Registers the pipelines `partition` and `partition-into-stages`.
void registerPartitionPipeline();

} // namespace shardsmith

#endif // SHARDSMITH_PARTITION_PASSES_H

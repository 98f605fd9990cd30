// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_PARTITION_PASSES_H
#define SHARDSMITH_PARTITION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace shardsmith {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "shardsmith/Partition/Passes.h.inc"

/// Appends the passes that turn an annotated program into the program of one
/// device.
void buildPartitionPipeline(mlir::OpPassManager &passes);

/// Registers the pipeline `partition`.
void registerPartitionPipeline();

} // namespace shardsmith

#endif // SHARDSMITH_PARTITION_PASSES_H

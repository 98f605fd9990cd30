// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_CPU_PROGRAM_ATTENTIONCALL_H
#define SHARDSMITH_LIB_LOWER_CPU_PROGRAM_ATTENTIONCALL_H

#include "shardsmith/Dialect/Smith/AttentionOps.h"
#include "shardsmith/Runtime/ABI.h"

#include <string>

namespace shardsmith::cpu {

/// Why an attention or its gradient cannot be lowered; empty if it can.
std::string whyNotAttention(mlir::Operation *op);

/// The attention as the runtime takes it.
smith_attention describeAttention(smith::AttentionOp op);
smith_attention describeAttention(smith::AttentionGradientOp op);
smith_attention describeAttention(smith::PartialAttentionOp op);
smith_attention describeAttention(smith::PartialAttentionGradientOp op);

} // namespace shardsmith::cpu

#endif // SHARDSMITH_LIB_LOWER_CPU_PROGRAM_ATTENTIONCALL_H

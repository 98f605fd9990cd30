// SPDX-License-Identifier: Apache-2.0
//
// Attention as one op, and its derivative.

#ifndef SHARDSMITH_DIALECT_SMITH_ATTENTIONOPS_H
#define SHARDSMITH_DIALECT_SMITH_ATTENTIONOPS_H

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Interfaces/CostInterface.h"
#include "shardsmith/Interfaces/DifferentiableInterface.h"
#include "shardsmith/Interfaces/FactorRuleInterface.h"
#include "shardsmith/Interfaces/PositionOrderInterface.h"

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithAttentionOps.h.inc"

namespace shardsmith::smith {

/// The sizes that the tensors of an attention have in common. Leading
/// dimensions are samples and heads of keys.
struct AttentionSizes {
  llvm::ArrayRef<int64_t> batch;
  int64_t groups, queries, keys, keySize, valueSize;
};

/// True of attention, its gradient, and the parts that a ring makes of them.
bool isAttention(mlir::Operation *op);

/// Of tensors that the verifiers have seen: `[b…, g, q, d]`, `[b…, k, d]` and
/// `[b…, k, v]`.
AttentionSizes attentionSizes(mlir::RankedTensorType query,
                              mlir::RankedTensorType key,
                              mlir::RankedTensorType value);

} // namespace shardsmith::smith

#endif // SHARDSMITH_DIALECT_SMITH_ATTENTIONOPS_H

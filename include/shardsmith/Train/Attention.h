// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TRAIN_ATTENTION_H
#define SHARDSMITH_TRAIN_ATTENTION_H

#include "mlir/IR/BuiltinOps.h"

#include <limits>
#include <string>

namespace shardsmith {

/// Where attention becomes one op: with at least this many scores per head of
/// queries, of the whole sequence. bench/attention.py measures it.
inline constexpr int64_t leastAttentionScores = 512 * 512;

/// For targets that have no kernel for the one op.
inline constexpr int64_t noAttentionIsOneOp =
    std::numeric_limits<int64_t>::max();

/// Makes one op of every attention in `@main` of a loss graph, as the pass
/// `recognize-attention` does.
void recognizeAttention(mlir::ModuleOp module,
                        int64_t leastScores = leastAttentionScores);

/// Deals the positions of causal rings out to ranks so that all have as much
/// work, as the pass `deal-positions` does, if the graph lets them be in
/// another order. Why it does not, or empty if there is nothing left to say.
std::string dealPositions(mlir::ModuleOp module);

} // namespace shardsmith

#endif // SHARDSMITH_TRAIN_ATTENTION_H

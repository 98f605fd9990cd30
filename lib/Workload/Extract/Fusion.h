// SPDX-License-Identifier: Apache-2.0
//
// Which ops of a block become one op of the workload: attention as a whole,
// element-wise ops and row reductions as far as one kernel can do them
// together, everything else alone.
//
// Every op has a *level*: one more than those of its operands for ops that are
// kernels by themselves, the largest of its operands for fusible ones. Fusible
// ops of one level that read one another are one group. Between two ops of one
// level there is no path through an op that is a kernel by itself, so the
// groups cannot wait for one another in a circle. Nor can they if a group is in
// loops (over time, say) as a whole: what leaves a loop is a kernel by itself.
//
//     level 0   norm of x
//     level 1   product, then bias and gelu
//     level 2   product, then the sum with x and the next norm

#ifndef SHARDSMITH_LIB_WORKLOAD_EXTRACT_FUSION_H
#define SHARDSMITH_LIB_WORKLOAD_EXTRACT_FUSION_H

#include "AttentionPattern.h"

namespace shardsmith::workload {

struct OpGroup {
  /// In program order.
  llvm::SmallVector<mlir::Operation *> ops;
  bool isFused = false;
  const Attention *attention = nullptr;
};

using AttentionMap = llvm::DenseMap<mlir::Operation *, const Attention *>;

/// Groups of compute ops, in an order in which they can run. `attentions` maps
/// all ops of every attention that lies within `ops` as a whole.
std::vector<OpGroup> formGroups(const ModelGraph &graph,
                                llvm::ArrayRef<mlir::Operation *> ops,
                                const AttentionMap &attentions,
                                llvm::ArrayRef<mlir::Value> outputs);

} // namespace shardsmith::workload

#endif // SHARDSMITH_LIB_WORKLOAD_EXTRACT_FUSION_H

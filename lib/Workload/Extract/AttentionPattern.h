// SPDX-License-Identifier: Apache-2.0
//
// Attention as a pattern of ops: two products with a softmax in between, in
// whatever spelling.
//
//     q, k ─▶ scores ─▶ scale, mask, bias, exp, max, sum, … ─▶ p ─┐
//                                                    v ───────────┴▶ mixed

#ifndef SHARDSMITH_LIB_WORKLOAD_EXTRACT_ATTENTIONPATTERN_H
#define SHARDSMITH_LIB_WORKLOAD_EXTRACT_ATTENTIONPATTERN_H

#include "ModelGraph.h"

namespace shardsmith::workload {

/// A leaf of the products, by the part it plays.
struct AttentionLeaf {
  enum class Part { Batch, KeyValueHead, Group, Query, Key, HeadSize, Value };
  Part part;
  int64_t size;
  AxisId axis;
};

/// Leaves are numbered as in `leaves`.
struct Attention {
  mlir::Operation *scores = nullptr, *mix = nullptr;
  /// All ops that are part of it, in program order.
  llvm::SmallVector<mlir::Operation *> ops;
  /// For a leaf that no product has.
  static constexpr unsigned noLeaf = ~0u;

  /// Operands of the products, with a constant scale taken into attention, and
  /// per leaf of each the number of the product's leaf.
  struct Operand {
    mlir::Value value;
    llvm::SmallVector<unsigned, 4> leaves;
  };
  Operand query, key, value, probabilities, result;
  /// Biases and masks that are no constants.
  llvm::SmallVector<Operand> others;
  llvm::SmallVector<AttentionLeaf> leaves;
  bool causal = false;
};

/// Every attention of a function; makes the axes of queries and keys
/// sequences.
std::vector<Attention> findAttentions(ModelGraph &graph,
                                      mlir::func::FuncOp function);

} // namespace shardsmith::workload

#endif // SHARDSMITH_LIB_WORKLOAD_EXTRACT_ATTENTIONPATTERN_H

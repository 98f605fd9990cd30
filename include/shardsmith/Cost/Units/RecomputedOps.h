// SPDX-License-Identifier: Apache-2.0
//
// What a block computes again before its backward pass when only part of its
// tensors were kept. Whatever leads to nothing that the backward pass reads is
// left out by stacks that stop early, such as a feed-forward part's last
// product:
//
//     input ─▶ norm ─▶ up ─▶ activation ─▶ down ─▶ output
//     kept     └───── computed again ────┘ └── left out ──┘
//
// and what was kept is not computed again. Every second product (●) being kept:
//
//     input ─▶ norm ─▶ q ● ──▶ rotate ─▶ attention ● ─▶ o ─▶ norm ─▶ gate ● …
//     kept     again   kept    again     kept           again      kept

#ifndef SHARDSMITH_COST_UNITS_RECOMPUTEDOPS_H
#define SHARDSMITH_COST_UNITS_RECOMPUTEDOPS_H

#include "shardsmith/Workload/Workload.h"

#include <vector>

namespace shardsmith {

class RecomputedOps {
public:
  /// What full recomputation computes again: only the inputs of the block were
  /// kept.
  static RecomputedOps withInputs(const workload::Block &block,
                                  bool stopsEarly);
  /// What selective recomputation computes again: the inputs, the results of
  /// attention and those of the first, third, … product were kept.
  static RecomputedOps withProducts(const workload::Block &block,
                                    bool fusedAttention);

  /// Whether the op runs again.
  bool runs(workload::OpIndex op) const { return running[op]; }
  /// Whether an op that makes the tensor, or one that reads it, runs again.
  bool makes(workload::TensorIndex tensor) const { return made[tensor]; }
  bool reads(workload::TensorIndex tensor) const { return read[tensor]; }
  /// Whether the tensor, which is no input, was kept and is needed.
  bool keeps(workload::TensorIndex tensor) const { return kept[tensor]; }
  /// Whether a product makes the tensor.
  bool isProduct(workload::TensorIndex tensor) const { return product[tensor]; }

private:
  explicit RecomputedOps(const workload::Block &block);
  /// Marks the ops that lead to tensors which the backward pass reads, and
  /// drops from `kept` what is not needed.
  void trace(const workload::Block &block, bool fusedAttention);

  std::vector<bool> running, made, read, kept, product;
};

} // namespace shardsmith

#endif // SHARDSMITH_COST_UNITS_RECOMPUTEDOPS_H

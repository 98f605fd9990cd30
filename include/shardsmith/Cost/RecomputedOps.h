// SPDX-License-Identifier: Apache-2.0
//
// What a block computes again before its backward pass when only its inputs
// were kept. Stacks that stop early skip whatever nothing in the backward pass
// needs, such as a feed-forward part's last product:
//
//     input ─▶ norm ─▶ up ─▶ activation ─▶ down ─▶ output
//     kept     └───── computed again ────┘ └── left out ──┘

#ifndef SHARDSMITH_COST_RECOMPUTEDOPS_H
#define SHARDSMITH_COST_RECOMPUTEDOPS_H

#include "shardsmith/Workload/Workload.h"

#include <vector>

namespace shardsmith {

class RecomputedOps {
public:
  RecomputedOps(const workload::Block &block, bool stopsEarly);

  /// The op runs again.
  bool runs(workload::OpIndex op) const { return running[op]; }
  /// An op that makes the tensor, or that reads it, runs again.
  bool makes(workload::TensorIndex tensor) const { return made[tensor]; }
  bool reads(workload::TensorIndex tensor) const { return read[tensor]; }

private:
  std::vector<bool> running, made, read;
};

} // namespace shardsmith

#endif // SHARDSMITH_COST_RECOMPUTEDOPS_H

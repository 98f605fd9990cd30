// SPDX-License-Identifier: Apache-2.0
//
// A good layout of a block, however large the block is: ops are split one after
// the other, in the order of the block, and of the splits of all ops so far
// only the best few are gone on with. Two that leave the same to whoever comes
// next are one, the better of them, so that a narrow block loses nothing:
//
//     op 0    ───┬─ whole ────┬─ whole … 12.1  ─┬─ …
//                │            └─ heads … 10.9  ─┤
//                └─ columns ─── heads …  9.8  ─┘  <- only these go on

#ifndef SHARDSMITH_LIB_PLAN_BLOCKS_BEAMSEARCH_H
#define SHARDSMITH_LIB_PLAN_BLOCKS_BEAMSEARCH_H

#include "WeightedObjectives.h"

#include <functional>
#include <optional>

namespace shardsmith::blocks {

class BeamSearch {
public:
  /// One model per kind of device; they must outlive this. `border`: the layout
  /// of those inputs and outputs that may have it, and whole for others; by
  /// default whatever is best for each.
  BeamSearch(std::span<const UnitCostModel *const> models,
             const WeightedObjective &objective,
             std::optional<TensorLayout> border);

  /// Nothing if no split of some op can run, or `mustStop()`.
  std::optional<BlockLayout> run(const std::function<bool()> &mustStop);

private:
  /// The layout that a tensor is made in and those that it is read in, as far
  /// as they are decided.
  struct Use {
    std::optional<TensorLayout> from;
    ReadingSet readings;

    bool operator==(const Use &) const = default;
  };
  struct KeptUse {
    Use use;
    double cost = 0;
    TensorLayout kept;
  };
  struct Beam {
    double cost = 0;
    std::vector<Use> uses;
    /// The splits of the ops that are decided, in their order.
    std::vector<OpSplit> splits;
  };
  struct Step {
    size_t beam;
    OpSplit split;
    double cost;
    uint64_t left;
  };

  /// The cheapest layout to keep a tensor in that is used so, and its cost.
  const KeptUse &keptUse(workload::TensorIndex tensor, const Use &use);
  double costOf(workload::TensorIndex tensor, const Use &use,
                TensorLayout kept) const;
  double costOf(workload::OpIndex op, OpSplit split) const;
  /// Tensors that the op reads or makes, each once, and what becomes of them.
  using Uses = std::vector<std::pair<workload::TensorIndex, Use>>;
  Uses usesAfter(const Beam &beam, workload::OpIndex op, OpSplit split) const;
  /// Equal where the ops that follow see the same: a sum over the tensors that
  /// they read, so that it can be taken apart.
  uint64_t hashOf(const Uses &uses, workload::OpIndex op) const;
  uint64_t hashOfOthers(const Beam &beam, workload::OpIndex op) const;
  BlockLayout layoutOf(const Beam &beam);

  std::span<const UnitCostModel *const> models;
  const UnitCostModel &model;
  const workload::Block &block;
  WeightedObjective objective;
  std::optional<TensorLayout> border;
  /// The layouts that each tensor may be kept in.
  std::vector<std::vector<TensorLayout>> layouts;
  std::vector<workload::OpIndex> lastReader;
  /// For each op the tensors that it neither reads nor makes, but that ops
  /// before it and ops behind it do.
  std::vector<std::vector<workload::TensorIndex>> passing;
  std::vector<std::vector<KeptUse>> known;
};

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_BEAMSEARCH_H

// SPDX-License-Identifier: Apache-2.0
//
// Where the chain is cut into stages, and what each unit recomputes.
//
//     step = fixed + straggler · (M · max perMicroBatch + bubble(Σ idle)
//                                 + max tail)
//
// The step is a growing function of three numbers, so partial partitions are
// labels (max, Σ, max) and of two labels for the same ranks and units the one
// that is larger in all three is dropped. A label is dropped as well if the
// step that it could reach at best is above the bound that the caller gives.

#ifndef SHARDSMITH_LIB_PLAN_STAGES_STAGEPARTITION_H
#define SHARDSMITH_LIB_PLAN_STAGES_STAGEPARTITION_H

#include "../Chains/CutLists.h"
#include "RankPricer.h"

namespace shardsmith::search {

struct PartitionProblem {
  const StepModel &model;
  /// Of which stages and layouts are open.
  const Strategy &outer;
  const Chain &chain;
  CutLists &cuts;
  const UnitPrices &prices;
  RecomputeMask allowed;
  /// Per pipeline rank.
  const std::vector<unsigned> &pools;
  const PipelineLinks &links;
};

struct Partition {
  Nanoseconds step;
  std::vector<Stage> stages;
};

/// The best partition if its step is at most `atMost`; the same one whatever
/// `atMost` is. No partition is faster than `atLeast`. Exact within the space
/// that docs/planner.md describes: any cuts with one stage per rank; with more,
/// any cuts if the chain is one long segment between two single units or is
/// short, else even cuts.
std::optional<Partition> bestPartition(const PartitionProblem &problem,
                                       Nanoseconds atLeast, Nanoseconds atMost);

/// With the cheapest recomputation that fits, which is written into the stages;
/// nothing if some rank has no room.
std::optional<Partition> summed(const PartitionProblem &problem,
                                RankPricer &pricer, std::vector<Stage> stages);
/// Those that end at these units, without recomputation.
std::vector<Stage> stagesCutAt(const PartitionProblem &problem,
                               const std::vector<int64_t> &cuts);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_STAGES_STAGEPARTITION_H

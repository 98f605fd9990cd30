// SPDX-License-Identifier: Apache-2.0
//
// Where the chain is cut into stages, and what each unit recomputes. The step
// in closed form is
//
//     step = fixed + straggler · (M · max perMicroBatch + bubble(Σ idle)
//                                 + max tail)
//
// It grows with three numbers, so a partial partition is a label (max, Σ, max).
// Of two labels for the same ranks and units the one that is no smaller in any
// of the three is dropped, and so is a label whose best completion is above the
// limit of the caller.

#ifndef SHARDSMITH_LIB_PLAN_STAGES_STAGEPARTITION_H
#define SHARDSMITH_LIB_PLAN_STAGES_STAGEPARTITION_H

#include "../Chains/CutLists.h"
#include "RankPricer.h"

namespace shardsmith::search {

struct PartitionProblem {
  const StepModel &model;
  /// The strategy without its stages and layouts.
  const Strategy &outer;
  const Chain &chain;
  CutLists &cuts;
  const UnitPrices &prices;
  RecomputeMask allowed;
  /// The pool of each pipeline rank.
  const std::vector<unsigned> &pools;
  const PipelineLinks &links;
};

struct Partition {
  Nanoseconds step;
  std::vector<Stage> stages;
};

/// The best partition, if its step is at most `atMost`; the result is the same
/// for every `atMost` that allows it. `atLeast` is a lower bound on all
/// partitions. The result is exact within the space of docs/planner.md: the cut
/// that is given; without one, with one stage per rank all cuts; with more, all
/// cuts if the chain is one long segment between at most two single units or is
/// short, else the even cut.
std::optional<Partition> bestPartition(const PartitionProblem &problem,
                                       Nanoseconds atLeast, Nanoseconds atMost);

/// The partition with these stages and the cheapest recomputation that fits,
/// which is written into them; nothing if some rank has no room, or if the step
/// is not below the limit.
std::optional<Partition> summed(const PartitionProblem &problem,
                                RankPricer &pricer, std::vector<Stage> stages,
                                Nanoseconds below);
/// The stages that begin at these units (and the first at 0), without
/// recomputation.
std::vector<Stage> stagesCutAt(const PartitionProblem &problem,
                               const std::vector<int64_t> &cuts);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_STAGES_STAGEPARTITION_H

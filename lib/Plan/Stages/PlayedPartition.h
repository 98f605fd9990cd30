// SPDX-License-Identifier: Apache-2.0
//
// The best stages by the step of their schedule when it is played, action by
// action. The closed form (StagePartition.h) is a lower bound on that step, so
// it tells which other stages may still be better than the best ones known.

#ifndef SHARDSMITH_LIB_PLAN_STAGES_PLAYEDPARTITION_H
#define SHARDSMITH_LIB_PLAN_STAGES_PLAYEDPARTITION_H

#include "StagePartition.h"

#include <functional>

namespace shardsmith::search {

struct PlayedPartition {
  Partition best;
  /// A lower bound on the step of all stages that were not played.
  Nanoseconds leastLeft = Nanoseconds::saturated();
  /// What it took to look at other stages than the first ones, in passes of
  /// micro-batches through stages.
  int64_t effort = 0;
};

/// Plays the stages and returns their step, which is at least that of the
/// closed form.
using PlayStages = std::function<Nanoseconds(const std::vector<Stage> &)>;

/// `first` is the best partition by the closed form. If it takes longer when it
/// is played, a local search moves single units between stages as long as that
/// helps, and again from the stages of `first` with those of each rank between
/// the ends of the chain the other way round; then all partitions whose closed
/// form is below the best step are played. Each ends after a fixed effort, or
/// when `mustStop` returns true. Partitions whose step is above `atMost` are of
/// no use, so those whose closed form is above it are not played.
PlayedPartition bestPlayed(const PartitionProblem &problem, Partition first,
                           Nanoseconds atMost, const PlayStages &play,
                           const std::function<bool()> &mustStop);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_STAGES_PLAYEDPARTITION_H

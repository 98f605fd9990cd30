// SPDX-License-Identifier: Apache-2.0
//
// The best stages by the time that their schedule takes when it is played. No
// step is shorter than its sums and means (StagePartition.h), so these say
// which other stages may be better than what is known.

#ifndef SHARDSMITH_LIB_PLAN_STAGES_PLAYEDPARTITION_H
#define SHARDSMITH_LIB_PLAN_STAGES_PLAYEDPARTITION_H

#include "StagePartition.h"

#include <functional>

namespace shardsmith::search {

struct PlayedPartition {
  Partition best;
  /// No stages that were not played take less.
  Nanoseconds leastLeft = Nanoseconds::saturated();
};

/// The step of the stages; at least what sums and means say.
using PlayStages = std::function<Nanoseconds(const std::vector<Stage> &)>;

/// `first` has the shortest step of all by sums and means. Where it takes
/// longer when it is played, single units are moved between stages as long as
/// that helps; then all stages whose sums are below the best step are played.
/// Both up to a fixed effort, and until `mustStop`.
PlayedPartition bestPlayed(const PartitionProblem &problem, Partition first,
                           const PlayStages &play,
                           const std::function<bool()> &mustStop);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_STAGES_PLAYEDPARTITION_H

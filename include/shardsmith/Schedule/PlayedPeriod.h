// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_SCHEDULE_PLAYEDPERIOD_H
#define SHARDSMITH_SCHEDULE_PLAYEDPERIOD_H

#include "shardsmith/Schedule/Families.h"
#include "shardsmith/Schedule/Simulation.h"

#include <span>

namespace shardsmith::schedule {

/// `Simulation::period` of a family's schedule, found without a timeline: every
/// rank goes through its list once, and a pass starts when its rank is free and
/// what it reads has arrived. Messages between two ranks follow one another.
/// While a message is under way its two ranks compute slower by
/// `overlapSlowdown`; here each message lengthens the pass that makes it and
/// the pass that reads it by so much, wherever it really falls.
///
/// Takes time in proportion to ranks · stages · micro-batches. Of more than
/// `longestPlay` passes fewer micro-batches are played, and each of those left
/// out adds what the last ones played have added.
///
/// The family must be able to run the shape (`obstacle`), with one entry of
/// `stages` per stage. Saturated if a duration is, or if the pipeline is too
/// long to be played (`makeSchedule`).
Nanoseconds playedPeriod(ScheduleFamily family, const PipelineShape &shape,
                         std::span<const StageDurations> stages,
                         double overlapSlowdown);

inline constexpr int64_t longestPlay = int64_t(1) << 15;

} // namespace shardsmith::schedule

#endif // SHARDSMITH_SCHEDULE_PLAYEDPERIOD_H

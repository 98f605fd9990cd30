// SPDX-License-Identifier: Apache-2.0
//
// Ranks that wait for each other for ever.

#ifndef SHARDSMITH_LIB_SCHEDULE_DEADLOCK_H
#define SHARDSMITH_LIB_SCHEDULE_DEADLOCK_H

#include "Findings.h"
#include "ReplayState.h"

namespace shardsmith::schedule {

/// One finding per rank that stands before the end of its list; `standing` is
/// the step of each rank that it cannot run, the length of its list if it is
/// through. What breaks a circle of waiting ranks is to move an action that the
/// circle waits for in front of the step at which its rank stands:
///
///     rank 0   0F0 [0B0] 0F1        0B0 waits for rank 1, which waits for 0F1:
///     rank 1   1F0 [1F1] 1B0        run 0F1 before 0B0
void describeDeadlock(const Schedule &schedule,
                      const std::vector<size_t> &standing,
                      const ReplayState &state, Findings &findings);

} // namespace shardsmith::schedule

#endif // SHARDSMITH_LIB_SCHEDULE_DEADLOCK_H

// SPDX-License-Identifier: Apache-2.0
//
// Random pipelines whose stages differ, and memory for some of their passes.

#ifndef SHARDSMITH_TEST_UNIT_SCHEDULE_RANDOMPROBLEM_H
#define SHARDSMITH_TEST_UNIT_SCHEDULE_RANDOMPROBLEM_H

#include "shardsmith/Schedule/ScheduleSearch.h"

#include <algorithm>
#include <random>

namespace shardsmith::schedule::test {

inline int64_t between(std::mt19937_64 &random, int64_t least, int64_t most) {
  return std::uniform_int_distribution(least, most)(random);
}

/// Stages whose times differ by up to `spread`, on the ranks in turns.
inline PipelineProblem randomProblem(std::mt19937_64 &random, int64_t ranks,
                                     int64_t stages, int64_t microBatches,
                                     int64_t spread) {
  PipelineProblem problem;
  problem.ranks = ranks;
  problem.microBatches = microBatches;
  for (int64_t stage = 0; stage < stages; ++stage) {
    StageDurations each;
    auto time = [&] { return Nanoseconds(between(random, 10, 10 * spread)); };
    each.forward = time();
    each.backwardInput = time();
    each.backwardWeight = time();
    each.recompute =
        Nanoseconds(between(random, 0, 1) * between(random, 0, 50));
    each.forwardCommunication = Nanoseconds(between(random, 0, 5 * spread));
    each.backwardCommunication = Nanoseconds(between(random, 0, 5 * spread));
    each.sendForward = Nanoseconds(between(random, 0, 20));
    each.sendBackward = each.sendForward;
    each.reduce = Nanoseconds(between(random, 0, 20));
    each.update = Nanoseconds(between(random, 0, 20));
    // Some save nothing.
    each.savedUntilWeight = Bytes(std::min<int64_t>(between(random, 0, 5), 1) *
                                  between(random, 50, 100));
    each.savedUntilInput =
        Bytes(between(random, 0, 1) * between(random, 0, 50));
    problem.stages.push_back(each);
    problem.rankOfStage.push_back(stage % ranks);
  }
  return problem;
}

/// The second stages of all ranks in reverse order, and so on.
inline void placeInVShape(PipelineProblem &problem) {
  for (size_t stage = 0; stage < problem.stages.size(); ++stage) {
    int64_t place = int64_t(stage) % problem.ranks;
    bool isReversed = int64_t(stage) / problem.ranks % 2 > 0;
    problem.rankOfStage[stage] = isReversed ? problem.ranks - 1 - place : place;
  }
}

/// Rooms between that of one micro-batch and that of all.
inline std::vector<Bytes> randomLimits(std::mt19937_64 &random,
                                       const PipelineProblem &problem) {
  std::vector<Bytes> limits(static_cast<size_t>(problem.ranks));
  for (size_t stage = 0; stage < problem.stages.size(); ++stage)
    limits[size_t(problem.rankOfStage[stage])] +=
        problem.stages[stage].savedUntilInput +
        problem.stages[stage].savedUntilWeight;
  for (Bytes &limit : limits)
    limit = Bytes(limit.count() *
                  between(random, 100, 100 * problem.microBatches) / 100);
  return limits;
}

} // namespace shardsmith::schedule::test

#endif // SHARDSMITH_TEST_UNIT_SCHEDULE_RANDOMPROBLEM_H

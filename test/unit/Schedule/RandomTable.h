// SPDX-License-Identifier: Apache-2.0
//
// Random schedules that are legal by construction.

#ifndef SHARDSMITH_TEST_UNIT_SCHEDULE_RANDOMTABLE_H
#define SHARDSMITH_TEST_UNIT_SCHEDULE_RANDOMTABLE_H

#include "shardsmith/Schedule/Schedule.h"

#include <random>

namespace shardsmith::schedule::test {

using Random = std::mt19937_64;

inline size_t below(Random &random, size_t bound) {
  return std::uniform_int_distribution<size_t>(0, bound - 1)(random);
}
inline bool tossed(Random &random, double chance) {
  return std::bernoulli_distribution(chance)(random);
}

/// Legal by construction: passes are written down one by one in an order in
/// which they could run one after the other, on stages that are spread over the
/// ranks anyhow, micro-batches in any order.
inline Schedule randomCompute(Random &random) {
  Schedule schedule;
  size_t ranks = 1 + below(random, 4);
  schedule.stageCount = int64_t(ranks + below(random, ranks + 1));
  schedule.microBatchCount = int64_t(1 + below(random, 4));
  schedule.ranks.resize(ranks);
  std::vector<size_t> owner;
  for (int64_t stage = 0; stage < schedule.stageCount; ++stage)
    owner.push_back(below(random, ranks));

  // Passes that could run next.
  std::vector<Action> open;
  for (int64_t m = 0; m < schedule.microBatchCount; ++m)
    open.push_back({ActionKind::Forward, 0, m});
  double split = std::uniform_real_distribution(0.0, 1.0)(random);
  auto openBackward = [&](int64_t stage, int64_t m) {
    open.push_back({tossed(random, split) ? ActionKind::BackwardInput
                                          : ActionKind::Backward,
                    stage, m});
  };
  while (!open.empty()) {
    size_t chosen = below(random, open.size());
    Action pass = open[chosen];
    open.erase(open.begin() + int64_t(chosen));
    schedule.ranks[owner[size_t(pass.stage)]].push_back({pass, {}});
    if (pass.kind == ActionKind::Forward) {
      if (pass.stage + 1 < schedule.stageCount)
        open.push_back({ActionKind::Forward, pass.stage + 1, pass.microBatch});
      else
        openBackward(pass.stage, pass.microBatch);
    } else if (pass.kind != ActionKind::BackwardWeight) {
      if (pass.kind == ActionKind::BackwardInput)
        open.push_back(
            {ActionKind::BackwardWeight, pass.stage, pass.microBatch});
      if (pass.stage > 0)
        openBackward(pass.stage - 1, pass.microBatch);
    }
  }
  return schedule;
}

} // namespace shardsmith::schedule::test

#endif // SHARDSMITH_TEST_UNIT_SCHEDULE_RANDOMTABLE_H

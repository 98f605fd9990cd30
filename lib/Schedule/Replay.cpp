// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Schedule/Replay.h"

#include "Deadlock.h"
#include "Findings.h"
#include "ReplayState.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith::schedule {
std::vector<ReplayFinding> findMistakes(const Schedule &schedule,
                                        size_t limit) {
  Findings findings(limit);
  checkNames(schedule, findings);
  if (!findings.empty())
    return findings.take();
  checkCounts(schedule, findings);

  ReplayState state(schedule);
  std::vector<size_t> standing(schedule.ranks.size(), 0);
  auto run = [&](size_t rank, const Step &step) {
    forEachAction(step, [&](const Action &action) {
      std::string wrong = state.run(action);
      if (!wrong.empty())
        findings.add({fmt::format("rank {}: {}", rank, wrong), "",
                      StepPosition{rank, standing[rank]}});
    });
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
      const std::vector<Step> &steps = schedule.ranks[rank];
      for (; standing[rank] < steps.size(); ++standing[rank]) {
        const Step &step = steps[standing[rank]];
        bool ready = !state.blocked(step.action) &&
                     (!step.partner || !state.blocked(*step.partner));
        if (!ready)
          break;
        run(rank, step);
        progress = true;
      }
    }
  }
  describeDeadlock(schedule, standing, state, findings);
  for (Leftover &leftover : state.leftovers())
    findings.add({std::move(leftover.sentence), "",
                  lastPositionOf(schedule, leftover.action)});
  return findings.take();
}

std::vector<std::string> replay(const Schedule &schedule, size_t limit) {
  std::vector<std::string> sentences;
  for (ReplayFinding &finding : findMistakes(schedule, limit))
    sentences.push_back(std::move(finding.sentence));
  return sentences;
}

std::vector<std::vector<int64_t>> unitTimes(const Schedule &schedule) {
  PassTable<std::array<int64_t, 3>> made(schedule);
  for (auto &entry : made.entries())
    entry = {-1, -1, -1};
  auto madeAt = [&](const Value &value) -> int64_t & {
    return made.at(value.stage, value.microBatch)[size_t(value.product)];
  };

  std::vector<std::vector<int64_t>> starts(schedule.ranks.size());
  std::vector<int64_t> free(schedule.ranks.size(), 0);
  for (bool progress = true; progress;) {
    progress = false;
    for (size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
      const std::vector<Step> &steps = schedule.ranks[rank];
      while (starts[rank].size() < steps.size()) {
        const Step &step = steps[starts[rank].size()];
        int64_t start = free[rank];
        bool ready = true;
        forEachAction(step, [&](const Action &pass) {
          for (const Value &value : needs(pass, schedule.stageCount)) {
            ready &= madeAt(value) >= 0;
            start = std::max(start, madeAt(value));
          }
        });
        if (!ready)
          break;
        forEachAction(step, [&](const Action &pass) {
          for (Product product : productsOf(pass.kind))
            madeAt({product, pass.stage, pass.microBatch}) = start + 1;
        });
        starts[rank].push_back(start);
        free[rank] = start + 1;
        progress = true;
      }
    }
  }
  return starts;
}

} // namespace shardsmith::schedule

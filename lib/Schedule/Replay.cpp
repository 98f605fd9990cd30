// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Schedule/Replay.h"

#include "Dependencies.h"
#include "ReplayState.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith::schedule {
namespace {

/// Collects sentences up to a limit.
class Findings {
public:
  explicit Findings(size_t limit) : limit(limit) {}
  void add(std::string sentence) {
    if (sentences.size() < limit)
      sentences.push_back(std::move(sentence));
  }
  bool empty() const { return sentences.empty(); }
  std::vector<std::string> take() { return std::move(sentences); }

private:
  size_t limit;
  std::vector<std::string> sentences;
};

/// Stages and micro-batches exist, each stage has one rank.
void checkNames(const Schedule &schedule, Findings &findings) {
  std::vector<int64_t> owner(static_cast<size_t>(schedule.stageCount), -1);
  for (size_t rank = 0; rank < schedule.ranks.size(); ++rank)
    for (const Step &step : schedule.ranks[rank])
      forEachAction(step, [&](const Action &action) {
        bool whole = !isCompute(action.kind) && !isCommunication(action.kind);
        bool stageExists =
            action.stage >= 0 && action.stage < schedule.stageCount;
        bool microBatchExists =
            whole ? action.microBatch == noMicroBatch
                  : action.microBatch >= 0 &&
                        action.microBatch < schedule.microBatchCount;
        if (!stageExists || !microBatchExists) {
          findings.add(fmt::format("rank {}: {} names a stage or micro-batch "
                                   "that is not there",
                                   rank, str(action)));
          return;
        }
        int64_t &known = owner[static_cast<size_t>(action.stage)];
        if (known >= 0 && known != static_cast<int64_t>(rank))
          findings.add(fmt::format("stage {} is on rank {} and, with {}, on "
                                   "rank {}",
                                   action.stage, known, str(action), rank));
        known = static_cast<int64_t>(rank);
      });
}

/// Every stage runs every micro-batch forward and backward, once.
void checkCounts(const Schedule &schedule, Findings &findings) {
  PassTable<std::array<int, 4>> counts(schedule);
  for (const auto &steps : schedule.ranks)
    for (const Step &step : steps)
      forEachAction(step, [&](const Action &action) {
        if (isCompute(action.kind))
          ++counts.at(action.stage, action.microBatch)[size_t(action.kind)];
      });
  for (int64_t stage = 0; stage < schedule.stageCount; ++stage)
    for (int64_t m = 0; m < schedule.microBatchCount; ++m) {
      auto [forward, backward, input, weight] = counts.at(stage, m);
      bool once = forward == 1 && backward + input == 1 && weight == input;
      if (!once)
        findings.add(fmt::format(
            "stage {} runs micro-batch {} {} × F, {} × B, {} × I, {} × W; it "
            "must run F once, and once either B or I and W",
            stage, m, forward, backward, input, weight));
    }
}

std::string describe(const Schedule &schedule,
                     const std::vector<size_t> &position, size_t rank,
                     const ReplayState &state) {
  const Step &step = schedule.ranks[rank][position[rank]];
  std::string text =
      fmt::format("deadlock: rank {} stands at {}", rank, str(step));
  forEachAction(step, [&](const Action &action) {
    if (std::optional<Blocked> blocked = state.blocked(action))
      text += fmt::format(", waiting for {} on rank {}", blocked->awaited,
                          blocked->rank);
  });
  return text;
}

} // namespace

std::vector<std::string> replay(const Schedule &schedule, size_t limit) {
  Findings findings(limit);
  checkNames(schedule, findings);
  if (!findings.empty())
    return findings.take();
  checkCounts(schedule, findings);

  ReplayState state(schedule);
  std::vector<size_t> position(schedule.ranks.size(), 0);
  for (bool progress = true; progress;) {
    progress = false;
    for (size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
      const std::vector<Step> &steps = schedule.ranks[rank];
      for (; position[rank] < steps.size(); ++position[rank]) {
        const Step &step = steps[position[rank]];
        bool ready = !state.blocked(step.action) &&
                     (!step.partner || !state.blocked(*step.partner));
        if (!ready)
          break;
        forEachAction(step, [&](const Action &action) {
          std::string wrong = state.run(action);
          if (!wrong.empty())
            findings.add(fmt::format("rank {}: {}", rank, wrong));
        });
        progress = true;
      }
    }
  }
  for (size_t rank = 0; rank < schedule.ranks.size(); ++rank)
    if (position[rank] < schedule.ranks[rank].size())
      findings.add(describe(schedule, position, rank, state));
  for (std::string &sentence : state.leftovers())
    findings.add(std::move(sentence));
  return findings.take();
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

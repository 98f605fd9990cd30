// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a schedule whatever the order of its lists: stages that
// nobody or everybody runs, passes that are missing or there twice.

#include "Findings.h"
#include "ReplayState.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith::schedule {
namespace {

/// How often each kind of pass occurs for one stage and micro-batch.
struct Counts {
  std::array<int, 4> of = {};

  int operator[](ActionKind kind) const { return of[size_t(kind)]; }
  bool splits() const {
    return (*this)[ActionKind::BackwardInput] +
               (*this)[ActionKind::BackwardWeight] >
           0;
  }
  /// The backward pass is whole or in two halves, not both.
  bool isRight() const {
    return (*this)[ActionKind::Forward] == 1 &&
           (*this)[ActionKind::Backward] + (*this)[ActionKind::BackwardInput] ==
               1 &&
           (*this)[ActionKind::BackwardWeight] ==
               (*this)[ActionKind::BackwardInput];
  }
};

/// The first kind that is there too often, and the first that is missing.
struct Difference {
  std::optional<ActionKind> surplus, missing;
};

Difference differenceOf(const Counts &counts) {
  Difference difference;
  bool isWhole = counts[ActionKind::Backward] > 0;
  for (ActionKind kind :
       {ActionKind::Forward, ActionKind::Backward, ActionKind::BackwardInput,
        ActionKind::BackwardWeight}) {
    int expected = 1;
    if (kind == ActionKind::Backward)
      expected = isWhole || !counts.splits();
    else if (kind != ActionKind::Forward)
      expected = !isWhole && counts.splits();
    if (counts[kind] > expected && !difference.surplus)
      difference.surplus = kind;
    if (counts[kind] < expected && !difference.missing)
      difference.missing = kind;
  }
  return difference;
}

ReplayFinding findingOf(const Schedule &schedule, int64_t stage, int64_t m,
                        const Counts &counts) {
  ReplayFinding finding;
  finding.sentence = fmt::format(
      "stage {} runs micro-batch {} {} × F, {} × B, {} × I, {} × W; it must "
      "run F once, and once either B or I and W",
      stage, m, counts[ActionKind::Forward], counts[ActionKind::Backward],
      counts[ActionKind::BackwardInput], counts[ActionKind::BackwardWeight]);
  Difference difference = differenceOf(counts);
  auto action = [&](ActionKind kind) { return Action{kind, stage, m}; };
  if (difference.surplus) {
    finding.position = lastPositionOf(schedule, action(*difference.surplus));
    finding.fix = fmt::format("remove {}", str(action(*difference.surplus)));
  } else if (difference.missing) {
    int64_t rank = schedule.rankOfStage()[size_t(stage)];
    finding.fix = fmt::format("add {}", str(action(*difference.missing)));
    if (rank >= 0)
      finding.fix += fmt::format(" to rank {}", rank);
  }
  return finding;
}

} // namespace

std::optional<StepPosition> lastPositionOf(const Schedule &schedule,
                                           const Action &action) {
  for (size_t rank = schedule.ranks.size(); rank-- > 0;)
    for (size_t index = schedule.ranks[rank].size(); index-- > 0;) {
      const Step &step = schedule.ranks[rank][index];
      if (step.action == action || step.partner == action)
        return StepPosition{rank, index};
    }
  return std::nullopt;
}

void checkNames(const Schedule &schedule, Findings &findings) {
  std::vector<int64_t> owner(static_cast<size_t>(schedule.stageCount), -1);
  auto check = [&](const Action &action, StepPosition position) {
    bool whole = !isCompute(action.kind) && !isCommunication(action.kind);
    bool stageExists = action.stage >= 0 && action.stage < schedule.stageCount;
    bool microBatchExists =
        whole ? action.microBatch == noMicroBatch
              : action.microBatch >= 0 &&
                    action.microBatch < schedule.microBatchCount;
    auto rank = static_cast<int64_t>(position.rank);
    if (!stageExists || !microBatchExists) {
      findings.add({fmt::format("rank {}: {} names a stage or micro-batch "
                                "that is not there",
                                rank, str(action)),
                    fmt::format("remove {}", str(action)), position});
      return;
    }
    int64_t &known = owner[static_cast<size_t>(action.stage)];
    if (known >= 0 && known != rank)
      findings.add({fmt::format("stage {} is on rank {} and, with {}, on "
                                "rank {}",
                                action.stage, known, str(action), rank),
                    fmt::format("move {} to rank {}", str(action), known),
                    position});
    known = rank;
  };
  for (size_t rank = 0; rank < schedule.ranks.size(); ++rank)
    for (size_t index = 0; index < schedule.ranks[rank].size(); ++index)
      forEachAction(schedule.ranks[rank][index], [&](const Action &action) {
        check(action, {rank, index});
      });
}

void checkCounts(const Schedule &schedule, Findings &findings) {
  PassTable<Counts> counts(schedule);
  for (const auto &steps : schedule.ranks)
    for (const Step &step : steps)
      forEachAction(step, [&](const Action &action) {
        if (isCompute(action.kind))
          ++counts.at(action.stage, action.microBatch).of[size_t(action.kind)];
      });
  for (int64_t stage = 0; stage < schedule.stageCount; ++stage)
    for (int64_t m = 0; m < schedule.microBatchCount; ++m)
      if (!counts.at(stage, m).isRight())
        findings.add(findingOf(schedule, stage, m, counts.at(stage, m)));
}

} // namespace shardsmith::schedule

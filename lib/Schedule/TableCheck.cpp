// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Schedule/TableCheck.h"

#include "Dependencies.h"
#include "shardsmith/Support/Quantity.h"

#include <fmt/format.h>

namespace shardsmith::schedule {
namespace {

/// `stages 0 to 3`, `stage 0`.
std::string numbered(std::string_view what, std::string_view plural,
                     int64_t count) {
  return count == 1 ? fmt::format("{} 0", what)
                    : fmt::format("{} 0 to {}", plural, count - 1);
}
std::string stagesOf(const ExpectedPipeline &expected) {
  return numbered("stage", "stages", expected.stages);
}
std::string microBatchesOf(const ExpectedPipeline &expected) {
  return numbered("micro-batch", "micro-batches", expected.microBatches);
}

/// The first action in the order of lines and cells that `matches`.
template <typename Matches>
std::optional<std::pair<StepPosition, Action>> firstAction(const Schedule &s,
                                                           Matches matches) {
  std::optional<std::pair<StepPosition, Action>> first;
  for (size_t rank = 0; rank < s.ranks.size() && !first; ++rank)
    for (size_t index = 0; index < s.ranks[rank].size() && !first; ++index)
      forEachAction(s.ranks[rank][index], [&](const Action &action) {
        if (!first && matches(action, rank))
          first.emplace(StepPosition{rank, index}, action);
      });
  return first;
}

std::string checkLines(const ScheduleTable &table,
                       const ExpectedPipeline &expected) {
  auto lines = int64_t(table.schedule.ranks.size());
  if (lines == expected.ranks)
    return {};
  if (lines > expected.ranks)
    return fmt::format("line {}: the table has {} lines, one per pipeline "
                       "rank; expected {}: remove what is behind line {}, or "
                       "plan with pp={}",
                       expected.ranks + 1, lines, expected.ranks,
                       expected.ranks, lines);
  return fmt::format("line {}: the table ends after {} line{}, one per "
                     "pipeline rank; expected {}: add the other ranks, or "
                     "plan with pp={}",
                     lines + 1, lines, lines == 1 ? "" : "s", expected.ranks,
                     lines);
}

std::string checkStages(const ScheduleTable &table,
                        const ExpectedPipeline &expected) {
  const Schedule &schedule = table.schedule;
  auto beyond = firstAction(schedule, [&](const Action &action, size_t) {
    return action.stage >= expected.stages;
  });
  if (beyond) {
    std::string place = table.placeOf(beyond->first);
    if (schedule.stageCount > expected.units)
      return fmt::format(
          "{}: {} is of stage {}, and the model has {} units, each of them in "
          "one stage; expected {}: remove stages {} and above",
          place, str(beyond->second), beyond->second.stage, expected.units,
          stagesOf(expected), expected.stages);
    return fmt::format("{}: {} is of stage {}; expected {}: remove stages {} "
                       "and above, or plan with {} stages per rank",
                       place, str(beyond->second), beyond->second.stage,
                       stagesOf(expected), expected.stages,
                       ceilDivide(schedule.stageCount, expected.ranks));
  }
  std::vector<int64_t> owner = schedule.rankOfStage();
  owner.resize(size_t(expected.stages), -1);
  for (int64_t stage = 0; stage < expected.stages; ++stage)
    if (owner[size_t(stage)] < 0) {
      std::string where = "a line";
      if (!expected.rankOfStage.empty())
        where = fmt::format("line {}", expected.rankOfStage[size_t(stage)] + 1);
      return fmt::format("no line runs stage {}; expected {}: add {}F0, {}B0 "
                         "and those of other micro-batches to {}",
                         stage, stagesOf(expected), stage, stage, where);
    }
  return {};
}

std::string checkMicroBatches(const ScheduleTable &table,
                              const ExpectedPipeline &expected) {
  auto beyond = firstAction(table.schedule, [&](const Action &action, size_t) {
    return action.microBatch >= expected.microBatches;
  });
  if (beyond)
    return fmt::format("{}: {} is of micro-batch {}; expected {}: remove "
                       "micro-batches {} and above",
                       table.placeOf(beyond->first), str(beyond->second),
                       beyond->second.microBatch, microBatchesOf(expected),
                       expected.microBatches);
  if (table.schedule.microBatchCount < expected.microBatches)
    return fmt::format("no line runs micro-batch {}; expected {}: add 0F{}, "
                       "0B{} and those of other stages",
                       table.schedule.microBatchCount, microBatchesOf(expected),
                       table.schedule.microBatchCount,
                       table.schedule.microBatchCount);
  return {};
}

std::string checkPlacement(const ScheduleTable &table,
                           const ExpectedPipeline &expected) {
  if (expected.rankOfStage.empty())
    return {};
  auto misplaced =
      firstAction(table.schedule, [&](const Action &action, size_t rank) {
        return expected.rankOfStage[size_t(action.stage)] != int64_t(rank);
      });
  if (!misplaced)
    return {};
  int64_t rank = expected.rankOfStage[size_t(misplaced->second.stage)];
  return fmt::format("{}: {} is on rank {}; expected stage {} on rank {}, "
                     "whose devices it was cut for: move it to line {}",
                     table.placeOf(misplaced->first), str(misplaced->second),
                     misplaced->first.rank, misplaced->second.stage, rank,
                     rank + 1);
}

std::string checkOrder(const ScheduleTable &table) {
  std::vector<ReplayFinding> findings = findMistakes(table.schedule, 1);
  if (findings.empty())
    return {};
  const ReplayFinding &finding = findings.front();
  std::string text = finding.sentence;
  if (finding.position)
    text = fmt::format("{}: {}", table.placeOf(*finding.position), text);
  if (!finding.fix.empty())
    text += ": " + finding.fix;
  return text;
}

} // namespace

std::string checkTable(const ScheduleTable &table,
                       const ExpectedPipeline &expected) {
  for (auto check :
       {checkLines, checkStages, checkMicroBatches, checkPlacement})
    if (std::string error = check(table, expected); !error.empty())
      return error;
  return checkOrder(table);
}

} // namespace shardsmith::schedule

// SPDX-License-Identifier: Apache-2.0
//
// The schedule that `shardsmith simulate` plays: that of the plan's family, a
// table from a file, or one searched for the plan's stages.

#ifndef SHARDSMITH_TOOLS_PLAYEDSCHEDULE_H
#define SHARDSMITH_TOOLS_PLAYEDSCHEDULE_H

#include "shardsmith/Cost/Step/StrategySimulation.h"
#include "shardsmith/Driver/ReopenedPlan.h"
#include "shardsmith/Schedule/ScheduleSearch.h"

#include <nlohmann/json_fwd.hpp>

namespace shardsmith {

struct PlayedSchedule {
  /// As `--csv` writes it.
  schedule::Schedule schedule;
  StrategySimulation played;
  /// `1f1b`, `searched`, or the path of the table.
  std::string source;
  /// If it was searched.
  std::optional<schedule::FoundSchedule> found;
  /// Per rank the activations for which the plan leaves room; empty where the
  /// schedule puts stages on other ranks than the plan.
  std::vector<Bytes> room;
};

/// These throw Failure with exit code 3 where the plan has no such schedule.
PlayedSchedule playFamily(const ReopenedPlan &plan);
PlayedSchedule playTable(const ReopenedPlan &plan, const std::string &path);
PlayedSchedule playSearched(const ReopenedPlan &plan);

/// Lines for people: where the schedule is from, if not from the plan, and
/// ranks that have no room for it.
std::string describe(const PlayedSchedule &schedule);
nlohmann::ordered_json toJson(const PlayedSchedule &schedule);

} // namespace shardsmith

#endif // SHARDSMITH_TOOLS_PLAYEDSCHEDULE_H

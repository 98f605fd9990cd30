// SPDX-License-Identifier: Apache-2.0
//
// The schedule of a plan's pipeline, played on what the plan's stages take:
// that of the plan's family, a table from a file, or one searched for the
// stages.

#ifndef SHARDSMITH_DRIVER_PLAYEDSCHEDULE_H
#define SHARDSMITH_DRIVER_PLAYEDSCHEDULE_H

#include "shardsmith/Cost/Step/StrategySimulation.h"
#include "shardsmith/Driver/ReopenedPlan.h"
#include "shardsmith/Schedule/ScheduleSearch.h"

namespace shardsmith {

struct PlayedSchedule {
  schedule::Schedule schedule;
  StrategySimulation played;
  /// `1f1b`, `searched`, `program`, or the path of the table.
  std::string source;
  /// If times are measured: of the step as it was, and over how many steps.
  std::optional<Nanoseconds> measuredStep;
  int64_t measuredSteps = 0;
  /// If it was searched.
  std::optional<schedule::FoundSchedule> found;
  /// Per rank the activations for which the plan leaves room; empty where the
  /// schedule puts stages on other ranks than the plan.
  std::vector<Bytes> room;

  /// Whether a rank holds more activations than it has room for.
  bool isTooLargeFor(size_t rank) const {
    return rank < room.size() &&
           played.simulation.ranks[rank].peakMemory > room[rank];
  }
};

/// These throw Failure with exit code 3 where the strategy has no such
/// schedule.
PlayedSchedule playFamily(const PlanningInputs &inputs,
                          const Strategy &strategy);
PlayedSchedule playTable(const PlanningInputs &inputs, const Strategy &strategy,
                         const std::string &path);
PlayedSchedule playSearched(const PlanningInputs &inputs,
                            const Strategy &strategy);

/// A schedule in place of that of a plan's family.
struct GivenSchedule {
  /// The file of a table; empty for none.
  std::string table;
  /// The fastest that is found.
  bool isSearched = false;

  bool isGiven() const { return isSearched || !table.empty(); }
  /// The option that gives it.
  const char *option() const {
    return isSearched ? "--search-schedule" : "--schedule-csv";
  }
};

/// The schedule that is given.
PlayedSchedule play(const PlanningInputs &inputs, const Strategy &strategy,
                    const GivenSchedule &given);

/// The plan's own, played on the times in a file of `run --profile`. Throws
/// Failure with exit code 3 if the file is none of this plan's program, or if
/// its ranks did other things than the schedule says.
PlayedSchedule playMeasured(const ReopenedPlan &plan, const std::string &path);

/// The plan's own: that of its program where `compile` was given another than
/// the family's.
PlayedSchedule playPlanned(const ReopenedPlan &plan);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_PLAYEDSCHEDULE_H

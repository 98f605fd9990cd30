// SPDX-License-Identifier: Apache-2.0
//
// Schedules as text in the table format of torch.distributed.pipelining: one
// line per rank, one cell per time step.
//
//     0F0,0F1,,0B0,0F2,0B1,,0B2
//     ,1F0,1B0,1F1,1B1,1F2,1B2,

#ifndef SHARDSMITH_SCHEDULE_SCHEDULETABLE_H
#define SHARDSMITH_SCHEDULE_SCHEDULETABLE_H

#include "shardsmith/Schedule/Replay.h"

namespace shardsmith::schedule {

/// Compute-only schedules are drawn with one column per unit of time, others
/// in list order. The format has no optimizer step: there it follows the
/// table, so updates are left out.
std::string toTable(const Schedule &schedule);

/// What `str` of an action says, as `2F5`; nothing for other texts.
std::optional<Action> actionNamed(std::string_view text);

/// A schedule and where its steps stand in the text it was read from.
struct ScheduleTable {
  Schedule schedule;
  /// Per rank and step the cell of its line, counted from 1.
  std::vector<std::vector<int64_t>> cells;

  /// `line 2, cell 5`: a line is a rank.
  std::string placeOf(const StepPosition &position) const;
};

/// Reads either kind of table. Stages and micro-batches are counted from what
/// occurs. On failure `error` names line and cell, what was expected, and what
/// stood there.
std::optional<ScheduleTable> readTable(std::string_view text,
                                       std::string &error);
/// The schedule of `readTable`.
std::optional<Schedule> scheduleFromTable(std::string_view text,
                                          std::string &error);

} // namespace shardsmith::schedule

#endif // SHARDSMITH_SCHEDULE_SCHEDULETABLE_H

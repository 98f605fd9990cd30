// SPDX-License-Identifier: Apache-2.0
//
// Whether a table that somebody wrote is a schedule for a given pipeline. It is
// refused before anything starts, with one sentence that names line and cell,
// says what was expected, and proposes the smallest change.

#ifndef SHARDSMITH_SCHEDULE_TABLECHECK_H
#define SHARDSMITH_SCHEDULE_TABLECHECK_H

#include "shardsmith/Schedule/ScheduleTable.h"

namespace shardsmith::schedule {

/// The pipeline that a table is meant for.
struct ExpectedPipeline {
  int64_t ranks = 1, stages = 1, microBatches = 1;
  /// Units of the model, each of which is in one stage: no pipeline has more
  /// stages.
  int64_t units = 1;
  /// The rank of each stage where that is settled; else empty.
  std::vector<int64_t> rankOfStage;
};

/// Empty if the table has a line for every rank, runs exactly the stages and
/// micro-batches that are expected, and replays; else what is wrong first.
std::string checkTable(const ScheduleTable &table,
                       const ExpectedPipeline &expected);

} // namespace shardsmith::schedule

#endif // SHARDSMITH_SCHEDULE_TABLECHECK_H

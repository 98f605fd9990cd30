// SPDX-License-Identifier: Apache-2.0
//
// The memory that a schedule leaves to the ranks of a pipeline.

#ifndef SHARDSMITH_LIB_PLAN_BOUNDS_ACTIVATIONBUDGETS_H
#define SHARDSMITH_LIB_PLAN_BOUNDS_ACTIVATIONBUDGETS_H

#include "../Support/NumberHash.h"
#include "SegmentMakespanBound.h"

#include "shardsmith/Cost/Step/StepModel.h"

#include <mutex>

namespace shardsmith::search {

/// What ranks without parameters may save: all together, and the ranks with
/// most and with fewest micro-batches in flight.
struct ActivationBudgets {
  Bytes total, least = Bytes::saturated(), most, overhead;
  /// In the order of the pipeline; neighbours with equal budgets are one.
  RankBudgets budgets;

  /// Of ranks [begin, end).
  RankBudgets between(int64_t begin, int64_t end) const;
};

/// Each is made when it is first asked for, and stays where it is. May be used
/// by several threads.
class ActivationBudgetTable {
public:
  /// Nothing if the overhead alone is too much. Schedule, pipeline, number
  /// of micro-batches and memory decide; device order, ZeRO and other degrees
  /// do not.
  const std::optional<ActivationBudgets> &
  of(const StepModel &model, const Strategy &outer, unsigned pool);

private:
  std::mutex mutex;
  /// By pool, schedule, stages per rank, ranks, micro-batches and memory.
  ByNumbers<6, std::optional<ActivationBudgets>> known;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_BOUNDS_ACTIVATIONBUDGETS_H

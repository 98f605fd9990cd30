// SPDX-License-Identifier: Apache-2.0
//
// The memory that a schedule leaves to the ranks of a pipeline.

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_EMPTYRANKS_H
#define SHARDSMITH_LIB_PLAN_SEARCH_EMPTYRANKS_H

#include "RankRoom.h"

#include "shardsmith/Cost/StepModel.h"

#include <mutex>
#include <tuple>

namespace shardsmith::search {

/// What ranks without parameters may save: all together, and the rank with
/// most micro-batches in flight.
struct EmptyRanks {
  Bytes total, least = Bytes::saturated(), overhead;
  SavedBudgets budgets;
};

/// Each is made when it is first asked for, and stays where it is. May be used
/// by several threads.
class EmptyRanksTable {
public:
  /// Nothing if the overhead alone is too much. Schedule, pipeline and number
  /// of micro-batches decide; device order, ZeRO and other degrees do not.
  const std::optional<EmptyRanks> &of(const StepModel &model,
                                      const Strategy &outer, unsigned pool);

private:
  using Key = std::tuple<unsigned, ScheduleFamily, int64_t, int64_t, int64_t>;

  std::mutex mutex;
  std::map<Key, std::optional<EmptyRanks>> known;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SEARCH_EMPTYRANKS_H

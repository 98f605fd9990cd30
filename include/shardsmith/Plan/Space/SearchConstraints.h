// SPDX-License-Identifier: Apache-2.0
//
// What the user decides instead of the search.

#ifndef SHARDSMITH_PLAN_SPACE_SEARCHCONSTRAINTS_H
#define SHARDSMITH_PLAN_SPACE_SEARCHCONSTRAINTS_H

#include "shardsmith/Strategy/Strategy.h"

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace shardsmith {

struct DegreeRange {
  int64_t least = 1;
  int64_t most = std::numeric_limits<int64_t>::max();

  bool contains(int64_t degree) const {
    return least <= degree && degree <= most;
  }
  bool isFixed() const { return least == most; }
  bool operator==(const DegreeRange &) const = default;
};

inline constexpr size_t scheduleFamilies = 8;
inline constexpr int zeroStages = 4;

struct SearchConstraints {
  DegreeRange tensor, context, data, expert, pipeline, virtualStages;
  DegreeRange microBatch;
  /// Devices that a plan uses.
  DegreeRange devices;
  /// Indexed by ZeRO stage, `Recompute`, `ScheduleFamily`, `ContextMethod`.
  std::array<bool, zeroStages> zero = {true, true, true, true};
  std::array<bool, recomputeChoices> recompute = {true, true, true};
  std::array<bool, scheduleFamilies> schedules = {true, true, true, true,
                                                  true, true, true, true};
  std::array<bool, 2> contextMethods = {true, true};
  /// Data ranks that share one copy under ZeRO (times the context degree that
  /// is `Strategy::zeroGroup`).
  std::optional<int64_t> dataRanksPerCopy;
  bool sequenceParallel = true;
  std::optional<std::vector<PlanAxis>> deviceOrder;

  /// Adds `tp=8,pp=4,zero=3,schedule=1f1b,order=tp-cp-dp-pp,…`. Degrees may be
  /// ranges: `tp=2..8`, `tp=..8`, `tp=2..`. On failure nothing changes, and
  /// the sentence says what is wrong.
  std::optional<std::string> fix(std::string_view text);
  /// Adds `pp,zb-v,zero=3,recompute=full,…`: what no plan may use.
  std::optional<std::string> forbid(std::string_view text);

  bool operator==(const SearchConstraints &) const = default;
};

} // namespace shardsmith

#endif // SHARDSMITH_PLAN_SPACE_SEARCHCONSTRAINTS_H

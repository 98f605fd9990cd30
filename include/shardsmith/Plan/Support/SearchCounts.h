// SPDX-License-Identifier: Apache-2.0
//
// How much of the space a search looked at, and in which way. Reports show the
// counts; the effort of a search is computed from them.

#ifndef SHARDSMITH_PLAN_SUPPORT_SEARCHCOUNTS_H
#define SHARDSMITH_PLAN_SUPPORT_SEARCHCOUNTS_H

#include <cstdint>

namespace shardsmith {

/// Counts that several threads make on their own and that are added up.
struct SearchCounts {
  /// Parallel configurations in the space.
  int64_t configurations = 0;
  /// Configurations that were excluded because their bound is above the limit.
  int64_t configurationsBoundedOut = 0;
  /// Configurations that were excluded because they cannot fit.
  int64_t configurationsTooLarge = 0;
  /// Block tables that were made: distinct blocks × settings.
  int64_t blockTables = 0;
  /// Candidates that were bounded: a variant with a layout, or with a group of
  /// layouts, on given pools.
  int64_t candidates = 0;
  int64_t candidatesBoundedOut = 0;
  int64_t candidatesTooLarge = 0;
  /// Candidates that were cut into stages.
  int64_t partitions = 0;

  SearchCounts &operator+=(const SearchCounts &other);
};

} // namespace shardsmith

#endif // SHARDSMITH_PLAN_SUPPORT_SEARCHCOUNTS_H

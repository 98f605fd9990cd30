// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_PLAN_SUPPORT_SEARCHCOUNTS_H
#define SHARDSMITH_PLAN_SUPPORT_SEARCHCOUNTS_H

#include <cstdint>

namespace shardsmith {

/// How much of the space was looked at in which way.
struct SearchCounts {
  /// Combinations of degrees and micro-batch size.
  int64_t configurations = 0;
  /// Of these, set aside because their bound was worse than a plan.
  int64_t configurationsBoundedOut = 0;
  /// Of these, set aside because they cannot fit.
  int64_t configurationsTooLarge = 0;
  /// Blocks whose layouts were solved: distinct blocks × settings.
  int64_t blockTables = 0;
  /// Combinations of everything but the stages, or groups of such, that were
  /// looked at.
  int64_t candidates = 0;
  int64_t candidatesBoundedOut = 0;
  int64_t candidatesTooLarge = 0;
  /// Stage partitions that were solved.
  int64_t partitions = 0;

  SearchCounts &operator+=(const SearchCounts &other);
};

} // namespace shardsmith

#endif // SHARDSMITH_PLAN_SUPPORT_SEARCHCOUNTS_H

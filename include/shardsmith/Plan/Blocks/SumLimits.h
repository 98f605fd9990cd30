// SPDX-License-Identifier: Apache-2.0
//
// Limits of the sums over a block. Blocks of a few dozen ops are far below them
// and are summed up exactly. A model that repeats nothing is one block of
// hundreds of ops, whose sums would take more memory than there is; they are
// bounded instead. The limits are counts, so results are the same on every
// machine.

#ifndef SHARDSMITH_PLAN_BLOCKS_SUMLIMITS_H
#define SHARDSMITH_PLAN_BLOCKS_SUMLIMITS_H

#include <cstddef>
#include <cstdint>

namespace shardsmith {

struct SumLimits {
  /// The most entries of all tables that elimination makes, and the most
  /// combinations of layouts at the border, in an exact sum.
  size_t entries = size_t(1) << 18;
  /// The same for sums that keep only the best layout of each entry.
  size_t fewEntries = size_t(1) << 14;
  /// The same, approximately, for sums that are bounds by mini-buckets.
  size_t relaxedEntries = size_t(1) << 15;
  /// The most comparisons of layouts, and the most layouts that are kept at a
  /// time, while the Pareto fronts of a block are summed up.
  int64_t comparisons = int64_t(1) << 27;
  size_t points = size_t(1) << 20;
};

} // namespace shardsmith

#endif // SHARDSMITH_PLAN_BLOCKS_SUMLIMITS_H

// SPDX-License-Identifier: Apache-2.0
//
// How large the sums over a block may become. Blocks of a few dozen ops are far
// below, and summed up exactly. A model that repeats nothing is one block of
// hundreds of ops: its sums take more memory than there is, and are bounded
// instead, by counts that no machine and no clock has a say in.

#ifndef SHARDSMITH_PLAN_BLOCKS_SUMLIMITS_H
#define SHARDSMITH_PLAN_BLOCKS_SUMLIMITS_H

#include <cstddef>
#include <cstdint>

namespace shardsmith {

struct SumLimits {
  /// Entries of the tables that elimination makes, and combinations of layouts
  /// at the borders, that are summed up exactly.
  size_t entries = size_t(1) << 18;
  /// The same where only the best layout of each entry counts.
  size_t fewEntries = size_t(1) << 14;
  /// The same of sums that are bounds, at most about that.
  size_t relaxedEntries = size_t(1) << 15;
  /// Comparisons of layouts, and layouts that are kept on the way, while the
  /// fronts of a block are summed up.
  int64_t comparisons = int64_t(1) << 27;
  size_t points = size_t(1) << 20;
};

} // namespace shardsmith

#endif // SHARDSMITH_PLAN_BLOCKS_SUMLIMITS_H

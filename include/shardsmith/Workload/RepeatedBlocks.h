// SPDX-License-Identifier: Apache-2.0
//
// A model of many equal layers is decided once. Traced programs list the ops
// of each layer in the same order, so layers show as a sequence of op
// signatures that repeats with a period:
//
//   e a b c d a b c d a b c d l m d' c' d' c' …      (e, l: embedding, loss)
//     └──────┘└──────┘└──────┘
//   ties:  each a with the next a, each b with the next b, …

#ifndef SHARDSMITH_WORKLOAD_REPEATEDBLOCKS_H
#define SHARDSMITH_WORKLOAD_REPEATEDBLOCKS_H

#include <cstddef>
#include <vector>

namespace shardsmith::workload {

/// Positions [begin, end) repeat with a period: entry i equals entry
/// i + period for all i in [begin, end - period).
struct RepeatRun {
  size_t begin = 0;
  size_t end = 0;
  size_t period = 0;

  size_t length() const { return end - begin; }
};

/// Runs of at least two periods that do not overlap, in order.
std::vector<RepeatRun> findRepeats(const std::vector<unsigned> &sequence);

/// For every position the first position it is tied to, itself if none.
/// Positions that are tied have equal entries in `sequence`. Any answer is
/// sound; the better it follows the layers, the fewer decisions remain.
std::vector<size_t> tieRepeats(const std::vector<unsigned> &sequence);

} // namespace shardsmith::workload

#endif // SHARDSMITH_WORKLOAD_REPEATEDBLOCKS_H

// SPDX-License-Identifier: Apache-2.0
//
// Where a rank's part of a tensor lies in the whole tensor.
//
//   global 5 x 6, sharding [["data"], ["tensor"]], mesh data=2, tensor=3
//
//     tensor 0   1   2          local tensor of every rank: 3 x 2
//           . . | . . | . .
//   data 0  . . | . . | . .     rank (data 1, tensor 2) holds
//           . . | . . | . .     start [3, 4], size [2, 2]; its third local
//          -----+-----+----     row is padding
//   data 1  . . | . . | # #
//           . . | . . | # #

#ifndef SHARDSMITH_RUNTIME_SHARD_H
#define SHARDSMITH_RUNTIME_SHARD_H

#include <cstdint>
#include <vector>

namespace shardsmith::runtime {

using Shape = std::vector<int64_t>;

/// Number of elements; shapes come from a checked manifest or file header, so
/// the product fits.
int64_t elementCount(const Shape &shape);

/// The box of a global tensor that one rank holds. The box lies at the origin
/// of the local tensor; what is outside it there is padding.
struct Shard {
  Shape globalShape;
  Shape localShape;
  Shape start;             // of the box in the global tensor
  Shape size;              // of the box, zero where the rank holds only padding
  bool isFirstCopy = true; // no rank with a smaller number holds this box
  bool isHeld = true;      // false: the rank has no place for the tensor at all
};

/// The whole tensor as one shard.
Shard wholeTensor(const Shape &shape);

/// Elements that follow each other in both row-major tensors.
struct Run {
  int64_t global; // offset of the first in the global tensor
  int64_t local;
  int64_t length;
};

/// The box of a shard as the longest possible runs, cut where they exceed
/// `longest`.
std::vector<Run> contiguousRuns(const Shard &shard,
                                int64_t longest = INT64_MAX);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_SHARD_H

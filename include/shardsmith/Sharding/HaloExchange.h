// SPDX-License-Identifier: Apache-2.0
//
// What the shards of a dimension send each other before each computes its part
// of a result that needs more than its own elements.
//
//   16 elements in 4 shards, window of 3, padded by 1 at both ends:
//
//     shard 0     shard 1     shard 2      shard 3
//     0 1 2 3     4 5 6 7     8 9 10 11    12 13 14 15
//           └───► 3                                        distance -1
//             4 ◄─┘                                        distance +1
//
//   shard 1 computes from 3 | 4 5 6 7 | 8, its *range*: first = 3, size = 6.
//
// The partitioner builds these messages and the planner adds up their prices,
// so both always mean the same program.

#ifndef SHARDSMITH_SHARDING_HALOEXCHANGE_H
#define SHARDSMITH_SHARDING_HALOEXCHANGE_H

#include "shardsmith/Interfaces/NeighbourhoodInterface.h"
#include "shardsmith/Sharding/Communication.h"

#include <utility>
#include <vector>

namespace shardsmith {

/// Elements [begin, begin + size) of a shard go to another one. Every shard
/// sends at most one such message and gets at most one.
struct HaloMessage {
  /// Position of the source among the shards less that of the target, both
  /// counted from the end for the target if the exchange is mirrored.
  int64_t distance = 0;
  int64_t begin = 0, size = 0;
  /// (source, target), in the order of the targets.
  std::vector<std::pair<int64_t, int64_t>> shards;

  /// False if every shard takes the part from what it has itself, whether it
  /// needs it or not.
  bool communicates = true;
};

struct HaloExchange {
  /// Shards, elements of the dimension, and elements per shard.
  int64_t shards = 1, elements = 1, shardSize = 1;
  /// Every shard computes from this many elements.
  int64_t size = 1;
  /// Per shard the position of the first of them, which may be negative.
  std::vector<int64_t> first;
  /// With d positions from one element to the next, what an op reads of a
  /// shard's range: `span` positions, from `lead` positions before the first
  /// element on, which may be fewer than none. Per shard; equal if aligned.
  int64_t dilation = 1, span = 1;
  std::vector<int64_t> lead;
  bool isAligned = true;
  /// Ranges begin at the same place of every shard, or of the shard as far
  /// from the other end.
  bool isUniform = true, isMirrored = false;
  /// Some range that counts holds positions before the first element, or
  /// behind the last one.
  bool reachesBelow = false, reachesAbove = false;
  /// All shards are gathered on all, which sends less than messages would.
  bool gathers = false;
  /// In the order of their places in a range, if uniform; none if gathered.
  std::vector<HaloMessage> messages;

  /// Where in the range of a target a message begins.
  int64_t placeOf(const HaloMessage &message, int64_t target) const;

  /// Elements that a shard sends, at most.
  int64_t countSent() const;
};

/// The exchange of a dimension in this many shards. Of a reduction every
/// position counts, also those behind the last one, which shards of uneven
/// sizes have: what is there must be neutral.
HaloExchange planHaloExchange(const Neighbourhood &neighbourhood,
                              FactorKind kind, int64_t shards);

} // namespace shardsmith

#endif // SHARDSMITH_SHARDING_HALOEXCHANGE_H

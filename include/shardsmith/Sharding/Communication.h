// SPDX-License-Identifier: Apache-2.0
//
// What a collective sends, by the definition of docs/program-manifest.md.

#ifndef SHARDSMITH_SHARDING_COMMUNICATION_H
#define SHARDSMITH_SHARDING_COMMUNICATION_H

#include "shardsmith/Support/Quantity.h"

#include "llvm/ADT/StringRef.h"

namespace shardsmith {

enum class CollectiveKind {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  /// Of the rows in use alone; how many there are depends on the data.
  AllToAllRows,
  Permute,
  /// From one rank to another.
  Send,
};

/// `all_reduce`, `all_gather`, `reduce_scatter`, `all_to_all`,
/// `all_to_all_rows`, `permute`, `send`.
llvm::StringRef stringifyCollectiveKind(CollectiveKind kind);

/// Bytes one rank of a group of `groupSize` counts for one call whose local
/// input has `input` bytes. For a permute: if the rank sends to another one.
Bytes getCommunicationBytes(CollectiveKind kind, int64_t groupSize,
                            Bytes input);

} // namespace shardsmith

#endif // SHARDSMITH_SHARDING_COMMUNICATION_H

// SPDX-License-Identifier: Apache-2.0
//
// What one rank of a program holds, and where in its arena.

#ifndef SHARDSMITH_RUNTIME_PLACEMENT_H
#define SHARDSMITH_RUNTIME_PLACEMENT_H

#include "shardsmith/Runtime/Manifest.h"

namespace shardsmith::runtime {

/// The position of a rank on every axis of the mesh; the last axis is the
/// fastest.
std::vector<int64_t> coordinatesOf(const Manifest &manifest, int rank);

/// The axis of the mesh on which two ranks differ, nothing if they differ on
/// several or on none.
std::optional<size_t> axisBetween(const Manifest &manifest, int a, int b);

int64_t arenaBytesOf(const Manifest &manifest, int rank);

/// Where `tensor` begins in the arena of `rank`; nothing if the rank does not
/// hold the tensor.
std::optional<int64_t> offsetOf(const Manifest &manifest, const Tensor &tensor,
                                int rank);

/// The same as an address; null if the rank does not hold the tensor.
template <typename Byte>
Byte *placeOf(const Manifest &manifest, const Tensor &tensor, int rank,
              Byte *arena) {
  std::optional<int64_t> offset = offsetOf(manifest, tensor, rank);
  return offset ? arena + *offset : nullptr;
}

/// The box of `tensor` that `rank` holds.
Shard shardOf(const Manifest &manifest, const Tensor &tensor, int rank);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_PLACEMENT_H

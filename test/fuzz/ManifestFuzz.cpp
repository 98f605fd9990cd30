// SPDX-License-Identifier: Apache-2.0
//
// The manifest of a program, and the shards that the ranks take from it.

#include "FuzzInput.h"
#include "shardsmith/Runtime/Failure.h"
#include "shardsmith/Runtime/Placement.h"

#include <algorithm>

using namespace shardsmith;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) try {
  runtime::Manifest manifest = runtime::readManifest(fuzz::asText(data, size));
  auto visit = [&](const runtime::Tensor &tensor) {
    for (int rank = 0; rank < std::min(manifest.ranks, 8); ++rank) {
      std::optional<int64_t> offset = runtime::offsetOf(manifest, tensor, rank);
      fuzz::require(!offset || *offset + tensor.localBytes() <=
                                   runtime::arenaBytesOf(manifest, rank),
                    "tensors lie in the arena");
      runtime::Shard shard = runtime::shardOf(manifest, tensor, rank);
      fuzz::require(runtime::elementCount(shard.size) <=
                        runtime::elementCount(tensor.localShape),
                    "a rank's box lies in its local tensor");
      fuzz::require(shard.isHeld == offset.has_value(),
                    "what a rank holds has a place");
    }
  };
  std::ranges::for_each(manifest.arguments, visit);
  std::ranges::for_each(manifest.results, visit);
  return 0;
} catch (const runtime::Failure &) {
  return 0;
}

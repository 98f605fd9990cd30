// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Placement.h"

#include <algorithm>

namespace shardsmith::runtime {
namespace {

/// The lowest coordinate of the pipeline's axis whose ranks hold the tensor.
int64_t firstHolder(const Tensor &tensor) {
  auto held = [](int64_t offset) { return offset >= 0; };
  return std::ranges::find_if(tensor.offsets, held) - tensor.offsets.begin();
}

/// No rank with a smaller number holds the same box: on every axis that does
/// not split the tensor, the rank is the first that holds it.
bool isFirstCopy(const Manifest &manifest, const Tensor &tensor,
                 const std::vector<int64_t> &coordinates,
                 const std::vector<bool> &splits) {
  for (size_t axis = 0; axis < coordinates.size(); ++axis) {
    bool isPipeline = manifest.pipeline && manifest.pipeline->axis == axis;
    int64_t first = isPipeline ? firstHolder(tensor) : 0;
    if (!splits[axis] && coordinates[axis] != first)
      return false;
  }
  return true;
}

} // namespace

std::vector<int64_t> coordinatesOf(const Manifest &manifest, int rank) {
  std::vector<int64_t> coordinates(manifest.mesh.size());
  int64_t rest = rank;
  for (size_t axis = manifest.mesh.size(); axis-- > 0;) {
    coordinates[axis] = rest % manifest.mesh[axis].size;
    rest /= manifest.mesh[axis].size;
  }
  return coordinates;
}

std::optional<size_t> axisBetween(const Manifest &manifest, int a, int b) {
  std::vector<int64_t> ofA = coordinatesOf(manifest, a);
  std::vector<int64_t> ofB = coordinatesOf(manifest, b);
  std::optional<size_t> found;
  for (size_t axis = 0; axis < ofA.size(); ++axis) {
    if (ofA[axis] == ofB[axis])
      continue;
    if (found)
      return std::nullopt;
    found = axis;
  }
  return found;
}

int64_t arenaBytesOf(const Manifest &manifest, int rank) {
  if (!manifest.pipeline)
    return manifest.arenaBytes;
  const Pipeline &pipeline = *manifest.pipeline;
  return pipeline.arenaBytes[coordinatesOf(manifest, rank)[pipeline.axis]];
}

std::optional<int64_t> offsetOf(const Manifest &manifest, const Tensor &tensor,
                                int rank) {
  if (!manifest.pipeline)
    return tensor.offset;
  int64_t coordinate = coordinatesOf(manifest, rank)[manifest.pipeline->axis];
  int64_t offset = tensor.offsets[coordinate];
  return offset < 0 ? std::nullopt : std::optional(offset);
}

Shard shardOf(const Manifest &manifest, const Tensor &tensor, int rank) {
  Shard shard;
  shard.globalShape = tensor.globalShape;
  shard.localShape = tensor.localShape;
  if (!offsetOf(manifest, tensor, rank)) {
    shard.start = shard.size = Shape(tensor.globalShape.size(), 0);
    shard.isHeld = shard.isFirstCopy = false;
    return shard;
  }

  std::vector<int64_t> coordinates = coordinatesOf(manifest, rank);
  std::vector<bool> splits(manifest.mesh.size(), false);
  for (size_t dim = 0; dim < tensor.globalShape.size(); ++dim) {
    int64_t index = 0;
    for (const std::string &axisName : tensor.sharding[dim])
      for (size_t axis = 0; axis < manifest.mesh.size(); ++axis)
        if (manifest.mesh[axis].name == axisName) {
          index = index * manifest.mesh[axis].size + coordinates[axis];
          splits[axis] = true;
        }
    int64_t whole = tensor.sizeOf(dim);
    int64_t first = dim == 0 && tensor.rows ? tensor.rows->begin : 0;
    int64_t start = std::min(index * tensor.localShape[dim], whole);
    shard.start.push_back(first + start);
    shard.size.push_back(std::min(tensor.localShape[dim], whole - start));
  }
  shard.isFirstCopy = isFirstCopy(manifest, tensor, coordinates, splits);
  return shard;
}

} // namespace shardsmith::runtime

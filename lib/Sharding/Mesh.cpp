// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Sharding/Mesh.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace shardsmith {

std::optional<MeshAxis> Mesh::find(StringRef name) const {
  for (auto [index, axis] : enumerate(axes))
    if (axis.name == name)
      return static_cast<MeshAxis>(index);
  return std::nullopt;
}

int64_t Mesh::getDeviceCount() const {
  int64_t count = 1;
  for (const Axis &axis : axes)
    count *= axis.size;
  return count;
}

int64_t Mesh::countShards(ArrayRef<MeshAxis> list) const {
  int64_t count = 1;
  for (MeshAxis axis : list)
    count *= getSize(axis);
  return count;
}

int64_t Mesh::getCoordinate(int64_t device, MeshAxis axis) const {
  for (MeshAxis minor = getAxisCount() - 1; minor > axis; --minor)
    device /= getSize(minor);
  return device % getSize(axis);
}

int64_t Mesh::getShardIndex(int64_t device, ArrayRef<MeshAxis> list) const {
  int64_t index = 0;
  for (MeshAxis axis : list)
    index = index * getSize(axis) + getCoordinate(device, axis);
  return index;
}

} // namespace shardsmith

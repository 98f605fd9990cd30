// SPDX-License-Identifier: Apache-2.0
//
// A mesh of devices and where each device stands in it. Axes are numbers here;
// their names appear only where IR is read or written.
//
//        tensor 0  1        axes {data=2, tensor=2}: device = row-major
//   data 0    [ 0  1 ]      position of its coordinates, last axis fastest
//        1    [ 2  3 ]

#ifndef SHARDSMITH_SHARDING_MESH_H
#define SHARDSMITH_SHARDING_MESH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace shardsmith {

/// Position of an axis in its mesh.
using MeshAxis = unsigned;

/// Axes that together split something, major to minor.
using AxisList = llvm::SmallVector<MeshAxis, 2>;

class Mesh {
public:
  struct Axis {
    std::string name;
    int64_t size;
    bool operator==(const Axis &) const = default;
  };

  /// Sizes must be positive and their product must fit 64 bits, as
  /// `sdy::MeshAttr` guarantees.
  explicit Mesh(llvm::ArrayRef<Axis> axes) : axes(axes) {}

  unsigned getAxisCount() const { return axes.size(); }
  llvm::StringRef getName(MeshAxis axis) const { return axes[axis].name; }
  int64_t getSize(MeshAxis axis) const { return axes[axis].size; }
  std::optional<MeshAxis> find(llvm::StringRef name) const;

  int64_t getDeviceCount() const;
  /// Product of the sizes of `list`.
  int64_t countShards(llvm::ArrayRef<MeshAxis> list) const;

  int64_t getCoordinate(int64_t device, MeshAxis axis) const;
  /// Which of `countShards(list)` shards a device holds: for axes [a, b],
  /// c_a · size(b) + c_b.
  int64_t getShardIndex(int64_t device, llvm::ArrayRef<MeshAxis> list) const;

  bool operator==(const Mesh &) const = default;

private:
  llvm::SmallVector<Axis, 3> axes;
};

} // namespace shardsmith

#endif // SHARDSMITH_SHARDING_MESH_H

// SPDX-License-Identifier: Apache-2.0
//
// The ranks of a plan as a mesh with named axes, from distant devices to
// neighbours: the device at coordinates (c0, c1, …) is row-major, last axis
// fastest. Where ZeRO or the experts take a part of the data ranks alone, the
// data axis is several:
//
//     data=8, zero in groups of 4        data0=2, data1=4
//     …, and expert=2                    data0=2, data1=2, data2=2

#ifndef SHARDSMITH_LIB_EMIT_DEVICEMESH_H
#define SHARDSMITH_LIB_EMIT_DEVICEMESH_H

#include "Decisions.h"

namespace shardsmith::emit {

struct MeshAxis {
  std::string name;
  int64_t size = 1;
};

struct DeviceMesh {
  /// Axes of more than one rank.
  std::vector<MeshAxis> axes;
  /// Names of the axes that split the batch, that share one copy of what ZeRO
  /// splits, and that share the experts; major to minor.
  std::vector<std::string> batch, zero, expert;

  int64_t sizeOf(std::string_view axis) const;
  int64_t sizeOf(const std::vector<std::string> &names) const;
};

/// Nothing, and a refusal, where a part of the ranks is no product of axes.
std::optional<DeviceMesh> deviceMesh(const Strategy &strategy,
                                     Refusals &refusals);

} // namespace shardsmith::emit

#endif // SHARDSMITH_LIB_EMIT_DEVICEMESH_H

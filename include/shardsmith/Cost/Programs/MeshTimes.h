// SPDX-License-Identifier: Apache-2.0
//
// Times of a program's ops and reshards on a mesh of devices: `KernelTimes` and
// `CollectiveTimes` for what the IR says. docs/cost-model.md lists what is
// priced as what.

#ifndef SHARDSMITH_COST_PROGRAMS_MESHTIMES_H
#define SHARDSMITH_COST_PROGRAMS_MESHTIMES_H

#include "shardsmith/Cluster/Topology.h"
#include "shardsmith/Cost/Collectives/CollectiveTimes.h"
#include "shardsmith/Cost/Kernels/KernelTimes.h"
#include "shardsmith/Interfaces/CostInterface.h"
#include "shardsmith/Sharding/Mesh.h"
#include "shardsmith/Sharding/Reshard.h"

#include <map>

namespace shardsmith {

class MeshTimes {
public:
  /// The devices of the mesh are the first ones of the topology, in its order;
  /// it must have that many. Topology and profile must outlive this object.
  MeshTimes(const ClusterTopology &topology, const StackProfile &profile,
            const Mesh &mesh);

  const Mesh &getMesh() const { return mesh; }

  /// The time of the work of an op on the slowest device. Its bytes are those
  /// that go through memory, without what fused neighbours hand over in
  /// registers.
  Nanoseconds kernel(const OpWork &work, mlir::Type elementType) const;

  /// The time of a collective. `input` is what one member puts in, as in
  /// `getCommunicationBytes`.
  Nanoseconds collective(CollectiveKind kind, llvm::ArrayRef<MeshAxis> axes,
                         Bytes input) const;

  /// The time of one step of a reshard. A step without communication copies its
  /// result.
  Nanoseconds step(const ReshardStep &step, int64_t elementBytes) const;
  Nanoseconds reshard(llvm::ArrayRef<ReshardStep> steps,
                      int64_t elementBytes) const;

  /// The memory that a plan may use of the smallest device, less `margin` (a
  /// fraction).
  Bytes memoryLimit(double margin) const;

  /// The path of the groups along these axes, in any order.
  const GroupPath &path(llvm::ArrayRef<MeshAxis> axes) const;

private:
  Nanoseconds copy(Bytes bytes) const;
  /// The time of a permutation in which any two devices that differ along these
  /// axes may be partners.
  Nanoseconds permute(llvm::ArrayRef<MeshAxis> axes, Bytes message) const;
  GroupPath findPath(llvm::ArrayRef<MeshAxis> axes) const;

  const ClusterTopology &topology;
  Mesh mesh;
  CollectiveTimes collectives;
  /// One per type of device in the mesh.
  std::vector<KernelTimes> kernels;
  mutable std::map<std::vector<MeshAxis>, GroupPath> paths;
};

} // namespace shardsmith

#endif // SHARDSMITH_COST_PROGRAMS_MESHTIMES_H

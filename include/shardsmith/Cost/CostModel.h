// SPDX-License-Identifier: Apache-2.0
//
// Time of one step on one device of a mesh, in integer nanoseconds.
//
// Computation follows the roofline: the slower of arithmetic and memory.
// Collectives follow the latency-bandwidth model: alpha per message, bytes
// over beta. docs/cost-model.md lists formulas and where the figures come
// from.

#ifndef SHARDSMITH_COST_COSTMODEL_H
#define SHARDSMITH_COST_COSTMODEL_H

#include "shardsmith/Cluster/Cluster.h"
#include "shardsmith/Interfaces/CostInterface.h"
#include "shardsmith/Sharding/Mesh.h"
#include "shardsmith/Sharding/Reshard.h"

#include <map>

namespace shardsmith {

/// What connects the members of a group that communicates.
struct GroupLink {
  /// Seconds per message between neighbours.
  double latency = 0;
  /// Bytes per second that each member sends and receives at a time.
  double bandwidth = 1;
  /// Members that share a node; equal to the group size inside one node.
  int64_t membersPerNode = 1;
  /// The link inside a node, if the group spans several.
  double innerLatency = 0;
  double innerBandwidth = 1;
  /// `group` or `group.node`, for calibration curves.
  std::string scope;
};

class CostModel {
public:
  /// The mesh's devices are the first usable ones of the cluster, in order.
  /// The cluster must have that many and must outlive the model.
  CostModel(const Cluster &cluster, const Mesh &mesh);

  const Mesh &getMesh() const { return mesh; }

  /// Time of an op's work. The bytes are those that go through memory: what
  /// fused neighbours hand over in registers has been taken off.
  Nanoseconds compute(const OpWork &work, mlir::Type elementType) const;

  /// `input` is what one member puts in, as in `getCommunicationBytes`.
  Nanoseconds collective(CollectiveKind kind, llvm::ArrayRef<MeshAxis> axes,
                         Bytes input) const;

  /// One step of a reshard. Steps without communication copy their result.
  Nanoseconds step(const ReshardStep &step, int64_t elementBytes) const;
  Nanoseconds reshard(llvm::ArrayRef<ReshardStep> steps,
                      int64_t elementBytes) const;

  /// Memory of the smallest device, less its reserve and `margin` (a
  /// fraction) of its size.
  Bytes memoryLimit(double margin) const;

  const GroupLink &linkOf(llvm::ArrayRef<MeshAxis> axes) const;

private:
  double peak(mlir::Type elementType) const;
  Nanoseconds copy(Bytes bytes) const;

  const Cluster &cluster;
  Mesh mesh;
  std::vector<int64_t> devices;
  /// The slowest device of the mesh in each respect.
  DeviceType slowest;
  mutable std::map<std::vector<MeshAxis>, GroupLink> links;
};

/// Seconds as nanoseconds, rounded up; saturates.
Nanoseconds toNanoseconds(double seconds);

} // namespace shardsmith

#endif // SHARDSMITH_COST_COSTMODEL_H

// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_MESHES_H
#define SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_MESHES_H

#include "LayoutRules.h"
#include "shardsmith/Cluster/Cluster.h"

namespace shardsmith::plan {

/// A mesh to search, with what is known about its axes.
struct MeshCandidate {
  Mesh mesh;
  std::vector<AxisRole> roles;
  /// The axes have their names from the user.
  bool isNamed = false;
};

/// The mesh of the pins, else that of `options.fix`, else one of every
/// factorisation of the device count into one or two axes. On one switch the
/// order of two axes does not matter to any cost; elsewhere both orders are
/// candidates.
llvm::Expected<std::vector<MeshCandidate>>
findMeshes(const Cluster &cluster, const Pins &pins,
           const PlanOptions &options);

} // namespace shardsmith::plan

#endif // SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_MESHES_H

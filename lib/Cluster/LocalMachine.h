// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_CLUSTER_LOCALMACHINE_H
#define SHARDSMITH_LIB_CLUSTER_LOCALMACHINE_H

#include "shardsmith/Cluster/Cluster.h"

namespace shardsmith::cluster {

/// What the operating system says about this machine.
struct LocalMachine {
  int64_t cores = 1;
  Bytes memory;
  double hertz = 2e9;
  /// Floating-point operations per cycle and core, from the vector width.
  double flopsPerCycle = 8;
  std::string arch = "x86-64";
};

LocalMachine inspectLocalMachine();

/// `ranks` devices that share the machine: each has an equal part of its
/// memory, whole cores as far as there are enough, and their bandwidth.
Cluster makeLocalCluster(int64_t ranks, const LocalMachine &machine);
Cluster makeLocalCluster(int64_t ranks);

} // namespace shardsmith::cluster

#endif // SHARDSMITH_LIB_CLUSTER_LOCALMACHINE_H

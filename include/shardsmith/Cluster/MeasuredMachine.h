// SPDX-License-Identifier: Apache-2.0
//
// What `shardsmith doctor --measure` has found out about this machine: for each
// number of ranks a cluster description like any other, `cpu-2.json` for two.
// `--cluster cpu:N` means these where they are there.

#ifndef SHARDSMITH_CLUSTER_MEASUREDMACHINE_H
#define SHARDSMITH_CLUSTER_MEASUREDMACHINE_H

#include "shardsmith/Cluster/ClusterReader.h"

namespace shardsmith {

/// Rates of one rank while all `ranks` of this machine do the same.
struct RankRates {
  int64_t ranks = 1;
  /// Operations of matrix products by element type.
  std::map<std::string, double> flopsPerSecond;
  /// Through memory, by kernels that read and write.
  double bytesPerSecond = 0;
  /// Of a kernel that does nothing.
  double kernelSeconds = 0;
  /// A message from each rank to the next.
  double messageSeconds = 0, messageBytesPerSecond = 0;
  /// By collective, then by rising number of members; all groups at once.
  std::vector<CollectiveFit> collectives;
};

/// `rates.ranks` ranks that share this machine.
Cluster clusterOf(const RankRates &rates);

/// SHARDSMITH_MACHINE, else `shardsmith/machine` in $XDG_CACHE_HOME or
/// ~/.cache; empty if none of these is set.
std::string measuredFolder();
/// Where the description of so many ranks is kept.
std::string measuredFile(const std::string &folder, int64_t ranks);

/// The description in `folder` for `ranks`, or made from that of another number
/// of ranks, which then share what those had. No cluster and no errors if
/// nothing was measured with as many cores as there are now.
ClusterResult findMeasured(const std::string &folder, int64_t ranks);

} // namespace shardsmith

#endif // SHARDSMITH_CLUSTER_MEASUREDMACHINE_H

// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_CLUSTER_CLUSTERCHECK_H
#define SHARDSMITH_LIB_CLUSTER_CLUSTERCHECK_H

#include "shardsmith/Cluster/ClusterReader.h"

namespace shardsmith::cluster {

/// The rules that connect several fields. Repairs calibration curves whose
/// bandwidth falls with size, with a warning.
void checkCluster(Cluster &cluster, std::vector<ClusterIssue> &errors,
                  std::vector<ClusterIssue> &warnings);

} // namespace shardsmith::cluster

#endif // SHARDSMITH_LIB_CLUSTER_CLUSTERCHECK_H

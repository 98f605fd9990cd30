// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_CLUSTER_CLUSTERCHECK_H
#define SHARDSMITH_LIB_CLUSTER_CLUSTERCHECK_H

#include "shardsmith/Cluster/ClusterReader.h"

namespace shardsmith::cluster {

/// The rules that connect several fields.
void checkCluster(Cluster &cluster, std::vector<ClusterIssue> &errors,
                  std::vector<ClusterIssue> &warnings);

/// Those of measured curves. Times or bandwidths that fall with size are
/// repaired, with a warning.
void checkCalibration(Cluster &cluster, std::vector<ClusterIssue> &errors,
                      std::vector<ClusterIssue> &warnings);

} // namespace shardsmith::cluster

#endif // SHARDSMITH_LIB_CLUSTER_CLUSTERCHECK_H

// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_CLUSTER_CLUSTERREADER_H
#define SHARDSMITH_CLUSTER_CLUSTERREADER_H

#include "shardsmith/Cluster/Cluster.h"

namespace shardsmith {

/// One finding about a cluster description. `pointer` is a JSON pointer.
struct ClusterIssue {
  std::string pointer;
  std::string message;

  std::string str() const;
};

struct ClusterResult {
  /// Set exactly if there are no errors.
  std::optional<Cluster> cluster;
  std::vector<ClusterIssue> errors;
  std::vector<ClusterIssue> warnings;

  /// All errors, one per line.
  std::string errorText() const;
};

/// Reads and checks a description; all errors are collected.
ClusterResult readCluster(std::string_view json);

/// A built-in cluster by name (`cpu:4`, `1xcpu4`, `8xh100`, `4xa100-80`,
/// `64xh100`) or a file.
ClusterResult findCluster(const std::string &nameOrPath);

/// Names to show in messages and help.
std::vector<std::string> builtinClusterExamples();

} // namespace shardsmith

#endif // SHARDSMITH_CLUSTER_CLUSTERREADER_H

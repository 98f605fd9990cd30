// SPDX-License-Identifier: Apache-2.0
//
// Cluster descriptions: reader, what plans ask of the topology, writer.

#include "FuzzInput.h"
#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Cluster/Topology.h"

#include <algorithm>

using namespace shardsmith;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ClusterResult result = readCluster(fuzz::asText(data, size));
  fuzz::require(result.cluster.has_value() == result.errors.empty(),
                "there is a cluster exactly if there is no error");
  if (!result.cluster)
    return 0;
  const Cluster &cluster = *result.cluster;
  ClusterResult again = readCluster(cluster.toJson());
  fuzz::require(again.cluster.has_value(), "what is written can be read");
  fuzz::require(again.cluster->hash() == cluster.hash(),
                "reading what was written gives the same cluster");

  constexpr int64_t enough = 4096;
  if (cluster.deviceCount() > enough || !cluster.limitsProblem().empty())
    return 0;
  ClusterTopology topology(cluster);
  for (int64_t members = 1; members <= topology.deviceCount(); members *= 2)
    topology.path(1, members);
  return 0;
}

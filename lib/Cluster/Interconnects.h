// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_CLUSTER_INTERCONNECTS_H
#define SHARDSMITH_LIB_CLUSTER_INTERCONNECTS_H

#include "LevelBuilder.h"

namespace shardsmith::cluster {

/// The copies of all groups, in order.
struct Copies {
  struct Ranks {
    int64_t begin = 0;
    int64_t end = 0;
  };
  std::vector<Ranks> ranks;
  /// Index of a group's first copy; at last, the number of copies.
  std::vector<size_t> firstOfGroup;
};

/// One level per interconnect bandwidth, fastest first; each joins what its
/// interconnects connect. Ranks of a domain must be neighbours, so copies
/// between two that are joined count as joined, too.
std::vector<DomainLevel> findInterconnected(const Cluster &cluster,
                                            const Copies &copies);

} // namespace shardsmith::cluster

#endif // SHARDSMITH_LIB_CLUSTER_INTERCONNECTS_H

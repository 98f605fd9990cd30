// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_CLUSTER_LEVELBUILDER_H
#define SHARDSMITH_LIB_CLUSTER_LEVELBUILDER_H

#include "shardsmith/Cluster/Topology.h"

namespace shardsmith::cluster {

/// Appends domains of ranks in order, merging equal neighbours.
class LevelBuilder {
public:
  explicit LevelBuilder(std::string name) { level.name = std::move(name); }

  unsigned addLink(DomainLink link) {
    level.links.push_back(std::move(link));
    return level.links.size() - 1;
  }
  void addDomain(int64_t begin, int64_t end, unsigned link) {
    if (begin == end)
      return;
    int64_t size = end - begin;
    if (!level.runs.empty() && level.runs.back().size == size &&
        level.runs.back().link == link) {
      level.runs.back().end = end;
    } else {
      level.runs.push_back({begin, end, size, domains, link});
    }
    ++domains;
  }
  DomainLevel take() { return std::move(level); }

private:
  DomainLevel level;
  int64_t domains = 0;
};

} // namespace shardsmith::cluster

#endif // SHARDSMITH_LIB_CLUSTER_LEVELBUILDER_H

// SPDX-License-Identifier: Apache-2.0
//
// The paths that the axes of a block may take in any device order of any
// configuration in which they have the same degree:
//
//     tensor axis of 4 ranks      in a node        4 in a node
//     inside, or with the         in two nodes     2 in a node, 2 over the
//     data axis inside it         …                network; …
//
// A path that is no better than another of the same shape is left out: every
// collective takes as long on it, or longer. Where devices differ there are
// none.

#ifndef SHARDSMITH_LIB_PLAN_SPACE_RELAXEDPATHS_H
#define SHARDSMITH_LIB_PLAN_SPACE_RELAXEDPATHS_H

#include "Space.h"

#include <map>

namespace shardsmith::search {

class RelaxedPaths {
public:
  /// Nothing refers to them afterwards.
  RelaxedPaths(const ClusterTopology &topology,
               const SearchConstraints &constraints,
               const std::vector<ParallelConfiguration> &configurations);

  /// Of an axis of so many ranks; some configuration has it.
  const PathChoice &tensor(int64_t degree) const {
    return tensorPaths.at(degree);
  }
  const PathChoice &context(int64_t degree) const {
    return contextPaths.at(degree);
  }
  const PathChoice &expert(int64_t degree) const {
    return expertPaths.at(degree);
  }

private:
  class Collector;

  using ByDegree = std::map<int64_t, PathChoice>;
  ByDegree tensorPaths, contextPaths, expertPaths;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SPACE_RELAXEDPATHS_H

// SPDX-License-Identifier: Apache-2.0
//
// A relaxation of device orders. For an axis of so many ranks it collects the
// paths of all device orders of all configurations that have such an axis; a
// bound that takes the fastest of them for each exchange holds for every device
// order:
//
//     tensor axis of 4 ranks      in a node        4 in a node
//     inside, or with the         in two nodes     2 in a node, 2 over the
//     data axis inside it         …                network; …
//
// A path on which every collective takes at least as long as on another path of
// the same shape is left out, since it changes no bound. Where devices differ
// no paths are collected, and the bound counts no exchange.

#ifndef SHARDSMITH_LIB_PLAN_SPACE_RELAXEDPATHS_H
#define SHARDSMITH_LIB_PLAN_SPACE_RELAXEDPATHS_H

#include "Space.h"

#include <map>

namespace shardsmith::search {

class RelaxedPaths {
public:
  /// The arguments need not outlive this object.
  RelaxedPaths(const ClusterTopology &topology,
               const SearchConstraints &constraints,
               const std::vector<ParallelConfiguration> &configurations);

  /// The paths of an axis of `degree` ranks. Some configuration must have such
  /// an axis.
  const PathChoice &tensor(int64_t degree) const {
    return tensorPaths.at(degree);
  }
  const PathChoice &context(int64_t degree) const {
    return contextPaths.at(degree);
  }
  const PathChoice &expert(int64_t degree) const {
    return expertPaths.at(degree);
  }
  PerUnitAxis<const PathChoice *> of(const UnitDegrees &unit) const {
    return {&tensor(unit.tensor), &context(unit.context), &expert(unit.expert)};
  }

private:
  class Collector;

  using ByDegree = std::map<int64_t, PathChoice>;
  ByDegree tensorPaths, contextPaths, expertPaths;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SPACE_RELAXEDPATHS_H

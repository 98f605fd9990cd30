// SPDX-License-Identifier: Apache-2.0
//
// Where the axes of a configuration lie: its device orders, each with the links
// that blocks see under it. A path gets a number the first time it occurs, so
// two settings look alike to a block exactly if a few numbers are equal.

#ifndef SHARDSMITH_LIB_PLAN_SPACE_PLACEMENTS_H
#define SHARDSMITH_LIB_PLAN_SPACE_PLACEMENTS_H

#include "../Support/NumberHash.h"
#include "RelaxedPaths.h"

#include <deque>
#include <map>
#include <mutex>
#include <string>

namespace shardsmith::search {

/// The numbers of the paths that the groups of a rank use along each axis
/// (Placements::paths gives the path of a number). The number 0 belongs to a
/// group of one rank, which exchanges nothing.
using UnitLinks = PerUnitAxis<uint32_t>;

struct Placement {
  std::vector<PlanAxis> order;
  /// Per pool.
  std::vector<UnitLinks> links;
};

/// The placements of all configurations, each found when it is first asked for.
/// Several threads may ask at once.
class Placements {
public:
  /// The first two must outlive this.
  Placements(const CostContext &context, const SearchConstraints &constraints,
             const std::vector<ParallelConfiguration> &configurations);

  /// The placements of a configuration, one per device order. They do not
  /// depend on the micro-batch, and the reference stays valid.
  const std::vector<Placement> &of(const ParallelConfiguration &degrees);
  /// A relaxation of all placements of all configurations: each axis has the
  /// choice of every path that an axis of so many ranks has under any device
  /// order (RelaxedPaths.h), and so no exchange takes longer than in a real
  /// placement. Where devices differ, exchanges take no time at all. The
  /// reference stays valid.
  const Placement &relaxed(const Strategy &outer);
  /// The paths that have this number. The reference stays valid.
  const PathChoice &paths(uint32_t number);

private:
  uint32_t numberOf(PathChoice choice);
  std::vector<Placement> find(const ParallelConfiguration &degrees);

  const CostContext &context;
  const SearchConstraints &constraints;
  std::mutex mutex;
  /// Ways to lay replicas on several pools, numbered from 1 on; 0 stands for
  /// replicas that all lie on one pool.
  std::map<std::vector<int64_t>, int64_t> spreads;
  /// By all degrees, and by the number of the way in which replicas lie on
  /// pools.
  std::map<std::pair<Degrees, int64_t>, std::vector<Placement>> known;
  RelaxedPaths relaxedPaths;
  /// By what a unit sees of the degrees.
  ByNumbers<4, Placement> knownRelaxed;
  std::deque<PathChoice> choices;
  /// Numbers of path choices, by a text that describes all their paths.
  std::map<std::string, uint32_t> numbers;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SPACE_PLACEMENTS_H

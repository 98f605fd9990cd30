// SPDX-License-Identifier: Apache-2.0
//
// Where the axes lie: the device orders of a combination of degrees, with the
// links that blocks see under each. Links are numbers, so that settings that
// look alike to a block are found to be alike by comparing a few numbers.

#ifndef SHARDSMITH_LIB_PLAN_SPACE_PLACEMENTS_H
#define SHARDSMITH_LIB_PLAN_SPACE_PLACEMENTS_H

#include "../Support/NumberHash.h"
#include "RelaxedPaths.h"

#include <deque>
#include <map>
#include <mutex>
#include <string>

namespace shardsmith::search {

/// Numbers of the paths of a rank's groups, or of choices of such; 0 is that of
/// a group of one.
struct UnitLinks {
  uint32_t tensor = 0, context = 0, expert = 0;

  auto operator<=>(const UnitLinks &) const = default;
};

struct Placement {
  std::vector<PlanAxis> order;
  /// Per pool.
  std::vector<UnitLinks> links;
};

/// May be used by several threads.
class Placements {
public:
  /// The first two must outlive this.
  Placements(const CostContext &context, const SearchConstraints &constraints,
             const std::vector<ParallelConfiguration> &configurations);

  /// One per device order, whatever the micro-batch. Stays where it is.
  const std::vector<Placement> &of(const ParallelConfiguration &degrees);
  /// Links that are no slower than any that an axis of so many ranks has in any
  /// configuration: where devices differ, links on which nothing takes time.
  /// Stays where it is.
  const Placement &relaxed(const Strategy &outer);
  /// Stays where it is.
  const PathChoice &paths(uint32_t number);

private:
  uint32_t numberOf(PathChoice choice);
  std::vector<Placement> find(const ParallelConfiguration &degrees);

  const CostContext &context;
  const SearchConstraints &constraints;
  std::mutex mutex;
  /// Numbers of ways to lay data ranks on several pools, from 1 on.
  std::map<std::vector<int64_t>, int64_t> spreads;
  /// Without the micro-batch and which kind, but with such a number.
  ByNumbers<6, std::vector<Placement>> known;
  RelaxedPaths relaxedPaths;
  /// By tensor, context and expert degree.
  ByNumbers<3, Placement> knownRelaxed;
  std::deque<PathChoice> choices;
  /// By what describes the paths.
  std::map<std::string, uint32_t> numbers;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SPACE_PLACEMENTS_H

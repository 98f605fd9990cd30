// SPDX-License-Identifier: Apache-2.0
//
// Where the axes lie: the device orders of a combination of degrees, with the
// links that blocks see under each. Links are numbers, so that settings that
// look alike to a block are found to be alike by comparing a few numbers.

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_PLACEMENTS_H
#define SHARDSMITH_LIB_PLAN_SEARCH_PLACEMENTS_H

#include "Space.h"

#include <deque>
#include <map>
#include <mutex>
#include <string>

namespace shardsmith::search {

/// Numbers of the paths of a rank's groups; 0 is that of a group of one.
struct UnitLinks {
  uint32_t tensor = 0, context = 0, expert = 0;

  auto operator<=>(const UnitLinks &) const = default;
};

struct Placement {
  std::vector<PlanAxis> order;
  /// Per pool.
  std::vector<UnitLinks> links;
  /// No placement before this one has the same links.
  bool isFirstWithLinks = true;
};

/// May be used by several threads.
class Placements {
public:
  /// Both must outlive this.
  Placements(const CostContext &context, const SearchConstraints &constraints);

  /// One per device order, whatever the micro-batch. Stays where it is.
  const std::vector<Placement> &of(const DegreeClass &degrees);
  /// Stays where it is.
  const GroupPath &path(uint32_t number);

private:
  uint32_t numberOf(GroupPath path);
  std::vector<Placement> find(const DegreeClass &degrees);

  const CostContext &context;
  const SearchConstraints &constraints;
  std::mutex mutex;
  /// Without the micro-batch.
  std::map<std::array<int64_t, 5>, std::vector<Placement>> known;
  std::deque<GroupPath> paths;
  /// By what describes a path.
  std::map<std::string, uint32_t> numbers;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SEARCH_PLACEMENTS_H

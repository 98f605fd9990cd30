// SPDX-License-Identifier: Apache-2.0
//
// The choices that constraints may restrict, one row for each, under the name
// that `fix` has for it: how to leave the choice open again, and whether a plan
// keeps what is asked of it.

#ifndef SHARDSMITH_PLAN_SPACE_RESTRICTIONS_H
#define SHARDSMITH_PLAN_SPACE_RESTRICTIONS_H

#include "shardsmith/Plan/Space/SearchConstraints.h"

#include <functional>
#include <span>

namespace shardsmith {

struct Restriction {
  std::string_view name;
  /// Leaves the choice open.
  std::function<void(SearchConstraints &)> lift;
  /// Whether the constraints' part about this choice allows the plan. Choices
  /// about an axis bind only where the plan has the axis.
  std::function<bool(const SearchConstraints &, const Strategy &,
                     const workload::Workload &)>
      allows;
  /// What a plan chose, in the words of `fix`; where units chose differently
  /// their choices, joined by a plus sign.
  std::function<std::string(const Strategy &)> chosen;
};

/// In the order in which they are lifted one by one where nothing fits.
std::span<const Restriction> allRestrictions();

} // namespace shardsmith

#endif // SHARDSMITH_PLAN_SPACE_RESTRICTIONS_H

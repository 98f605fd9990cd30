// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_CHECK_FINDINGS_H
#define SHARDSMITH_LIB_CHECK_FINDINGS_H

#include "shardsmith/Check/PlanCheck.h"

#include <fmt/format.h>

namespace shardsmith::check {

/// Collects what is wrong, by its place in the plan.
class Findings {
public:
  /// A rule that is broken.
  template <typename... Arguments>
  void broken(std::string item, fmt::format_string<Arguments...> reason,
              Arguments &&...arguments) {
    list.push_back(
        {std::move(item), "", "",
         fmt::format(reason, std::forward<Arguments>(arguments)...)});
  }
  /// A value that is another one when computed again.
  template <typename Value>
  void differs(std::string item, const Value &claimed, const Value &recomputed,
               std::string reason = "") {
    list.push_back({std::move(item), fmt::format("{}", claimed),
                    fmt::format("{}", recomputed), std::move(reason)});
  }

  void add(Finding finding) { list.push_back(std::move(finding)); }

  bool empty() const { return list.empty(); }
  std::vector<Finding> take() { return std::move(list); }

private:
  std::vector<Finding> list;
};

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_FINDINGS_H

// SPDX-License-Identifier: Apache-2.0
//
// After a search that found nothing: what is short, and what would help.

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_INFEASIBLE_H
#define SHARDSMITH_LIB_PLAN_SEARCH_INFEASIBLE_H

#include "shardsmith/Plan/Search/Search.h"

#include <functional>

namespace shardsmith::search {

/// The search without explanations.
using PlainSearch = std::function<SearchResult(const CostContext &context,
                                               const SearchOptions &options)>;

/// The nearest plan is found by the same search with more memory, as little
/// more as it takes; changes are tried in the order of what they cost a user:
/// constraints lifted one by one, no margin, more devices.
Infeasibility explainInfeasibility(const CostContext &context,
                                   const SearchOptions &options,
                                   const PlainSearch &search);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SEARCH_INFEASIBLE_H

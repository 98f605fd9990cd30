// SPDX-License-Identifier: Apache-2.0
//
// The explanation of a search that found nothing: which rank is short of how
// much memory, and which change of the constraints or the cluster would help.

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_INFEASIBLE_H
#define SHARDSMITH_LIB_PLAN_SEARCH_INFEASIBLE_H

#include "shardsmith/Plan/Search/Search.h"

#include <functional>

namespace shardsmith::search {

/// The search without explanations, which explanations call with other
/// constraints and clusters.
using PlainSearch = std::function<SearchResult(const CostContext &context,
                                               const SearchOptions &options)>;

/// Finds the nearest plan by the same search with more memory, as little more
/// as it takes. Then tries changes in the order of what they cost a user:
/// constraints lifted one by one, no margin, more devices.
Infeasibility explainInfeasibility(const CostContext &context,
                                   const SearchOptions &options,
                                   const PlainSearch &search);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SEARCH_INFEASIBLE_H

// SPDX-License-Identifier: Apache-2.0
//
// After a search that found nothing: what is short, and what would help.

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_INFEASIBLE_H
#define SHARDSMITH_LIB_PLAN_SEARCH_INFEASIBLE_H

#include "shardsmith/Plan/Search.h"

namespace shardsmith::search {

Infeasibility explainInfeasibility(const CostContext &context,
                                   const SearchOptions &options);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SEARCH_INFEASIBLE_H

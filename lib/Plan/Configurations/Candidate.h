// SPDX-License-Identifier: Apache-2.0
//
// A strategy on its way through the search.

#ifndef SHARDSMITH_LIB_PLAN_CONFIGURATIONS_CANDIDATE_H
#define SHARDSMITH_LIB_PLAN_CONFIGURATIONS_CANDIDATE_H

#include "shardsmith/Strategy/Strategy.h"
#include "shardsmith/Support/Quantity.h"

namespace shardsmith::search {

/// A complete strategy and the step that the search computed for it.
struct Candidate {
  Strategy strategy;
  Nanoseconds step;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CONFIGURATIONS_CANDIDATE_H

// SPDX-License-Identifier: Apache-2.0
//
// Stages of deep models have many equal units in a row. What is asked of every
// unit is asked once per run of them, so that it takes no longer in a model of
// a thousand layers.
//
//     stage:  embedding │ layer layer layer │ layer layer
//     choice:   none    │  full  full  full │  none  none
//     runs:       1     │         3         │      2

#ifndef SHARDSMITH_LIB_PLAN_STAGES_UNITRUNS_H
#define SHARDSMITH_LIB_PLAN_STAGES_UNITRUNS_H

#include "../Chains/Chain.h"

namespace shardsmith::search {

/// Neighbouring units of one segment that recompute alike.
struct UnitRun {
  /// The first unit, counted from the first one of the stage.
  size_t first = 0;
  int64_t count = 0;
  /// Of the chain.
  size_t segment = 0;
  Recompute choice = Recompute::None;
};

/// The runs of a stage whose recomputation is written down, in order; together
/// they are the stage.
std::vector<UnitRun> runsOf(const Chain &chain, const Stage &stage);

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_STAGES_UNITRUNS_H

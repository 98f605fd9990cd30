// SPDX-License-Identifier: Apache-2.0
//
// How far an exact plan may be from the fastest. Tables of blocks compare
// layouts by sums. A layout that is better by none of them, but divides its
// time otherwise between forward and backward pass, is in no table, and may be
// faster by less than a kernel's noise when its schedule is played
// (docs/planner.md, section 2).

#ifndef SHARDSMITH_TEST_UNIT_PLAN_PLAYEDNOISE_H
#define SHARDSMITH_TEST_UNIT_PLAN_PLAYEDNOISE_H

#include "shardsmith/Support/Quantity.h"

namespace shardsmith::testing_search {

/// The longest step that counts as equal to `step`: 1/10,000 more.
inline Nanoseconds withNoise(Nanoseconds step) {
  return step.isSaturated() ? step : step + Nanoseconds(step.count() / 10'000);
}

} // namespace shardsmith::testing_search

#endif // SHARDSMITH_TEST_UNIT_PLAN_PLAYEDNOISE_H

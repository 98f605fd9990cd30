// SPDX-License-Identifier: Apache-2.0
//
// Plans of a search keep every restriction that it was given, and plans that
// are found once one is lifted are no plans of the narrower space where they
// are better. On random instances; SHARDSMITH_TEST_SEED sets the first one.

#include "../../FirstSeed.h"
#include "../PlayedNoise.h"
#include "../RandomInstance.h"

#include "shardsmith/Plan/Space/Restrictions.h"

#include <gtest/gtest.h>

#include <set>

namespace shardsmith {
namespace {

using testing_search::RandomInstance;
using testing_search::withNoise;

SearchResult searchIn(const RandomInstance &instance,
                      const SearchConstraints &constraints) {
  ClusterTopology topology(instance.cluster);
  CostContext context{instance.workload, topology, instance.profile};
  SearchOptions options;
  options.constraints = constraints;
  return searchStrategies(context, options);
}

/// The names of the restrictions that the plan does not keep.
std::set<std::string_view> brokenBy(const Strategy &strategy,
                                    const RandomInstance &instance) {
  std::set<std::string_view> broken;
  for (const Restriction &restriction : allRestrictions())
    if (!restriction.allows(instance.constraints, strategy, instance.workload))
      broken.insert(restriction.name);
  return broken;
}

TEST(Restrictions, BestPlansKeepThemAndBetterOnesBreakTheLiftedOne) {
  uint64_t first = test::firstSeed();
  size_t kept = 0, better = 0;
  for (uint64_t seed = first; seed < first + 60; ++seed) {
    SCOPED_TRACE("SHARDSMITH_TEST_SEED=" + std::to_string(seed));
    RandomInstance instance(
        seed, seed % 2 == 0,
        {.experts = seed % 3 == 1, .attention = seed % 3 == 2});
    SearchResult narrow = searchIn(instance, instance.constraints);
    if (narrow.plans.empty())
      continue;
    for (const RankedPlan &plan : narrow.plans) {
      EXPECT_EQ(brokenBy(plan.strategy, instance), std::set<std::string_view>())
          << plan.strategy.str();
      ++kept;
    }
    for (const Restriction &restriction : allRestrictions()) {
      SearchConstraints lifted = instance.constraints;
      restriction.lift(lifted);
      if (lifted == instance.constraints)
        continue;
      SearchResult wide = searchIn(instance, lifted);
      ASSERT_FALSE(wide.plans.empty()) << restriction.name;
      const RankedPlan &plan = wide.plans.front();
      if (withNoise(plan.estimate.step()) >= Nanoseconds(narrow.lowerBound))
        continue;
      EXPECT_EQ(brokenBy(plan.strategy, instance),
                std::set<std::string_view>{restriction.name})
          << plan.strategy.str();
      ++better;
    }
    if (HasFailure())
      return;
  }
  EXPECT_GT(kept, 0u);
  EXPECT_GT(better, 0u);
}

TEST(Restrictions, LiftedOneByOneLeaveNothing) {
  SearchConstraints constraints;
  ASSERT_EQ(
      constraints.fix("tp=2,cp=2,ep=2,dp=2,pp=2,vpp=2,mbs=2,devices=8,"
                      "fsdp=2,stages=1+1,recompute=full:2,recomputed=layers,"
                      "schedule=interleaved,context-method=ring,"
                      "order=tp-cp-pp-dp,sp=off,features=off,even=on,"
                      "zero-groups=off,rounds=whole"),
      std::nullopt);
  for (const Restriction &restriction : allRestrictions()) {
    SearchConstraints before = constraints;
    restriction.lift(constraints);
    EXPECT_NE(before, constraints) << restriction.name;
  }
  EXPECT_EQ(constraints, SearchConstraints());
}

} // namespace
} // namespace shardsmith

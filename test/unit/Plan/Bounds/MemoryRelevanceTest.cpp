// SPDX-License-Identifier: Apache-2.0
//
// Configurations that are said to have room for all layouts, against the memory
// of every strategy.

#include "../../../../lib/Plan/Bounds/MemoryRelevance.h"
#include "../../../../lib/Plan/Chains/ChainLayouts.h"
#include "../../FirstSeed.h"
#include "../Enumeration.h"
#include "../RandomInstance.h"

#include <gtest/gtest.h>

namespace shardsmith {
namespace {

using namespace search;
using testing_search::Enumeration;
using testing_search::RandomInstance;

class Configurations {
public:
  Configurations(const CostContext &context,
                 const SearchConstraints &constraints)
      : context(context), constraints(constraints),
        all(parallelConfigurations(context, constraints)),
        placements(context, constraints, all),
        models(context, constraints, placements),
        layouts(context, models, constraints, never) {}

  /// Whether the strategy is in one of the variants that are searched, and its
  /// configuration has room for all layouts.
  bool haveRoom(const Strategy &s) {
    auto degrees = ParallelConfiguration::of(s);
    if (std::ranges::none_of(
            scheduleChoices(context.workload, degrees, constraints),
            [&](ScheduleChoice choice) { return choice.family == s.schedule; }))
      return false;
    Strategy outer = degrees.strategy();
    outer.deviceOrder = s.deviceOrder;
    outer.contextMethod = s.contextMethod;
    auto [known, isNew] =
        rooms.try_emplace({degrees, s.deviceOrder, s.contextMethod});
    if (isNew)
      for (const Placement &placement : placements.of(degrees))
        if (placement.order == s.deviceOrder)
          known->second |=
              isMemoryIrrelevant(context, constraints, degrees, outer,
                                 layouts.mostMemory(outer, placement));
    return known->second;
  }

  std::map<
      std::tuple<ParallelConfiguration, std::vector<PlanAxis>, ContextMethod>,
      bool>
      rooms;

private:
  const CostContext &context;
  const SearchConstraints &constraints;
  std::vector<ParallelConfiguration> all;
  Placements placements;
  UnitModels models;
  std::function<bool()> never = [] { return false; };
  ChainLayouts layouts;
};

TEST(MemoryRelevance, NoStrategyNeedsMore) {
  uint64_t seed = test::firstSeed();
  size_t roomy = 0, tight = 0, configurations = 0;
  for (size_t compared = 0; compared < 100; ++seed) {
    SCOPED_TRACE("SHARDSMITH_TEST_SEED=" + std::to_string(seed));
    testing_search::ModelParts parts;
    parts.experts = seed % 4 == 0;
    parts.attention = seed % 4 == 1;
    RandomInstance instance(seed, seed % 3 == 0, parts);
    // About what a strategy needs, which is mostly the runtime's own.
    instance.profile.constantGib *= 0.001;
    ClusterTopology topology(instance.cluster);
    CostContext context{instance.workload, topology, instance.profile};
    Bytes most;
    Enumeration first(context, instance.constraints, false, 4000);
    first.visit = [&](const Strategy &, const StepEstimate &estimate) {
      for (const StageEstimate &rank : estimate.ranks)
        most = std::max(most, rank.memory.total());
    };
    if (!first.run())
      continue;
    for (auto &[name, type] : instance.cluster.deviceTypes) {
      type.reserved = Bytes();
      type.memory =
          Bytes(int64_t(double(most.count()) * instance.between(0.6, 3)));
    }
    ++compared;
    Configurations all(context, instance.constraints);
    Enumeration again(context, instance.constraints, false, 4000);
    again.visit = [&](const Strategy &strategy, const StepEstimate &estimate) {
      bool isRoomy = all.haveRoom(strategy);
      EXPECT_TRUE(!isRoomy || estimate.fits()) << strategy.str();
      tight += !estimate.fits();
    };
    ASSERT_TRUE(again.run());
    for (const auto &[key, isRoomy] : all.rooms)
      roomy += isRoomy;
    configurations += all.rooms.size();
  }
  std::printf("%zu of %zu configurations have room for all\n", roomy,
              configurations);
  EXPECT_GT(roomy, 50u);
  EXPECT_GT(tight, 50u);
}

} // namespace
} // namespace shardsmith

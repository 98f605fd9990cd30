// SPDX-License-Identifier: Apache-2.0
//
// The bounds of layouts and of ideals against every strategy of small
// instances: where a strategy fits, neither says that nothing does, that it
// recomputes more, or that it takes longer. And where no recomputation makes a
// layout fit on one rank, its bound mostly says so.

#include "../../../../lib/Plan/Bounds/LayoutBound.h"
#include "../../../../lib/Plan/Chains/PoolSums.h"
#include "../../../../lib/Plan/Chains/UnitModels.h"
#include "../../FirstSeed.h"
#include "../Enumeration.h"
#include "../RandomInstance.h"

#include <gtest/gtest.h>

namespace shardsmith {
namespace {

using namespace search;
using testing_search::Enumeration;
using testing_search::RandomInstance;

/// What all layouts of an ideal have in common: all of a strategy but layouts,
/// stages, schedule and ZeRO.
using Setting =
    std::tuple<ParallelConfiguration, std::vector<PlanAxis>, ContextMethod>;

Setting settingOf(const Strategy &s) {
  return {ParallelConfiguration::of(s), s.deviceOrder, s.contextMethod};
}

Nanoseconds recomputedBy(const Strategy &s, const Chain &chain,
                         const std::vector<UnitCosts> &prices) {
  Nanoseconds time;
  for (const Stage &stage : s.stages)
    for (int64_t unit = stage.begin; unit < stage.end; ++unit) {
      Recompute choice = stage.recompute[size_t(unit - stage.begin)];
      time += prices[chain.blockOf(chain.segmentOf(unit))]
                  .recompute[size_t(choice)];
    }
  return time;
}

class Bounds {
public:
  Bounds(const CostContext &context, const SearchConstraints &constraints)
      : context(context), constraints(constraints),
        chain(context.workload, constraints),
        all(parallelConfigurations(context, constraints)),
        placements(context, constraints, all),
        models(context, constraints, placements) {}

  /// Takes the layouts of a strategy into the ideal of its setting.
  void addToIdeal(const Strategy &s) {
    std::vector<BlockRange> &ranges = rangesOf[settingOf(s)];
    std::vector<UnitCosts> prices = pricesOf(s);
    for (size_t block = 0; block < prices.size(); ++block) {
      BlockRange range(prices[block], constraints.recompute);
      if (block < ranges.size())
        ranges[block].add(range);
      else
        ranges.push_back(range);
    }
  }

  void check(const Strategy &s, const StepEstimate &estimate) {
    const ChainSums &layout = sumsOf(s);
    std::optional<LayoutBound::Least> ofLayout = boundOf(s, layout);
    if (s.pipeline == 1)
      count(s, estimate, ofLayout.has_value());
    if (!estimate.fits())
      return;
    expectNoMore(s, estimate, ofLayout, "of the layout");
    auto [ideal, isNew] = ideals.try_emplace(settingOf(s));
    if (isNew)
      ideal->second = std::make_unique<ChainIdeal>(
          chain, rangesOf.at(settingOf(s)), constraints.recompute);
    expectNoMore(s, estimate, boundOf(s, ideal->second->sums()),
                 "of the ideal");
  }

  /// Layouts in a variant on one rank that do not fit however they are
  /// recomputed, and those of them that the bound excludes.
  void countShort(size_t &shortOfMemory, size_t &excluded) const {
    for (const auto &[key, found] : onOneRank) {
      shortOfMemory += !found.fits;
      excluded += !found.fits && !found.isOpen;
    }
  }

private:
  std::vector<UnitCosts> pricesOf(const Strategy &s) const {
    std::vector<UnitCosts> prices = unitPrices(context, s, 0);
    for (size_t block = 0; block < prices.size(); ++block)
      prices[block] =
          models.inPlans(workload::BlockIndex(block), std::move(prices[block]));
    return prices;
  }

  /// Strategies with the same layouts follow each other.
  const ChainSums &sumsOf(const Strategy &s) {
    if (!sums || settingOf(s) != lastSetting || s.layouts != lastLayouts) {
      lastSetting = settingOf(s);
      lastLayouts = s.layouts;
      prices = {pricesOf(s)};
      sums.emplace(chain, prices, constraints.recompute);
      ++layoutNumber;
    }
    return sums->onPool(0);
  }

  std::optional<LayoutBound::Least> boundOf(const Strategy &s,
                                            const ChainSums &sums) {
    StepModel model(context, s);
    ParameterPrices parameters(0);
    LayoutBound bound(model, s, constraints.recompute, 0,
                      budgets.of(model, s, 0), parameters,
                      Nanoseconds::saturated());
    return bound.least(sums, {});
  }

  void expectNoMore(const Strategy &s, const StepEstimate &estimate,
                    const std::optional<LayoutBound::Least> &least,
                    const char *which) const {
    ASSERT_TRUE(least) << which << ": " << s.str();
    EXPECT_LE(least->recompute, recomputedBy(s, chain, prices.front()))
        << which << ": " << s.str();
    StepModel model(context, s);
    EXPECT_LE(std::max(model.step(least->totals), model.step(least->work)),
              estimate.step())
        << which << ": " << s.str();
  }

  void count(const Strategy &s, const StepEstimate &estimate, bool isOpen) {
    Found &found =
        onOneRank[{layoutNumber, s.schedule, s.zeroStage, s.zeroGroup}];
    found.fits |= estimate.fits();
    found.isOpen |= isOpen;
  }

  const CostContext &context;
  const SearchConstraints &constraints;
  Chain chain;
  std::vector<ParallelConfiguration> all;
  Placements placements;
  UnitModels models;
  ActivationBudgetTable budgets;
  std::map<Setting, std::vector<BlockRange>> rangesOf;
  std::map<Setting, std::unique_ptr<ChainIdeal>> ideals;

  Setting lastSetting;
  std::vector<BlockLayout> lastLayouts;
  UnitPrices prices;
  std::optional<LayoutSums> sums;
  size_t layoutNumber = 0;

  struct Found {
    bool fits = false, isOpen = false;
  };
  std::map<std::tuple<size_t, ScheduleFamily, int, int64_t>, Found> onOneRank;
};

TEST(LayoutBound, NoStrategyThatFitsNeedsLess) {
  uint64_t seed = test::firstSeed();
  size_t fitting = 0, shortOfMemory = 0, excluded = 0;
  for (size_t compared = 0; compared < 60; ++seed) {
    SCOPED_TRACE("SHARDSMITH_TEST_SEED=" + std::to_string(seed));
    testing_search::ModelParts parts;
    parts.experts = seed % 4 == 0;
    parts.attention = seed % 4 == 1;
    parts.sharing = seed % 4 == 2;
    RandomInstance instance(seed, false, parts);
    // `unitPrices` knows no others.
    instance.constraints.sequenceParallel = true;
    instance.constraints.splitsFeatures = UnitSetting().splitsFeatures;
    constexpr std::array factors = {0.6, 1.0, 1.3};
    instance.profile.activationFactor =
        factors[size_t(instance.below(factors.size()))];
    ClusterTopology topology(instance.cluster);
    CostContext context{instance.workload, topology, instance.profile};
    auto eachStrategy = [&](auto visit) {
      Enumeration all(context, instance.constraints, false, 1000);
      all.visit = visit;
      return all.run();
    };
    std::vector<Bytes> needed;
    bool areFew = eachStrategy([&](const Strategy &, const StepEstimate &each) {
      Bytes most;
      for (const StageEstimate &rank : each.ranks)
        most = std::max(most, rank.memory.total());
      needed.push_back(most);
    });
    if (!areFew || needed.empty())
      continue;
    // Some fit, and some do not.
    auto middle = needed.begin() + instance.below(int64_t(needed.size()));
    std::ranges::nth_element(needed, middle);
    for (auto &[name, type] : instance.cluster.deviceTypes) {
      type.reserved = Bytes();
      type.memory = Bytes(int64_t(double(middle->count()) / 0.9) + 1);
    }
    ++compared;
    Bounds bounds(context, instance.constraints);
    eachStrategy([&](const Strategy &strategy, const StepEstimate &) {
      bounds.addToIdeal(strategy);
    });
    eachStrategy([&](const Strategy &strategy, const StepEstimate &estimate) {
      fitting += estimate.fits();
      bounds.check(strategy, estimate);
    });
    bounds.countShort(shortOfMemory, excluded);
  }
  std::printf("%zu strategies that fit; %zu layouts do not fit on one rank, of "
              "which the bound excludes %zu\n",
              fitting, shortOfMemory, excluded);
  EXPECT_GT(fitting, 1000u);
  EXPECT_GT(shortOfMemory, 100u);
  EXPECT_GT(excluded * 4, shortOfMemory * 3);
}

} // namespace
} // namespace shardsmith

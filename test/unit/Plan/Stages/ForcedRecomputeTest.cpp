// SPDX-License-Identifier: Apache-2.0
//
// No plan recomputes less than the memory of its ranks is said to enforce,
// whichever neighbouring ranks one looks at; and where memory is short, plans
// recompute hardly more.

#include "../../../../lib/Plan/Stages/ForcedRecompute.h"
#include "../../Cost/TransformerModel.h"
#include "../../FirstSeed.h"
#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Plan/Search/Search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace shardsmith {
namespace {

using namespace search;

/// A plan of the search, with the problem of cutting it into stages.
class PlannedStages {
public:
  PlannedStages(const CostContext &context, const Strategy &strategy)
      : strategy(strategy), chain(context.workload), cuts(chain),
        model(context, this->strategy), pools(size_t(strategy.pipeline), 0),
        links(context.topology, this->strategy, pools),
        prices{unitPrices(context, this->strategy, 0)},
        problem{model,  this->strategy, chain, cuts,
                prices, allOf,          pools, links},
        forced(problem) {}

  bool isKnown() const { return forced.isKnown(); }
  Nanoseconds forcedIn(RankRange ranks) const {
    std::vector<int64_t> counts(chain.segments(), 0);
    eachUnit(ranks, [&](size_t segment, Recompute) { ++counts[segment]; });
    return forced.least(ranks, counts);
  }
  Nanoseconds takenIn(RankRange ranks) const {
    Nanoseconds time;
    eachUnit(ranks, [&](size_t segment, Recompute choice) {
      const UnitCosts &unit = prices.front()[chain.blockOf(segment)];
      auto fastest = size_t(fastestChoice(unit, allOf));
      time += unit.recompute[size_t(choice)] - unit.recompute[fastest];
    });
    return time;
  }

private:
  static constexpr RecomputeMask allOf = {true, true, true};

  template <typename Visit> void eachUnit(RankRange ranks, Visit visit) const {
    for (size_t s = 0; s < strategy.stages.size(); ++s) {
      int64_t rank =
          pipelineRankOf(strategy.schedule, strategy.pipeline, int64_t(s));
      const Stage &stage = strategy.stages[s];
      for (int64_t unit = stage.begin;
           rank >= ranks.begin && rank < ranks.end && unit < stage.end; ++unit)
        visit(chain.segmentOf(unit),
              stage.recompute[size_t(unit - stage.begin)]);
    }
  }

  Strategy strategy;
  Chain chain;
  CutLists cuts;
  StepModel model;
  std::vector<unsigned> pools;
  PipelineLinks links;
  UnitPrices prices;
  PartitionProblem problem;
  ForcedRecompute forced;
};

TEST(ForcedRecompute, NoPlanRecomputesLess) {
  uint64_t seed = test::firstSeed();
  size_t ranges = 0, enforced = 0, close = 0;
  // On until enough plans are forced to recompute, which few are in some draws.
  auto isEnough = [&] { return enforced > 20 && close > 5; };
  for (int round = 0; round < 60 || (round < 600 && !isEnough());
       ++round, ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    auto below = [&](int64_t bound) {
      return std::uniform_int_distribution<int64_t>(0, bound - 1)(random);
    };
    int64_t hidden = 256 * (1 + below(4));
    workload::Workload model =
        workload::transformer({.layers = 6 + below(20),
                               .hidden = hidden,
                               .feedForward = 4 * hidden,
                               .globalBatch = 8 + below(25)});
    Cluster cluster = *findCluster("8xh100").cluster;
    for (auto &[name, type] : cluster.deviceTypes) {
      type.memory = Bytes(int64_t(std::exp2(27 + double(below(500)) / 100)));
      type.reserved = {};
    }
    StackProfile profile;
    profile.constantGib = 0;
    ClusterTopology topology(cluster);
    CostContext context{model, topology, profile};
    SearchOptions options;
    options.constraints.tensor.most = options.constraints.context.most = 1;
    options.constraints.pipeline.least = options.constraints.pipeline.most =
        int64_t(2) << below(3);
    for (const RankedPlan &plan : searchStrategies(context, options).plans) {
      PlannedStages stages(context, plan.strategy);
      if (!stages.isKnown())
        continue;
      int64_t ranks = plan.strategy.pipeline;
      for (int64_t begin = 0; begin < ranks; ++begin)
        for (int64_t end = begin + 1; end <= ranks; ++end) {
          Nanoseconds least = stages.forcedIn({begin, end});
          Nanoseconds taken = stages.takenIn({begin, end});
          ASSERT_LE(least.count(), taken.count())
              << "ranks " << begin << " to " << end << " of "
              << plan.strategy.str();
          ++ranges;
          enforced += least > Nanoseconds();
          close += least > Nanoseconds() && taken < least * 2;
        }
    }
  }
  std::printf("%zu ranges of ranks, %zu enforce recomputation, of %zu plans "
              "recompute less than twice that\n",
              ranges, enforced, close);
  EXPECT_GT(enforced, 20u);
  EXPECT_GT(close, 5u);
}

} // namespace
} // namespace shardsmith

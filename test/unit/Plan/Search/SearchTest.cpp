// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/Search/Search.h"
#include "../../Cost/TransformerModel.h"
#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Cost/Step/StepModel.h"
#include "shardsmith/Plan/Search/PlanReceiver.h"
#include "shardsmith/Plan/Search/SearchProgress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <thread>

namespace shardsmith {
namespace {

using namespace workload;
using testing::HasSubstr;

TransformerSizes smallModel() {
  return {.layers = 4,
          .hidden = 2048,
          .heads = 16,
          .keyValueHeads = 4,
          .feedForward = 8192,
          .vocabulary = 32000,
          .positions = 4096,
          .gated = true,
          .dropout = false,
          .globalBatch = 8};
}

SearchResult searchOn(const std::string &name, const TransformerSizes &sizes,
                      const SearchOptions &options) {
  Workload model = transformer(sizes);
  ClusterResult found = findCluster(name);
  EXPECT_TRUE(found.cluster);
  ClusterTopology topology(*found.cluster);
  StackProfile profile;
  return searchStrategies({model, topology, profile}, options);
}

SearchOptions fixed(std::string_view text) {
  SearchOptions options;
  EXPECT_EQ(options.constraints.fix(text), std::nullopt);
  return options;
}

TEST(Search, ProvesThePlanAndRanksOthers) {
  SearchResult result =
      searchOn("8xh100", smallModel(), fixed("context=1,micro-batch=1"));
  ASSERT_EQ(result.plans.size(), 5u);
  EXPECT_EQ(result.proof, ProofKind::Exact);
  EXPECT_EQ(result.gap(), 0);
  EXPECT_EQ(result.cost, result.plans[0].estimate.step().count());
  for (size_t i = 1; i < result.plans.size(); ++i) {
    EXPECT_LE(result.plans[i - 1].estimate.step(),
              result.plans[i].estimate.step());
    EXPECT_FALSE(result.plans[i].whyNotFirst.empty());
  }
}

/// Can use plans without a pipeline alone.
struct WithoutPipeline : PlanReceiver {
  void take(RankedPlan plan) override {
    EXPECT_LE(plan.estimate.step().count(), most);
    ++taken;
    if (plan.strategy.pipeline == 1)
      most = std::min(most, plan.estimate.step().count());
  }
  int64_t limit() const override { return most; }

  int64_t most = std::numeric_limits<int64_t>::max();
  int taken = 0;
};

// The best plan that the receiver can use is that of a search among these, and
// a search that begins with its price as the limit finds nothing else.
TEST(Search, StopsAtWhatTheReceiverCanUse) {
  SearchResult usable =
      searchOn("8xh100", smallModel(), fixed("pp=1,micro-batch=1"));
  ASSERT_EQ(usable.proof, ProofKind::Exact);
  auto receiver = std::make_shared<WithoutPipeline>();
  SearchOptions options = fixed("micro-batch=1");
  options.planCount = 64;
  options.receiver = receiver;
  SearchResult result = searchOn("8xh100", smallModel(), options);
  EXPECT_EQ(receiver->most, usable.cost);
  EXPECT_GT(receiver->taken, 1);
  EXPECT_LE(result.lowerBound, usable.cost);

  receiver->most = usable.cost / 2;
  receiver->taken = 0;
  result = searchOn("8xh100", smallModel(), options);
  EXPECT_EQ(receiver->taken, 0);
  EXPECT_FALSE(result.infeasibility);
}

// What is known at the end is what the search gives.
TEST(Search, TellsOfItsPlansAndBounds) {
  for (SearchObjective objective :
       {SearchObjective::Time, SearchObjective::Front}) {
    SearchProgress progress;
    EXPECT_EQ(progress.soFar(), std::nullopt);
    Workload model = transformer(smallModel());
    Cluster cluster = *findCluster("8xh100").cluster;
    for (auto &[name, type] : cluster.deviceTypes)
      type.dollarsPerHour = 2;
    ClusterTopology topology(cluster);
    StackProfile profile;
    SearchOptions options = fixed("context=1,micro-batch=1");
    options.objective = objective;
    options.progress = &progress;
    SearchResult result = searchStrategies({model, topology, profile}, options);
    std::optional<SearchResult> known = progress.soFar();
    ASSERT_TRUE(known);
    EXPECT_EQ(known->cost, result.cost);
    EXPECT_LE(known->lowerBound, result.lowerBound);
    ASSERT_EQ(known->plans.size(), result.plans.size());
    for (size_t i = 0; i < result.plans.size(); ++i)
      EXPECT_EQ(known->plans[i].strategy.str(), result.plans[i].strategy.str());
  }
}

// Another thread asks until the search ends: plans only get better, and the
// bound is one of the optimum.
TEST(Search, TellsOthersWhileItRuns) {
  TransformerSizes sizes = smallModel();
  sizes.globalBatch = 100;
  Workload model = transformer(sizes);
  ClusterResult found = findCluster("64xh100");
  ASSERT_TRUE(found.cluster);
  ClusterTopology topology(*found.cluster);
  StackProfile profile;
  CostContext context{model, topology, profile};
  SearchProgress progress;
  SearchOptions options;
  options.progress = &progress;
  std::atomic<bool> isOver = false;
  std::vector<SearchResult> seen;
  std::jthread reader([&] {
    while (!isOver)
      if (std::optional<SearchResult> known = progress.soFar())
        if (seen.empty() || known->cost != seen.back().cost ||
            known->lowerBound != seen.back().lowerBound)
          seen.push_back(std::move(*known));
  });
  SearchResult result = searchStrategies(context, options);
  isOver = true;
  reader.join();
  int64_t last = std::numeric_limits<int64_t>::max();
  for (const SearchResult &known : seen) {
    ASSERT_FALSE(known.plans.empty());
    EXPECT_LE(known.cost, last);
    EXPECT_LE(known.lowerBound, result.cost);
    EXPECT_TRUE(known.plans.front().estimate.fits());
    last = known.cost;
  }
}

// A ranking that is never full leaves out nothing. Some of these batches suit
// several numbers of devices about as well.
TEST(Search, RanksEveryPlanNearTheBest) {
  size_t near = 0;
  for (int64_t batch : {8, 10, 20, 100})
    for (std::string fixes : {"context=1,micro-batch=1", "tp=1,pp=1", "pp=1"}) {
      SCOPED_TRACE(fixes + ", batch " + std::to_string(batch));
      TransformerSizes sizes = smallModel();
      sizes.globalBatch = batch;
      SearchOptions options = fixed(fixes);
      SearchResult few = searchOn("8xh100", sizes, options);
      options.planCount = 1000;
      SearchResult all = searchOn("8xh100", sizes, options);
      ASSERT_GE(all.plans.size(), few.plans.size());
      if (fixes.starts_with("context"))
        ASSERT_GT(all.plans.size(), 20u);
      EXPECT_EQ(few.cost, all.cost);
      for (size_t i = 0; i < few.plans.size(); ++i) {
        Nanoseconds step = all.plans[i].estimate.step();
        bool isNear = step.count() <= all.cost + all.cost / 100;
        near += i > 0 && isNear;
        if (isNear)
          EXPECT_EQ(few.plans[i].estimate.step(), step) << i;
        else
          EXPECT_GE(few.plans[i].estimate.step(), step) << i;
      }
    }
  EXPECT_GT(near, 3u);
}

TEST(Search, SameForAnyNumberOfThreads) {
  SearchOptions options = fixed("context=1,micro-batch=1");
  SearchResult one = searchOn("8xh100", smallModel(), options);
  options.threads = 2;
  SearchResult two = searchOn("8xh100", smallModel(), options);
  ASSERT_EQ(one.plans.size(), two.plans.size());
  for (size_t i = 0; i < one.plans.size(); ++i) {
    EXPECT_EQ(one.plans[i].strategy, two.plans[i].strategy);
    EXPECT_EQ(one.plans[i].estimate, two.plans[i].estimate);
  }
  EXPECT_EQ(one.counts.candidates, two.counts.candidates);
  EXPECT_EQ(one.counts.partitions, two.counts.partitions);
  EXPECT_EQ(one.counts.blockTables, two.counts.blockTables);
}

TEST(Search, KeepsToWhatIsFixed) {
  SearchResult result = searchOn("8xh100", smallModel(),
                                 fixed("tp=2,pp=2,dp=2,zero=1,schedule=1f1b"));
  ASSERT_FALSE(result.plans.empty());
  const Strategy &strategy = result.plans[0].strategy;
  EXPECT_EQ(strategy.tensor, 2);
  EXPECT_EQ(strategy.pipeline, 2);
  EXPECT_EQ(strategy.data, 2);
  EXPECT_EQ(strategy.context, 1);
  EXPECT_EQ(strategy.zeroStage, 1);
  EXPECT_EQ(strategy.schedule, ScheduleFamily::OneForwardOneBackward);
}

// A head by itself behind a stage of two layers has the same sums, but all
// ranks wait for the two layers.
TEST(Search, StagesOfARankAreAsEvenAsTheirTimesAllow) {
  TransformerSizes sizes = smallModel();
  sizes.layers = 6;
  sizes.vocabulary = 4096;
  sizes.globalBatch = 24;
  SearchResult result =
      searchOn("8xh100", sizes,
               fixed("tp=4,pp=2,vpp=3,mbs=1,schedule=interleaved,"
                     "recompute=none"));
  ASSERT_FALSE(result.plans.empty());
  std::vector<int64_t> counts;
  for (const Stage &stage : result.plans[0].strategy.stages)
    counts.push_back(stage.end - stage.begin);
  EXPECT_THAT(counts, testing::ElementsAre(2, 1, 1, 1, 1, 2));
  EXPECT_EQ(result.proof, ProofKind::Exact);
}

/// The strategy with a unit moved from one stage to another, past those between
/// them; nothing recomputes.
Strategy withUnitMoved(Strategy strategy, size_t from, size_t to) {
  int64_t step = from < to ? -1 : 1;
  for (size_t i = std::min(from, to); i < std::max(from, to); ++i) {
    strategy.stages[i].end += step;
    strategy.stages[i + 1].begin += step;
  }
  for (Stage &stage : strategy.stages)
    stage.recompute.assign(size_t(stage.end - stage.begin), Recompute::None);
  return strategy;
}

// Of the cuts with the least sums the schedules of most take longer when they
// are played.
TEST(Search, NoUnitMovedToAnotherStageMakesTheStepShorter) {
  Workload model = transformer({.layers = 32,
                                .hidden = 4096,
                                .heads = 32,
                                .keyValueHeads = 8,
                                .feedForward = 14336,
                                .vocabulary = 128256,
                                .positions = 8192,
                                .gated = true,
                                .dropout = false,
                                .globalBatch = 256});
  ClusterResult found = findCluster("8xh100");
  ASSERT_TRUE(found.cluster);
  ClusterTopology topology(*found.cluster);
  StackProfile profile;
  CostContext context{model, topology, profile};
  SearchResult result =
      searchStrategies(context, fixed("dp=4,tp=1,cp=1,pp=2,vpp=8,mbs=1,zero=2,"
                                      "schedule=interleaved,recompute=none"));
  ASSERT_FALSE(result.plans.empty());
  EXPECT_EQ(result.proof, ProofKind::Exact);
  const Strategy &best = result.plans[0].strategy;
  size_t longer = 0;
  for (size_t from = 0; from < best.stages.size(); ++from)
    for (size_t to = 0; to < best.stages.size(); ++to) {
      if (from == to || best.stages[from].end - best.stages[from].begin == 1)
        continue;
      StepEstimate moved = estimateStep(context, withUnitMoved(best, from, to));
      if (!moved.fits())
        continue;
      EXPECT_GE(moved.step().count(), result.cost) << from << " to " << to;
      longer += moved.step().count() > result.cost;
    }
  EXPECT_GT(longer, 50u);
}

/// Before the ops of all configurations are priced nothing is proved.
TEST(Search, StopsAtOnceAndClaimsNothing) {
  SearchOptions options;
  options.timeLimit = std::chrono::milliseconds(0);
  SearchResult result = searchOn("8xh100", smallModel(), options);
  EXPECT_TRUE(result.stoppedEarly);
  EXPECT_TRUE(result.plans.empty());
  EXPECT_EQ(result.lowerBound, 0);
  EXPECT_FALSE(result.infeasibility);
}

/// Wherever a search is stopped, what it says is true: its plan is no faster
/// than the best one, and its bound no higher.
TEST(Search, StopsAnywhereWithAValidPlanAndBound) {
  TransformerSizes sizes = smallModel();
  sizes.layers = 24;
  SearchOptions options;
  SearchResult best = searchOn("8xh100", sizes, options);
  ASSERT_EQ(best.proof, ProofKind::Exact);
  int partial = 0;
  for (int milliseconds = 0; milliseconds < 40; ++milliseconds) {
    options.timeLimit = std::chrono::milliseconds(milliseconds);
    SearchResult result = searchOn("8xh100", sizes, options);
    EXPECT_LE(result.lowerBound, best.cost);
    if (!result.plans.empty())
      EXPECT_GE(result.cost, best.cost);
    if (!result.stoppedEarly)
      EXPECT_EQ(result.cost, best.cost);
    partial += result.stoppedEarly;
  }
  EXPECT_GT(partial, 0);
}

TEST(Search, EndsWithAnyPlanIfOneIsEnough) {
  SearchOptions options = fixed("context=1,micro-batch=1");
  SearchResult best = searchOn("8xh100", smallModel(), options);
  options.isOneEnough = true;
  SearchResult any = searchOn("8xh100", smallModel(), options);
  ASSERT_FALSE(any.plans.empty());
  EXPECT_FALSE(any.stoppedEarly);
  EXPECT_GE(any.cost, best.cost);
  EXPECT_LE(any.lowerBound, best.cost);
  EXPECT_LT(any.counts.candidates, best.counts.candidates);
}

// What is too large for that is not searched.
TEST(Search, NoPlanHoldsLessThanEveryParameterOnce) {
  Cluster cluster = *findCluster("8xh100").cluster;
  ClusterTopology topology(cluster);
  StackProfile profile;
  for (bool tied : {false, true}) {
    Workload model = transformer(smallModel(), tied);
    CostContext context{model, topology, profile, {}};
    Bytes least = StepModel::leastHeld(context);
    for (std::string fixes :
         {"dp=8,zero=3", "dp=8,zero=1", "tp=8", "tp=4,dp=2,zero=2",
          "pp=4,dp=2,zero=3", "tp=2,pp=2,dp=2,zero=0"}) {
      SCOPED_TRACE(fixes);
      SearchResult result = searchStrategies(context, fixed(fixes));
      ASSERT_FALSE(result.plans.empty());
      for (const RankedPlan &plan : result.plans) {
        Bytes held;
        for (const StageEstimate &rank : plan.estimate.ranks)
          held += (rank.memory.parameters + rank.memory.gradients +
                   rank.memory.optimizerState) *
                  (plan.strategy.rankCount() / plan.strategy.pipeline);
        EXPECT_GE(held, least);
        if (fixes == "dp=8,zero=3")
          EXPECT_LT(double(held.count()), double(least.count()) * 1.001);
      }
    }
  }
}

TEST(Search, SaysWhatIsShortAndWhatHelps) {
  TransformerSizes sizes = smallModel();
  sizes.hidden = 8192;
  sizes.feedForward = 32768;
  sizes.layers = 12;
  SearchResult result =
      searchOn("8xh100", sizes, fixed("tp=1,pp=1,dp=8,zero=0,micro-batch=1"));
  ASSERT_TRUE(result.plans.empty());
  ASSERT_TRUE(result.infeasibility);
  const Infeasibility &reason = *result.infeasibility;
  ASSERT_TRUE(reason.nearest);
  EXPECT_GT(reason.missing, Bytes(0));
  EXPECT_EQ(reason.largestItem, "optimizer state");
  ASSERT_FALSE(reason.tried.empty());
  EXPECT_EQ(reason.tried.back().change, "zero left open");
  EXPECT_TRUE(reason.tried.back().fits);
}

TEST(SearchConstraints, Reads) {
  SearchConstraints constraints;
  EXPECT_EQ(constraints.fix("tp=2..8,pp=4,order=tp-pp-cp-dp"), std::nullopt);
  EXPECT_EQ(constraints.tensor, (DegreeRange{2, 8}));
  EXPECT_EQ(constraints.pipeline, (DegreeRange{4, 4}));
  EXPECT_EQ(constraints.deviceOrder,
            (std::vector{PlanAxis::Tensor, PlanAxis::Pipeline,
                         PlanAxis::Context, PlanAxis::Data}));
  EXPECT_EQ(constraints.forbid("cp,recompute=full,zb-v"), std::nullopt);
  EXPECT_EQ(constraints.context, (DegreeRange{1, 1}));
  EXPECT_FALSE(constraints.recompute[size_t(Recompute::Full)]);
  EXPECT_FALSE(constraints.schedules[size_t(ScheduleFamily::ZeroBubbleV)]);
}

TEST(SearchConstraints, ReadsWhatUnitsAreGiven) {
  SearchConstraints constraints;
  EXPECT_EQ(constraints.fix("stages=3+1+2,recompute=none+full:4+none"),
            std::nullopt);
  EXPECT_EQ(constraints.stageSizes, (std::vector<int64_t>{3, 1, 2}));
  using enum Recompute;
  EXPECT_EQ(constraints.unitRecompute,
            (std::vector{None, Full, Full, Full, Full, None}));
  EXPECT_EQ(constraints.recompute, (std::array{true, false, true}));
  EXPECT_EQ(constraints.whyNotOf(6), "");
  EXPECT_EQ(constraints.whyNotOf(7), "stages has 6 units, and the model has 7");
  EXPECT_EQ(constraints.forbid("recompute=selective"), std::nullopt);
  for (const char *text : {"recompute=full", "recompute"})
    EXPECT_THAT(*constraints.forbid(text), HasSubstr("contradicts")) << text;
  for (const char *text :
       {"stages=", "stages=3+", "stages=3+0", "stages=3-1", "stages=9999999"})
    EXPECT_THAT(*SearchConstraints().fix(text),
                HasSubstr("expected the number of units of each stage"))
        << text;
  for (const char *text :
       {"recompute=none:+full", "recompute=none:2+", "recompute=half:2",
        "recompute=none:9999999", "recompute=none:1048576+full"})
    EXPECT_THAT(*SearchConstraints().fix(text),
                HasSubstr("expected none, selective or full of so many units"))
        << text;
}

TEST(SearchConstraints, SaysWhichRanksStagesAreFor) {
  SearchConstraints constraints;
  EXPECT_TRUE(constraints.mayHaveRanks(3));
  EXPECT_EQ(constraints.fix("stages=1+1+1+1"), std::nullopt);
  for (int64_t ranks = 1; ranks <= 5; ++ranks)
    EXPECT_EQ(constraints.mayHaveRanks(ranks), ranks == 2 || ranks == 4);
}

TEST(SearchConstraints, RefusesContradictions) {
  for (auto [first, second] : {std::pair{"tp=2", "tp=4"},
                               {"pp=4", "pp=..2"},
                               {"zero=1", "fsdp=8"},
                               {"stages=2+2", "stages=2+1+1"},
                               {"recompute=full", "recompute=none:1+full:1"},
                               {"recompute=none+full", "recompute=full"},
                               {"recompute=none+full", "recompute=none+full"},
                               {"schedule=1f1b", "schedule=gpipe"}}) {
    SearchConstraints constraints;
    EXPECT_EQ(constraints.fix(first), std::nullopt);
    SearchConstraints before = constraints;
    std::optional<std::string> problem = constraints.fix(second);
    ASSERT_TRUE(problem) << second;
    EXPECT_THAT(*problem, HasSubstr("contradicts"));
    EXPECT_EQ(constraints, before);
  }
  SearchConstraints constraints;
  EXPECT_THAT(*constraints.fix("tq=2"), HasSubstr("'tq' is no choice"));
  EXPECT_THAT(*constraints.fix("tp=0"), HasSubstr("expected a number"));
  EXPECT_THAT(*constraints.fix("tp=8..2"), HasSubstr("contradicts"));
  EXPECT_THAT(*constraints.forbid("hats"), HasSubstr("cannot be forbidden"));
}

} // namespace
} // namespace shardsmith

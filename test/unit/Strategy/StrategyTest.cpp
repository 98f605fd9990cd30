// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Strategy/Strategy.h"
#include "../Workload/TwoLayers.h"

#include <gmock/gmock.h>

namespace shardsmith {
namespace {

using namespace workload;
using testing::HasSubstr;

/// Two layers between embedding and head: four units.
Strategy plain(const Workload &workload) {
  Strategy strategy;
  strategy.stages = {{0, 4, std::vector<Recompute>(4, Recompute::None)}};
  for (const Block &block : workload.blocks)
    strategy.layouts.push_back(unsplitLayout(block));
  return strategy;
}

class StrategyTest : public testing::Test {
protected:
  Workload workload = twoLayers();
  Strategy strategy = plain(workload);

  std::string problem() { return strategy.verify(workload); }
};

TEST_F(StrategyTest, PlainOneVerifies) { EXPECT_EQ(problem(), ""); }

TEST_F(StrategyTest, NamesRoundTrip) {
  for (int family = 0; family < 8; ++family)
    EXPECT_EQ(scheduleNamed(nameOf(ScheduleFamily(family))),
              ScheduleFamily(family));
  EXPECT_EQ(scheduleNamed("2f2b"), std::nullopt);
  for (int choice = 0; choice < recomputeChoices; ++choice)
    EXPECT_EQ(recomputeNamed(nameOf(Recompute(choice))), Recompute(choice));
  EXPECT_EQ(recomputeNamed("often"), std::nullopt);
}

TEST_F(StrategyTest, DegreesMustBePositive) {
  strategy.tensor = 0;
  EXPECT_THAT(problem(), HasSubstr("tensor is 0"));
}

TEST_F(StrategyTest, ProductOfDegreesMustFit) {
  strategy.tensor = strategy.pipeline = int64_t(1) << 40;
  EXPECT_THAT(problem(), HasSubstr("does not fit 64 bits"));
}

TEST_F(StrategyTest, ExpertsArePartOfDataAndContext) {
  strategy.data = 2;
  strategy.expert = 4;
  EXPECT_THAT(problem(), HasSubstr("expert=4 does not divide"));
}

TEST_F(StrategyTest, EveryExpertRankHasAnExpert) {
  strategy.data = strategy.expert = 4;
  EXPECT_EQ(problem(), "expert=4, but the model has no experts");
  Factor &experts = workload.blocks[1].ops[0].factors[2];
  experts.role = FactorRole::Expert;
  strategy.expert = 2;
  EXPECT_EQ(problem(), "");
  experts.size = 1;
  EXPECT_EQ(problem(), "expert=2 exceeds the 1 experts of a block");
}

TEST_F(StrategyTest, BatchAndSequenceLimitDegrees) {
  strategy.data = 8;
  EXPECT_THAT(problem(), HasSubstr("data=8 exceeds the 4 sequences"));
  strategy.data = 1;
  strategy.context = 32;
  EXPECT_THAT(problem(), HasSubstr("context=32 exceeds the 16 positions"));
}

TEST_F(StrategyTest, DeviceOrderIsAPermutation) {
  strategy.deviceOrder = {PlanAxis::Tensor, PlanAxis::Tensor, PlanAxis::Data,
                          PlanAxis::Pipeline};
  EXPECT_THAT(problem(), HasSubstr("device order"));
}

TEST_F(StrategyTest, ZeroGroupsDivideReplicas) {
  strategy.zeroStage = 4;
  EXPECT_THAT(problem(), HasSubstr("zero is 4"));
  strategy.zeroStage = 1;
  strategy.data = 4;
  strategy.zeroGroup = 3;
  EXPECT_THAT(problem(), HasSubstr("zero-group=3 does not divide"));
}

TEST_F(StrategyTest, DataSharesCoverRanksAndBatch) {
  strategy.data = 2;
  strategy.dataShares = {{0, 1, 2}, {1, 1, 1}};
  EXPECT_THAT(problem(), HasSubstr("take 3 sequences of the 4"));
  strategy.dataShares = {{0, 1, 3}, {1, 1, 2}};
  EXPECT_THAT(problem(), HasSubstr("take 5 sequences, a micro-batch or more "
                                   "beyond the 4 of a step"));
  strategy.dataShares = {{0, 1, 3}, {1, 1, 1}};
  EXPECT_EQ(problem(), "");
  EXPECT_EQ(strategy.microBatchCount(4), 3);
  EXPECT_EQ(strategy.slotsOnPools(),
            (std::map<unsigned, int64_t>{{0, 3}, {1, 1}}));
  strategy.dataShares = {{0, 1, 4}};
  EXPECT_THAT(problem(), HasSubstr("given for 1 data ranks"));
  strategy.dataShares = {{1, 1, 3}, {0, 1, 1}};
  EXPECT_THAT(problem(), HasSubstr("on pool 0 come after those on pool 1"));
  strategy.dataShares = {{0, 1, 4}, {1, 1, 0}};
  EXPECT_THAT(problem(), HasSubstr("has 0 micro-batches"));
  strategy.dataShares = {{0, 2, 4}, {1, 0, 1}};
  EXPECT_THAT(problem(), HasSubstr("is that of 0 data ranks"));
  strategy.dataShares = {{0, INT64_MAX, INT64_MAX}, {1, INT64_MAX, 1}};
  EXPECT_THAT(problem(), HasSubstr("but data=2"));
}

TEST_F(StrategyTest, RanksThatExchangePerMicroBatchHaveAsManySlots) {
  strategy.data = 4;
  strategy.dataShares = {{0, 1, 3}, {0, 1, 2}, {1, 2, 1}};
  using Slots = std::map<unsigned, int64_t>;
  for (int stage : {0, 1}) {
    strategy.zeroStage = stage;
    EXPECT_FALSE(strategy.waitsPerMicroBatch());
    EXPECT_EQ(strategy.slotsOnPools(), (Slots{{0, 3}, {1, 1}}));
  }
  for (int stage : {2, 3}) {
    strategy.zeroStage = stage;
    EXPECT_TRUE(strategy.waitsPerMicroBatch());
    EXPECT_EQ(strategy.slotsOnPools(), (Slots{{0, 3}, {1, 3}}));
  }
}

TEST_F(StrategyTest, RanksWaitIfAGroupReachesOverDataRanks) {
  strategy.zeroStage = 3;
  strategy.context = 2;
  EXPECT_FALSE(strategy.waitsPerMicroBatch());
  strategy.data = 3;
  EXPECT_TRUE(strategy.waitsPerMicroBatch());
  // Context ranks of one data rank share a copy.
  strategy.zeroGroup = 2;
  EXPECT_FALSE(strategy.waitsPerMicroBatch());
  strategy.zeroGroup = 6;
  EXPECT_TRUE(strategy.waitsPerMicroBatch());
  // Experts take the context axis first.
  strategy.zeroStage = 0;
  strategy.expert = 2;
  EXPECT_FALSE(strategy.waitsPerMicroBatch());
  for (int64_t expert : {3, 6}) {
    strategy.expert = expert;
    EXPECT_TRUE(strategy.waitsPerMicroBatch());
  }
}

TEST_F(StrategyTest, NoMicroBatchIsLargerThanTheBatch) {
  strategy.microBatch = 5;
  EXPECT_EQ(problem(), "micro-batches of 5 sequences; a step has 4");
  strategy.microBatch = 4;
  EXPECT_EQ(problem(), "");
}

TEST_F(StrategyTest, BatchThatMustNotBeCutIsNotCut) {
  workload.microBatchObstacle = "batch norm sums over it";
  EXPECT_THAT(problem(), HasSubstr("batch norm sums over it"));
  strategy.microBatch = 4;
  EXPECT_EQ(problem(), "");
}

TEST_F(StrategyTest, StagesCoverTheChain) {
  strategy.stages[0].end = 3;
  strategy.stages[0].recompute.pop_back();
  EXPECT_THAT(problem(), HasSubstr("end at unit 3 of 4"));
  strategy.stages[0].recompute.pop_back();
  EXPECT_THAT(problem(), HasSubstr("2 recompute choices"));
  strategy.stages[0].begin = 1;
  EXPECT_THAT(problem(), HasSubstr("from 0 on"));
  strategy.stages.clear();
  EXPECT_THAT(problem(), HasSubstr("0 stages"));
}

TEST_F(StrategyTest, SchedulesSayHowManyStagesTheyRun) {
  strategy.virtualStages = 2;
  EXPECT_THAT(problem(), HasSubstr("1f1b runs one stage per rank"));
  strategy.schedule = ScheduleFamily::ZeroBubbleV;
  strategy.virtualStages = 1;
  EXPECT_THAT(problem(), HasSubstr("zb-v needs virtual-stages=2"));
  strategy.virtualStages = 2;
  strategy.pipeline = 4;
  EXPECT_THAT(problem(), HasSubstr("needs 7 micro-batches; there are 4"));
}

TEST_F(StrategyTest, LayoutsFitTheBlocks) {
  strategy.layouts[1].tensors[0] = TensorLayout::split(3);
  EXPECT_THAT(problem(), HasSubstr("layout of block 'layer': tensor 'x' has no "
                                   "dimension 3"));
  strategy.layouts[1].tensors[0] = TensorLayout::partial();
  EXPECT_THAT(problem(), HasSubstr("partial sums"));
  strategy.layouts[1].tensors[0] = TensorLayout::whole();
  strategy.layouts[1].ops[0].factor = 0;
  EXPECT_THAT(problem(), HasSubstr("cannot split factor 'b'"));
  strategy.layouts[1].ops[0].factor = 9;
  EXPECT_THAT(problem(), HasSubstr("op 'w' has no factor 9"));
  strategy.layouts.pop_back();
  EXPECT_THAT(problem(), HasSubstr("layouts of 2 blocks"));
}

TEST_F(StrategyTest, TextNamesWhatIsUnusual) {
  strategy.tensor = 8;
  strategy.stages[0].recompute[1] = Recompute::Full;
  EXPECT_EQ(strategy.str(), "tensor=8 pipeline=1 data=1 micro-batch=1 "
                            "recompute=none:3+full:1");
}

TEST_F(StrategyTest, StagesGoRoundOrDownAndUp) {
  std::vector<int64_t> round, down;
  for (int64_t stage = 0; stage < 6; ++stage) {
    round.push_back(pipelineRankOf(ScheduleFamily::Interleaved, 3, stage));
    down.push_back(pipelineRankOf(ScheduleFamily::DualPipeV, 3, stage));
  }
  EXPECT_THAT(round, testing::ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(down, testing::ElementsAre(0, 1, 2, 2, 1, 0));
}

} // namespace
} // namespace shardsmith

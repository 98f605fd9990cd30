// SPDX-License-Identifier: Apache-2.0
//
// What a step is said to take against the same schedule played action by
// action, for strategies of every family that nobody chose: few micro-batches,
// several stages per rank, uneven stages, messages, ZeRO, recomputation.
// SHARDSMITH_STRATEGIES sets how many, SHARDSMITH_TEST_SEED the first one.

#include "../../FirstSeed.h"
#include "../../Plan/RandomInstance.h"
#include "shardsmith/Cost/Step/StrategySimulation.h"
#include "shardsmith/Schedule/Families.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace shardsmith {
namespace {

using namespace schedule;
using testing_search::ModelParts;
using testing_search::RandomInstance;

/// A random model, cluster and stack, and strategies for them that are drawn
/// without regard to their price.
class Draw {
public:
  explicit Draw(uint64_t seed)
      : instance(seed, false,
                 {.experts = seed % 3 == 0,
                  .attention = seed % 3 == 1,
                  .sharing = seed % 5 == 0}) {
    lengthen();
    Group &group = instance.cluster.groups.front();
    group.node.devices.front().count = 8;
    bool hasNetwork = !group.network.link.empty();
    group.node.count = hasNetwork ? 1 + instance.below(3) : 1;
    strategy = drawStrategy();
  }

  RandomInstance instance;
  Strategy strategy;

private:
  /// Up to twelve repetitions of a segment.
  void lengthen() {
    for (workload::Segment &segment : instance.workload.segments) {
      if (segment.count == 1)
        continue;
      int64_t more = instance.below(12);
      for (int64_t unit = 0; unit < more; ++unit) {
        std::vector<std::string> names;
        size_t count =
            instance.workload.blocks[segment.block].parameters.size();
        for (size_t i = 0; i < count; ++i)
          names.push_back(fmt::format("more{}", added++));
        segment.parameterNames.add(names);
      }
      segment.count += more;
    }
  }

  ScheduleFamily drawFamily() {
    constexpr int64_t families = int64_t(ScheduleFamily::DualPipeV) + 1;
    return ScheduleFamily(instance.below(families));
  }

  Strategy drawStrategy() {
    int64_t units = instance.workload.unitCount();
    Strategy drawn;
    PipelineShape shape;
    do {
      drawn.schedule = drawFamily();
      shape.ranks = 1 + instance.below(6);
      shape.virtualStages = 1 + instance.below(4);
      shape.microBatches = 1 + instance.below(3 * shape.ranks);
    } while (!obstacle(drawn.schedule, shape).empty() ||
             shape.stageCount() > units);
    drawn.pipeline = shape.ranks;
    drawn.virtualStages = shape.virtualStages;
    drawn.data = 1 + instance.below(8 / std::max<int64_t>(shape.ranks, 4) + 1);
    drawn.microBatch = 1 + instance.below(3);
    instance.workload.globalBatch =
        shape.microBatches * drawn.microBatch * drawn.data;
    instance.workload.microBatchObstacle.clear();
    drawn.zeroStage = int(instance.below(4));
    for (const workload::Block &block : instance.workload.blocks)
      drawn.layouts.push_back(unsplitLayout(block));
    addStages(drawn, shape.stageCount(), units);
    return drawn;
  }

  /// Every cut is as likely as any other.
  void addStages(Strategy &drawn, int64_t stages, int64_t units) {
    int64_t begin = 0;
    for (int64_t stage = 0; stage < stages; ++stage) {
      int64_t left = stages - stage - 1;
      int64_t spare = units - begin - left - 1;
      int64_t end =
          left == 0
              ? units
              : begin + 1 + instance.below(std::min<int64_t>(spare, 3) + 1);
      Stage each{begin, end, {}, 0};
      for (int64_t unit = begin; unit < end; ++unit)
        each.recompute.push_back(Recompute(instance.below(recomputeChoices)));
      drawn.stages.push_back(std::move(each));
      begin = end;
    }
  }

  int64_t added = 0;
};

size_t strategyCount(size_t otherwise) {
  const char *text = std::getenv("SHARDSMITH_STRATEGIES");
  return text ? size_t(std::strtoull(text, nullptr, 10)) : otherwise;
}

/// Kernels of one step on all ranks of one pipeline.
double workOf(const StrategySimulation &played, int64_t microBatches) {
  double work = 0;
  for (const StageDurations &stage : played.stages)
    work += double((stage.forward + stage.backwardInput + stage.backwardWeight +
                    stage.recompute)
                       .count());
  return work * double(microBatches);
}

/// Few micro-batches, whole rounds of them, or neither.
std::string kindOf(const Strategy &strategy, int64_t microBatches) {
  std::string_view batches = microBatches < strategy.pipeline ? "few"
                             : microBatches % strategy.pipeline == 0
                                 ? "whole rounds"
                                 : "odd";
  return fmt::format("{:12} {:12}", nameOf(strategy.schedule), batches);
}

// Above, a step may be up to 2.5 times what is played: sums charge every
// message to every micro-batch, and models as small as these spend most of
// their time on messages, of which some schedules hide most.
TEST(EstimateBandTest, NoStepIsShorterThanItsSchedulePlayed) {
  uint64_t seed = test::firstSeed();
  std::map<std::string, std::vector<double>> ratiosOf;
  size_t count = strategyCount(2000), drawn = 0;
  for (; drawn < count; ++seed) {
    Draw draw(seed);
    const Strategy &strategy = draw.strategy;
    const workload::Workload &workload = draw.instance.workload;
    SCOPED_TRACE(
        fmt::format("SHARDSMITH_TEST_SEED={}: {}", seed, strategy.str()));
    ASSERT_EQ(strategy.verify(workload), "");
    ClusterTopology topology(draw.instance.cluster);
    CostContext context{workload, topology, draw.instance.profile, {}};
    std::string error;
    auto played = simulateStrategy(context, strategy, error);
    ASSERT_TRUE(played) << error;
    StepEstimate estimate = estimateStep(context, strategy);
    ASSERT_FALSE(estimate.step().isSaturated());
    ++drawn;
    double ratio =
        double(estimate.step().count()) / double(played->step.count());
    int64_t microBatches = strategy.microBatchCount(workload.globalBatch);
    EXPECT_GE(ratio, 0.99);
    EXPECT_LE(ratio, 2.5);
    // Whatever the schedule.
    EXPECT_GE(double(estimate.step().count()) * double(strategy.pipeline),
              workOf(*played, microBatches));
    ratiosOf[kindOf(strategy, microBatches)].push_back(ratio);
  }
  for (auto &[kind, ratios] : ratiosOf) {
    std::ranges::sort(ratios);
    fmt::print("{} {:5} strategies: estimate / played {:.3f} to {:.3f}, "
               "median {:.3f}\n",
               kind, ratios.size(), ratios.front(), ratios.back(),
               ratios[ratios.size() / 2]);
    EXPECT_LE(ratios[ratios.size() / 2], 1.25) << kind;
  }
}

} // namespace
} // namespace shardsmith

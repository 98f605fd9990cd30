// SPDX-License-Identifier: Apache-2.0
//
// On links as good as those of any device order no collective takes longer than
// in one of them, and no variant has a larger bound.

#include "../../../../lib/Plan/Space/RelaxedPaths.h"
#include "../../../../lib/Plan/Configurations/ConfigurationSearch.h"
#include "../../Cost/TransformerModel.h"
#include "../../FirstSeed.h"
#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Cost/Paths/AxisPaths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace shardsmith {
namespace {

using namespace search;

class AnyOrderTest : public testing::TestWithParam<const char *> {
protected:
  Nanoseconds timeOn(const PathChoice &choice, CollectiveOp op, Bytes bytes) {
    Nanoseconds least = Nanoseconds::saturated();
    for (const GroupPath &path : choice.paths())
      least = std::min(least, collectives.time(op, path, bytes).time);
    return least;
  }

  Cluster cluster = *findCluster(GetParam()).cluster;
  ClusterTopology topology{cluster};
  StackProfile profile;
  CollectiveTimes collectives{cluster, profile};
  SearchConstraints constraints;
};

TEST_P(AnyOrderTest, NoDeviceOrderIsFaster) {
  uint64_t seed = test::firstSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  workload::TransformerSizes sizes;
  sizes.globalBatch = 24;
  workload::Workload workload = transformer(sizes);
  CostContext context{workload, topology, profile, {}};
  std::vector<ParallelConfiguration> configurations =
      parallelConfigurations(context, constraints);
  ASSERT_FALSE(configurations.empty());
  // As if there were experts.
  for (ParallelConfiguration &degrees : configurations)
    degrees.expert =
        std::gcd(degrees.data * degrees.context, int64_t(1) << (random() % 4));
  RelaxedPaths relaxedPaths(topology, constraints, configurations);
  constexpr std::array ops = {CollectiveOp::AllReduce, CollectiveOp::AllGather,
                              CollectiveOp::ReduceScatter,
                              CollectiveOp::AllToAll,
                              CollectiveOp::SendReceive};
  size_t ties = 0;
  for (int i = 0; i < 200 && !HasFailure(); ++i) {
    const ParallelConfiguration &degrees =
        configurations[random() % configurations.size()];
    Bytes bytes(int64_t(1) << (random() % 34));
    for (const std::vector<PlanAxis> &order :
         axisOrders(degrees, constraints)) {
      Strategy outer = degrees.strategy();
      outer.deviceOrder = order;
      AxisPaths paths(topology, outer);
      for (CollectiveOp op : ops) {
        auto expectLeast = [&](const PathChoice &choice,
                               const GroupPath &path) {
          Nanoseconds time = collectives.time(op, path, bytes).time;
          EXPECT_LE(timeOn(choice, op, bytes), time)
              << outer.str() << " " << nameOf(op) << " " << bytes.count();
          ties += path.members > 1 && timeOn(choice, op, bytes) == time;
        };
        expectLeast(relaxedPaths.tensor(degrees.tensor),
                    paths.axis(PlanAxis::Tensor, 0));
        expectLeast(relaxedPaths.context(degrees.context),
                    paths.axis(PlanAxis::Context, 0));
        expectLeast(relaxedPaths.expert(degrees.expert),
                    paths.replicas(1, degrees.expert, 0));
      }
    }
  }
  // And some order is as fast.
  EXPECT_GT(ties, 100u);
}

TEST_P(AnyOrderTest, NoRowIsFaster) {
  uint64_t seed = test::firstSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  workload::TransformerSizes sizes;
  sizes.layers = 8;
  profile.zeroMicrosecondsPerRank = 20;
  sizes.globalBatch = 24;
  workload::Workload workload = transformer(sizes);
  CostContext context{workload, topology, profile, {}};
  std::vector<ParallelConfiguration> configurations =
      parallelConfigurations(context, constraints);
  ConfigurationSearch search(context, constraints, configurations, 1,
                             [] { return false; });
  std::ranges::shuffle(configurations, random);
  size_t closer = 0, near = 0;
  for (size_t i = 0; i < std::min<size_t>(configurations.size(), 100); ++i) {
    Nanoseconds never = Nanoseconds::saturated();
    Nanoseconds ops = search.bounds().ofOps(configurations[i]);
    Nanoseconds inAny = search.relaxedBound(configurations[i], never);
    Nanoseconds inRows = search.variantBound(configurations[i], never);
    EXPECT_LE(inAny, inRows) << configurations[i].strategy().str();
    closer += ops < inAny;
    near += !inRows.isSaturated() &&
            double(inRows.count()) < double(inAny.count()) * 1.1;
  }
  // And it is worth something.
  EXPECT_GT(closer, 20u);
  EXPECT_GT(near, 20u);
}

INSTANTIATE_TEST_SUITE_P(Clusters, AnyOrderTest,
                         testing::Values("8xh100", "4x4xl40s", "16x8xa100-80",
                                         "64xh100", "64xtpu-v5p"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

} // namespace
} // namespace shardsmith

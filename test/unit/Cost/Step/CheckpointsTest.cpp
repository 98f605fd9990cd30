// SPDX-License-Identifier: Apache-2.0

#include "../TransformerModel.h"

#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Cost/Step/Checkpoints.h"

#include <gtest/gtest.h>

#include <random>

namespace shardsmith {
namespace {

class CheckpointsTest : public testing::Test {
protected:
  CheckpointsTest() {
    sizes.layers = 24;
    model = workload::transformer(sizes);
    cluster = *findCluster("4x8xh100").cluster;
    cluster.limits.failuresPerDeviceHour = 1e-4;
    for (Group &group : cluster.groups)
      group.node.storageBytesPerSecond = 2e9;
    strategy.tensor = 4;
    strategy.data = 6;
  }

  std::optional<Checkpoints> checkpoints() const {
    ClusterTopology topology(cluster);
    return checkpointsOf({model, topology, profile, {}}, strategy);
  }

  workload::TransformerSizes sizes;
  workload::Workload model;
  Cluster cluster;
  StackProfile profile;
  Strategy strategy;
};

TEST_F(CheckpointsTest, AreWrittenByTheNodesOfThePlan) {
  Checkpoints found = *checkpoints();
  double each = 2 + profile.stateBytesPerParameter;
  EXPECT_EQ(found.size.count(), int64_t(each * double(model.parameterCount())));
  // 24 devices: every 10,000 / 24 hours.
  EXPECT_NEAR(double(found.untilFailure.count()), 3.6e12 * 1e4 / 24, 1e3);
  // On three nodes of 2 GB/s.
  double seconds = double(found.size.count()) / 6e9;
  EXPECT_NEAR(double(found.times->writing.count()), seconds * 1e9, 1);

  // One slow node holds up all that write with it.
  cluster = *findCluster("8xh100").cluster;
  cluster.limits.failuresPerDeviceHour = 1e-4;
  cluster.groups.push_back(cluster.groups.front());
  cluster.groups[1].name = "slow";
  cluster.groups[0].node.storageBytesPerSecond = 2e9;
  cluster.groups[1].node.storageBytesPerSecond = 1e9;
  strategy.data = 4;
  seconds = double(found.size.count()) / 2 / 1e9;
  EXPECT_NEAR(double(checkpoints()->times->writing.count()), seconds * 1e9, 1);
  strategy.data = 2;
  seconds = double(found.size.count()) / 2e9;
  EXPECT_NEAR(double(checkpoints()->times->writing.count()), seconds * 1e9, 1);
}

// Against a training that is played: work, checkpoints, failures at random.
TEST_F(CheckpointsTest, LoseWhatAPlayedTrainingLoses) {
  cluster.limits.failuresPerDeviceHour = 1.0 / 24 / 50;
  for (Group &group : cluster.groups)
    group.node.storageBytesPerSecond = 1e7;
  CheckpointTimes times = *checkpoints()->times;
  double mean = double(checkpoints()->untilFailure.count()) * 1e-9;
  double writing = double(times.writing.count()) * 1e-9;
  auto lostWith = [&](double interval) {
    std::mt19937_64 random(7);
    std::exponential_distribution<double> untilNext(1 / mean);
    double clock = 0, done = 0, failure = untilNext(random);
    for (int checkpoint = 0; checkpoint < 200'000;) {
      double end = clock + interval;
      if (end <= failure) {
        clock = end;
        done += interval - writing;
        ++checkpoint;
        continue;
      }
      clock = failure + writing;
      failure = clock + untilNext(random);
    }
    return 1 - done / clock;
  };
  double interval = double(times.interval.count()) * 1e-9;
  double lost = lostWith(interval);
  EXPECT_GT(times.lost, 0.02);
  EXPECT_NEAR(times.lost, lost, 0.1 * lost);
  EXPECT_LT(lost, lostWith(interval / 2));
  EXPECT_LT(lost, lostWith(interval * 2));
}

TEST_F(CheckpointsTest, SayOnlyWhatTheClusterSays) {
  cluster.groups.front().node.storageBytesPerSecond = 0;
  EXPECT_FALSE(checkpoints()->times);
  EXPECT_GT(checkpoints()->size.count(), 0);
  cluster.limits.failuresPerDeviceHour = 0;
  EXPECT_FALSE(checkpoints());
}

TEST_F(CheckpointsTest, MayNotBeWorthWriting) {
  cluster.limits.failuresPerDeviceHour = 1e9;
  cluster.groups.front().node.storageBytesPerSecond = 1;
  EXPECT_EQ(checkpoints()->times->lost, 1);
  cluster.limits.failuresPerDeviceHour = 1e-300;
  EXPECT_TRUE(checkpoints()->untilFailure.isSaturated());
}

} // namespace
} // namespace shardsmith

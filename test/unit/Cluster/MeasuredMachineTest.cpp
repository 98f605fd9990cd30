// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cluster/MeasuredMachine.h"

#include "LocalMachine.h"
#include "shardsmith/Support/AtomicFile.h"

#include <filesystem>
#include <gmock/gmock.h>

namespace shardsmith {
namespace {

using testing::HasSubstr;

/// A folder that goes with the test.
class MeasuredMachine : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "shardsmith-machine-XXXXXX";
    folder = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  void write(const RankRates &rates) {
    ASSERT_EQ(writeFileAtomically(measuredFile(folder, rates.ranks),
                                  clusterOf(rates).toJson()),
              "");
  }

  std::string folder;
};

RankRates ratesOf(int64_t ranks) {
  RankRates rates;
  rates.ranks = ranks;
  rates.flopsPerSecond = {{"f32", 4e11 / double(ranks)}, {"f64", 1e9}};
  rates.bytesPerSecond = 2e10 / double(ranks);
  rates.kernelSeconds = 2e-6;
  rates.messageSeconds = 5e-6;
  rates.messageBytesPerSecond = 3e9;
  if (ranks > 1)
    rates.collectives = {{"all_reduce", ranks, 7e-6, 6e9, 1},
                         {"all_gather", ranks, 4e-6, 5e9, 1}};
  return rates;
}

TEST_F(MeasuredMachine, WhatWasMeasuredIsReadBack) {
  write(ratesOf(2));
  ClusterResult found = findMeasured(folder, 2);
  ASSERT_TRUE(found.cluster) << found.errorText();
  EXPECT_EQ(found.cluster->name, "cpu:2");
  EXPECT_EQ(found.cluster->provenance, Provenance::Measured);
  EXPECT_EQ(found.cluster->deviceCount(), 2);
  const DeviceType &type = found.cluster->deviceType(0);
  EXPECT_DOUBLE_EQ(type.flopsPerSecond.at("f32"), 2e11);
  EXPECT_DOUBLE_EQ(type.bytesPerSecond, 1e10);
  EXPECT_EQ(type.matmulEfficiency, 1);
  EXPECT_EQ(type.launch, Nanoseconds(2000));
  const LinkType &link = found.cluster->linkTypes.at("memory");
  EXPECT_DOUBLE_EQ(link.bytesPerSecond, 3e9);
  EXPECT_THAT(link.collectiveFits,
              testing::ElementsAre(ratesOf(2).collectives[0],
                                   ratesOf(2).collectives[1]));
}

/// Three ranks do together what two do.
TEST_F(MeasuredMachine, OtherNumbersOfRanksShareTheMachine) {
  write(ratesOf(1));
  write(ratesOf(2));
  ClusterResult found = findMeasured(folder, 3);
  ASSERT_TRUE(found.cluster) << found.errorText();
  EXPECT_EQ(found.cluster->name, "cpu:3");
  EXPECT_EQ(found.cluster->deviceCount(), 3);
  const DeviceType &type = found.cluster->deviceType(0);
  EXPECT_NEAR(type.flopsPerSecond.at("f32"), 4e11 / 3, 1);
  EXPECT_NEAR(type.bytesPerSecond, 2e10 / 3, 1);
  const LinkType &link = found.cluster->linkTypes.at("memory");
  EXPECT_NEAR(link.collectiveFits[0].bytesPerSecond, 4e9, 1);
  EXPECT_EQ(link.collectiveFits[0].latencySeconds, 7e-6);
  // The written form of it is a description like any other.
  EXPECT_TRUE(readCluster(found.cluster->toJson()).cluster);
}

TEST_F(MeasuredMachine, OneRankMadeOfTwoHasNoLink) {
  write(ratesOf(2));
  ClusterResult found = findMeasured(folder, 1);
  ASSERT_TRUE(found.cluster) << found.errorText();
  EXPECT_EQ(found.cluster->deviceCount(), 1);
  EXPECT_NEAR(found.cluster->deviceType(0).flopsPerSecond.at("f32"), 4e11, 1);
  EXPECT_TRUE(found.cluster->linkTypes.empty());
}

TEST_F(MeasuredMachine, WithoutMeasurementsThereIsNone) {
  for (const std::string &where : {std::string(), folder}) {
    ClusterResult found = findMeasured(where, 2);
    EXPECT_FALSE(found.cluster);
    EXPECT_TRUE(found.errors.empty());
  }
}

TEST_F(MeasuredMachine, FiguresForOtherCoresDoNotCount) {
  Cluster cluster = clusterOf(ratesOf(2));
  ++cluster.groups.front().node.hostCores;
  ASSERT_EQ(writeFileAtomically(measuredFile(folder, 2), cluster.toJson()), "");
  EXPECT_FALSE(findMeasured(folder, 2).cluster);
  EXPECT_TRUE(findMeasured(folder, 2).errors.empty());
}

TEST_F(MeasuredMachine, BrokenDescriptionsAreNamed) {
  ASSERT_EQ(writeFileAtomically(measuredFile(folder, 2), "{"), "");
  EXPECT_THAT(findMeasured(folder, 2).errorText(), HasSubstr("cpu-2.json"));
  ASSERT_EQ(writeFileAtomically(measuredFile(folder, 2),
                                clusterOf(ratesOf(4)).toJson()),
            "");
  EXPECT_THAT(findMeasured(folder, 2).errorText(),
              HasSubstr("expected a description of 2 ranks"));
}

/// Without measurements: eight cores of 1 GHz and 32 operations per clock.
TEST(LocalMachine, RanksHaveTheCoresThatTheRuntimeGivesThem) {
  cluster::LocalMachine machine;
  machine.cores = 8;
  machine.memory = Bytes(int64_t(64) << 30);
  machine.hertz = 1e9;
  machine.flopsPerCycle = 32;
  auto rateOf = [&](int64_t ranks) {
    return cluster::makeLocalCluster(ranks, machine)
        .deviceType(0)
        .flopsPerSecond.at("f32");
  };
  EXPECT_DOUBLE_EQ(rateOf(1), 8 * 32e9);
  EXPECT_DOUBLE_EQ(rateOf(2), 4 * 32e9);
  EXPECT_DOUBLE_EQ(rateOf(3), 2 * 32e9);
  EXPECT_DOUBLE_EQ(rateOf(8), 32e9);
  EXPECT_DOUBLE_EQ(rateOf(16), 16e9);
}

} // namespace
} // namespace shardsmith

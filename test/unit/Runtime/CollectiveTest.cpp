// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Collective.h"
#include "../FirstSeed.h"
#include "Processes.h"
#include "shardsmith/Runtime/Launch/Launcher.h"

#include <random>

#include <gtest/gtest.h>

using namespace shardsmith::runtime;

namespace {

constexpr const char *trials = "60";

class SharedMemory : public testing::TestWithParam<int> {};

TEST_P(SharedMemory, CollectivesMatchReference) {
  std::string seed = std::to_string(shardsmith::test::firstSeed() % 100000);
  SCOPED_TRACE("seed " + seed);
  LocalLaunch launch;
  launch.program = COLLECTIVE_CHECKER;
  launch.arguments = {seed, trials, "shm"};
  launch.ranks = GetParam();
  EXPECT_EQ(launchLocal(launch), 0);
}

INSTANTIATE_TEST_SUITE_P(Ranks, SharedMemory,
                         testing::Values(1, 2, 3, 4, 6, 8));

class Mpi : public testing::TestWithParam<int> {};

TEST_P(Mpi, CollectivesMatchReference) {
  if (!hasMpirun())
    GTEST_SKIP() << "mpirun is not installed";
  std::string seed = std::to_string(shardsmith::test::firstSeed() % 100000);
  SCOPED_TRACE("seed " + seed);
  Outcome outcome =
      runCommand(mpirunCommand(GetParam()) + COLLECTIVE_CHECKER " " + seed +
                 " " + trials + " mpi");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.output;
}

INSTANTIATE_TEST_SUITE_P(Ranks, Mpi, testing::Values(2, 3, 4));

TEST(CommunicationBytes, FollowTheDefinition) {
  using enum CollectiveKind;
  EXPECT_EQ(communicationBytes(AllReduce, 4, 3), 5); // 2·2/3·4 = 5.33
  EXPECT_EQ(communicationBytes(AllReduce, 4, 1), 0);
  EXPECT_EQ(communicationBytes(AllGather, 100, 4), 300);
  EXPECT_EQ(communicationBytes(ReduceScatter, 100, 3), 66);
  EXPECT_EQ(communicationBytes(AllToAll, 100, 4), 75);
  EXPECT_EQ(communicationBytes(Permute, 100, 4), 100);
  // No overflow on the way to a result that fits.
  EXPECT_EQ(communicationBytes(AllReduce, INT64_MAX / 2, 2), INT64_MAX / 2);
}

TEST(FlightRecorder, KeepsTheLastCollectives) {
  FlightRecorder recorder;
  for (int i = 0; i < 100; ++i) {
    recorder.begin(CollectiveKind::AllGather, 1, i, 7);
    if (i < 99)
      recorder.end();
  }
  std::string text = recorder.describe();
  EXPECT_EQ(text.find("#91 "), std::string::npos);
  EXPECT_NE(text.find("#92 step 7 all_gather group 1 92 bytes done"),
            std::string::npos);
  EXPECT_NE(text.find("#99 step 7 all_gather group 1 99 bytes in progress"),
            std::string::npos);
  // Those of one message end together.
  for (int i = 0; i < 3; ++i)
    recorder.begin(CollectiveKind::AllReduce, 0, i, 8);
  recorder.end(3);
  text = recorder.describe();
  EXPECT_NE(text.find("#99 step 7 all_gather group 1 99 bytes in progress"),
            std::string::npos);
  for (const char *done : {"#100 step 8 all_reduce group 0 0 bytes done",
                           "#102 step 8 all_reduce group 0 2 bytes done"})
    EXPECT_NE(text.find(done), std::string::npos) << done;
}

} // namespace

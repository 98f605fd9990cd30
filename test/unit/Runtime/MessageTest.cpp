// SPDX-License-Identifier: Apache-2.0
//
// Messages between ranks, over both transports; MessageChecker.cpp is what the
// ranks run.

#include "../FirstSeed.h"
#include "Processes.h"
#include "shardsmith/Runtime/Collective.h"

#include <csignal>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace shardsmith::runtime;
using testing::HasSubstr;

namespace {

/// Runs ranks as a launcher of ours would, so that what all of them say is
/// seen; the exit code is that of the first rank.
Outcome runShared(int ranks, const std::string &mode,
                  const std::string &seed = "1") {
  std::string all = std::to_string(ranks);
  std::string job = std::to_string(getpid()) + mode + all;
  std::string command;
  for (int rank = ranks - 1; rank >= 0; --rank)
    command += "RANK=" + std::to_string(rank) + " WORLD_SIZE=" + all +
               " LOCAL_RANK=" + std::to_string(rank) +
               " LOCAL_WORLD_SIZE=" + all + " SHARDSMITH_JOB=" + job + " " +
               MESSAGE_CHECKER + " " + mode + " " + seed + " shm & ";
  return runCommand(command + "wait $!; code=$?; wait; exit $code");
}

Outcome runMpi(int ranks, const std::string &mode,
               const std::string &seed = "1") {
  return runCommand(mpirunCommand(ranks) + MESSAGE_CHECKER + " " + mode + " " +
                    seed + " mpi");
}

struct Case {
  const char *transport;
  int ranks;
};

void PrintTo(const Case &value, std::ostream *stream) {
  *stream << value.transport << value.ranks;
}

class Messages : public testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    if (isMpi() && !hasMpirun())
      GTEST_SKIP() << "mpirun is not installed";
  }

  bool isMpi() const { return GetParam().transport == std::string("mpi"); }

  void expectSuccess(const std::string &mode, const std::string &seed = "1") {
    int ranks = GetParam().ranks;
    Outcome outcome =
        isMpi() ? runMpi(ranks, mode, seed) : runShared(ranks, mode, seed);
    EXPECT_EQ(outcome.exitCode, 0) << outcome.output;
    EXPECT_EQ(outcome.output.find("shardsmith"), std::string::npos)
        << outcome.output;
  }
};

TEST_P(Messages, RandomTrafficMatchesReference) {
  std::string seed = std::to_string(shardsmith::test::firstSeed() % 100000);
  SCOPED_TRACE("seed " + seed);
  expectSuccess("random", seed);
}

TEST_P(Messages, AllMaySendBeforeTheyReceive) { expectSuccess("before"); }

TEST_P(Messages, MayBeLargerThanTheirChannel) { expectSuccess("beyond"); }

TEST_P(Messages, ManySmallOnesFit) { expectSuccess("many"); }

INSTANTIATE_TEST_SUITE_P(Ranks, Messages,
                         testing::Values(Case{"shm", 2}, Case{"shm", 3},
                                         Case{"shm", 5}, Case{"shm", 8},
                                         Case{"mpi", 2}, Case{"mpi", 4}),
                         testing::PrintToStringParamName());

/// What every rank does wrong, and what rank 0 then says.
struct Fault {
  const char *mode;
  int exitCode;
  const char *message;
};

class MessageFault : public testing::TestWithParam<Fault> {};

TEST_P(MessageFault, IsExplained) {
  Outcome outcome = runShared(3, GetParam().mode);
  EXPECT_EQ(outcome.exitCode, GetParam().exitCode) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Shared, MessageFault,
    testing::Values(
        Fault{"mismatch", 1,
              "rank 1, step 7: receive from rank 0: rank 0 sent 12 bytes, but "
              "rank 1 expects 16 in step 7\n"},
        Fault{"mismatch", 1, "step 7 receive from rank 0 16 bytes in progress"},
        Fault{"unconnected", 1,
              "rank 0, step 7: send to rank 0: the program has no channel from "
              "rank 0 to 0"},
        Fault{"unannounced", 1,
              "receive from rank 99: the program has no channel from rank 99 "
              "to 0"},
        Fault{"killed-sender", 6,
              "rank 0, step 7: receive from rank 1: rank 1 "
              "(process "},
        Fault{"killed-sender", 6, "died in step"},
        Fault{"killed-receiver", 6,
              "rank 0, step 7: send to rank 1: rank 1 (process "},
        Fault{"killed-receiver", 6,
              "step 7 send to rank 1 4194304 bytes in progress"},
        Fault{"deadlock", 6,
              "receive from rank 1: no rank made progress for 2 s while "
              "waiting for rank 1 (step 7, receiving from rank 0)"},
        Fault{"full", 6,
              "send to rank 1: no rank made progress for 2 s while waiting "
              "for rank 1 (step 7, waiting in another group)"}));

TEST(MpiMessageFault, IsExplained) {
  if (!hasMpirun())
    GTEST_SKIP() << "mpirun is not installed";
  Outcome outcome = runMpi(2, "mismatch");
  EXPECT_NE(outcome.exitCode, 0);
  EXPECT_THAT(outcome.output, HasSubstr("rank 0 sent 12 bytes, but rank 1 "
                                        "expects 16 in step 7"));
  outcome = runMpi(2, "killed-sender");
  EXPECT_NE(outcome.exitCode, 0);
}

TEST(FlightRecorder, KnowsMessages) {
  FlightRecorder recorder;
  recorder.begin(MessageKind::Send, 3, 64, 5);
  recorder.end();
  recorder.begin(MessageKind::Receive, 0, 0, 5);
  EXPECT_EQ(recorder.describe(), "  #0 step 5 send to rank 3 64 bytes done\n"
                                 "  #1 step 5 receive from rank 0 0 bytes in "
                                 "progress\n");
}

TEST(Traffic, CountsSendsByAxis) {
  Traffic traffic(1, 2);
  traffic.addSend(1, 10);
  traffic.addSend(1, 0);
  traffic.addSend(2, 7); // along no single axis
  EXPECT_EQ(traffic.ofSends(0).calls, 0);
  EXPECT_EQ(traffic.ofSends(1).calls, 2);
  EXPECT_EQ(traffic.ofSends(1).bytes, 10);
  EXPECT_EQ(traffic.ofSends(2).bytes, 7);
  EXPECT_EQ(traffic.totalBytes(), 17);
}

TEST(Traffic, IsTheSameOfItsNumbers) {
  Traffic traffic(2, 1);
  traffic.add(1, CollectiveKind::AllGather, 5);
  traffic.addSend(0, 10);
  Traffic other = Traffic(2, 1).ofNumbers(traffic.numbers());
  EXPECT_EQ(other.of(1, CollectiveKind::AllGather).calls, 1);
  EXPECT_EQ(other.of(1, CollectiveKind::AllGather).bytes, 5);
  EXPECT_EQ(other.of(0, CollectiveKind::AllGather).calls, 0);
  EXPECT_EQ(other.ofSends(0).bytes, 10);
  EXPECT_EQ(other.totalBytes(), 15);
  EXPECT_EQ(other.numbers(), traffic.numbers());
}

} // namespace

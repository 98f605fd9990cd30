// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Failure.h"
#include "shardsmith/Runtime/Launch/Launcher.h"
#include "shardsmith/Runtime/LaunchEnvironment.h"

#include <map>

#include <gtest/gtest.h>

using namespace shardsmith::runtime;

namespace {

LaunchEnvironment read(const std::map<std::string, std::string> &variables) {
  return readLaunchEnvironment(
      [&](const std::string &name) -> std::optional<std::string> {
        auto variable = variables.find(name);
        if (variable == variables.end())
          return std::nullopt;
        return variable->second;
      });
}

TEST(LaunchEnvironment, RecognisesLaunchers) {
  EXPECT_EQ(read({}).launcher, "");
  EXPECT_EQ(read({}).ranks, 1);

  LaunchEnvironment torchrun = read({{"RANK", "5"},
                                     {"WORLD_SIZE", "8"},
                                     {"LOCAL_RANK", "1"},
                                     {"LOCAL_WORLD_SIZE", "4"},
                                     {"SLURM_PROCID", "0"}});
  EXPECT_EQ(torchrun.launcher, "torchrun");
  EXPECT_EQ(torchrun.rank, 5);
  EXPECT_EQ(torchrun.localRanks, 4);
  EXPECT_FALSE(torchrun.onOneMachine());

  LaunchEnvironment mpirun = read({{"OMPI_COMM_WORLD_RANK", "1"},
                                   {"OMPI_COMM_WORLD_SIZE", "2"},
                                   {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                   {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  EXPECT_EQ(mpirun.launcher, "mpirun");
  EXPECT_TRUE(mpirun.onOneMachine());

  LaunchEnvironment srun = read({{"SLURM_PROCID", "7"},
                                 {"SLURM_STEP_NUM_TASKS", "8"},
                                 {"SLURM_LOCALID", "3"},
                                 {"SLURM_STEP_TASKS_PER_NODE", "4(x2)"}});
  EXPECT_EQ(srun.launcher, "srun");
  EXPECT_EQ(srun.ranks, 8);
  EXPECT_EQ(srun.localRanks, 4);

  // The batch script itself is not a step of srun.
  EXPECT_EQ(read({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}).launcher, "");
}

TEST(LaunchEnvironment, TellsJobsApart) {
  auto job = [&](const char *port) {
    return read({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", port}})
        .job;
  };
  EXPECT_EQ(job("1000"), job("1000"));
  EXPECT_NE(job("1000"), job("1001"));
}

TEST(LaunchEnvironment, RefusesNonsense) {
  EXPECT_THROW(read({{"RANK", "x"}, {"WORLD_SIZE", "2"}}), Failure);
  EXPECT_THROW(read({{"RANK", "2"}, {"WORLD_SIZE", "2"}}), Failure);
  EXPECT_THROW(read({{"RANK", "-1"}, {"WORLD_SIZE", "2"}}), Failure);
  EXPECT_THROW(read({{"RANK", "0"}, {"WORLD_SIZE", "0"}}), Failure);
}

int launchShell(const std::string &script, int ranks, LocalLaunch launch = {}) {
  launch.program = "/bin/sh";
  launch.arguments = {"-c", script};
  launch.ranks = ranks;
  return launchLocal(launch);
}

TEST(Launcher, SetsTheVariablesOfEachRank) {
  EXPECT_EQ(launchShell("test $WORLD_SIZE = 3 && test $RANK -lt 3 && "
                        "test $LOCAL_RANK = $RANK && test -n \"$PATH\"",
                        3),
            0);
}

TEST(Launcher, ReturnsTheFirstFailure) {
  EXPECT_EQ(launchShell("test $RANK = 1 && exit 42; sleep 0.3; exit 5", 3), 42);
  EXPECT_EQ(launchShell("test $RANK = 1 && kill -9 $$; sleep 0.3", 3), 137);
}

TEST(Launcher, EndsRanksThatGoOn) {
  LocalLaunch launch;
  launch.grace = std::chrono::milliseconds(200);
  EXPECT_EQ(launchShell("test $RANK = 0 && exit 3; trap '' TERM; sleep 60", 2,
                        launch),
            3);
}

TEST(Launcher, KeepsTheTimeLimit) {
  LocalLaunch launch;
  launch.timeLimit = std::chrono::milliseconds(100);
  EXPECT_EQ(launchShell("exec sleep 60", 2, launch), 124);
}

TEST(Launcher, ReportsAMissingProgram) {
  LocalLaunch launch;
  launch.program = "/nonexistent/program";
  launch.ranks = 2;
  EXPECT_EQ(launchLocal(launch), 6);
}

} // namespace

// SPDX-License-Identifier: Apache-2.0
//
// Programs whose ranks hold different tensors and send each other messages:
// PipelineProgram.cpp compiled for one rank and for two stages of two ranks.

#include "ProgramRuns.h"
#include "TensorFiles.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace shardsmith::runtime;
using testing::HasSubstr;

namespace {

Outcome run(int ranks, const std::string &flags) {
  return runCommand(PIPELINE_PROGRAM + std::to_string(ranks) + " " + flags);
}

void expectCloseTensors(const TensorMap &a, const TensorMap &b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto &[name, tensor] : a) {
    ASSERT_TRUE(b.contains(name)) << name;
    ASSERT_EQ(tensor.shape, b.at(name).shape) << name;
    for (int64_t i = 0; i < elementCount(tensor.shape); ++i)
      EXPECT_NEAR(tensor.at(i), b.at(name).at(i), 1e-5) << name << " " << i;
  }
}

TEST(PipelineProgram, TrainsAsOneRankDoes) {
  nlohmann::json one = summaryOf(run(1, "--steps 8 --json --quiet"));
  nlohmann::json four = summaryOf(run(4, "--steps 8 --json --quiet"));
  EXPECT_LT(one["losses"][7], one["losses"][0]);
  expectClose(four["losses"], one["losses"]);
  expectClose(four["metrics"]["aux.norm"], one["metrics"]["aux.norm"]);
  EXPECT_EQ(four["arena_bytes"], 768); // of rank 0, which is a first stage
  EXPECT_EQ(four["arena_bytes_of_ranks"],
            nlohmann::json({768, 20000, 768, 20000}));
  EXPECT_EQ(four["arena_resident_bytes_of_ranks"].size(), 4u);
}

TEST(PipelineProgram, InitialValuesDoNotDependOnWhoHoldsThem) {
  TemporaryFolder folder;
  for (int ranks : {1, 4})
    ASSERT_EQ(run(ranks, "--steps 2 --seed 9 --save-initial " +
                             folder / ("initial" + std::to_string(ranks)) +
                             " --save-batches " +
                             folder / ("batches" + std::to_string(ranks)))
                  .exitCode,
              0);
  EXPECT_EQ(contentOf(folder / "initial1"), contentOf(folder / "initial4"));
  EXPECT_EQ(contentOf(folder / "batches1"), contentOf(folder / "batches4"));
  EXPECT_EQ(readTensors(folder / "initial4").size(), 7u);
  EXPECT_EQ(readTensors(folder / "batches4").size(), 4u);
}

TEST(PipelineProgram, DumpsTensorsOfAllStages) {
  TemporaryFolder folder;
  ASSERT_EQ(run(1, "--steps 3 --dump-outputs " + folder / "one").exitCode, 0);
  ASSERT_EQ(run(4, "--steps 3 --dump-outputs " + folder / "four").exitCode, 0);
  TensorMap four = readTensors(folder / "four");
  EXPECT_EQ(four.size(), 10u);
  EXPECT_EQ(four["count"].at(0), 3);
  expectCloseTensors(four, readTensors(folder / "one"));
}

TEST(PipelineProgram, TakesAllInputsFromAFile) {
  TemporaryFolder folder;
  ASSERT_EQ(run(4, "--steps 1 --seed 5 --save-initial " + folder / "initial" +
                       " --save-batches " + folder / "batches" +
                       " --dump-outputs " + folder / "direct")
                .exitCode,
            0);
  TensorMap arguments = readTensors(folder / "initial");
  for (auto &[name, tensor] : readTensors(folder / "batches"))
    arguments[name.substr(std::string("step0/").size())] = tensor;
  writeTensors(folder / "inputs", arguments);
  Outcome outcome = run(4, "--steps 1 --seed 6 --inputs " + folder / "inputs" +
                               " --dump-outputs " + folder / "again");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.output;
  EXPECT_EQ(contentOf(folder / "direct"), contentOf(folder / "again"));
}

TEST(PipelineProgram, TakesInitialWeightsFromAFile) {
  TemporaryFolder folder;
  ASSERT_EQ(run(1, "--steps 0 --seed 3 --save-initial " + folder / "weights")
                .exitCode,
            0);
  std::string dump = " --steps 2 --json --quiet";
  nlohmann::json four =
      summaryOf(run(4, "--init " + folder / "weights" + dump));
  expectClose(four["losses"], summaryOf(run(1, "--init " + folder / "weights" +
                                                   dump))["losses"]);

  // Only ranks 1 and 3 hold w2, but all stop, and one says why.
  TensorMap weights = readTensors(folder / "weights");
  weights.erase("w2");
  writeTensors(folder / "incomplete", weights);
  Outcome outcome = run(4, "--init " + folder / "incomplete");
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_THAT(outcome.output, HasSubstr("tensor \"w2\" is missing"));
  EXPECT_EQ(std::ranges::count(outcome.output, '\n'), 1);
}

TEST(PipelineProgram, TakesBatchesFromFiles) {
  TemporaryFolder folder;
  std::ofstream tokens(folder / "tokens.bin", std::ios::binary);
  for (int i = 0; i < 100; ++i)
    tokens.put(static_cast<char>(i % 50));
  tokens.close();
  std::string flags = "--steps 3 --json --quiet --tokens-type uint8 --tokens " +
                      folder / "tokens.bin";
  expectClose(summaryOf(run(4, flags))["losses"],
              summaryOf(run(1, flags))["losses"]);
}

TEST(PipelineProgram, ResumesBitForBitAndUnderAnotherPlan) {
  TemporaryFolder straight, resumed, alone;
  std::string last = "step-00000006.safetensors";
  ASSERT_EQ(run(4, "--steps 6 --checkpoint-dir " + straight.path()).exitCode,
            0);
  ASSERT_EQ(run(4, "--steps 3 --checkpoint-dir " + resumed.path()).exitCode, 0);
  std::filesystem::copy(resumed / "step-00000003.safetensors", alone.path());
  std::string flags = "--steps 6 --resume --checkpoint-dir ";
  ASSERT_EQ(run(4, flags + resumed.path()).exitCode, 0);
  EXPECT_EQ(contentOf(straight / last), contentOf(resumed / last));

  ASSERT_EQ(run(1, flags + alone.path()).exitCode, 0);
  TensorMap tensors = readTensors(alone / last);
  EXPECT_EQ(tensors.size(), 7u);
  EXPECT_EQ(tensors["count"].at(0), 6);
  expectCloseTensors(tensors, readTensors(straight / last));
  // And back to the pipeline.
  nlohmann::json summary = summaryOf(run(
      4, "--steps 8 --resume --json --quiet --checkpoint-dir " + alone.path()));
  EXPECT_EQ(summary["start_step"], 6);
}

TEST(PipelineProgram, CountsMessages) {
  nlohmann::json summary = summaryOf(run(4, "--steps 2 --json --quiet"));
  // Rank 0 sends two activations of 32 bytes and the gradient of s; over
  // "data", it sums two scalars, the gradient of s and that of w1.
  nlohmann::json communication =
      nlohmann::json::array({{{"kind", "all_reduce"},
                              {"calls", 2 * 3},
                              {"bytes", 2 * (8 + 16 + 96)},
                              {"group", 0},
                              {"axes", {"data"}}},
                             {{"kind", "send"},
                              {"calls", 2 * 3},
                              {"bytes", 2 * (32 + 32 + 16)},
                              {"axes", {"stage"}}}});
  EXPECT_EQ(summary["communication"], communication);
  EXPECT_EQ(summary["communication_bytes_per_step"],
            nlohmann::json({200, 200}));
  // A last stage sends 8 bytes more, and sums 64 bytes instead of 96.
  EXPECT_EQ(summary["communication_bytes_most_of_any_rank"], 2 * 200);
}

TEST(PipelineProgram, HasTheSameLossesOverMpi) {
  if (!hasMpirun())
    GTEST_SKIP() << "mpirun is not installed";
  nlohmann::json here = summaryOf(run(4, "--steps 5 --json --quiet"));
  nlohmann::json there =
      summaryOf(runCommand(mpirunCommand(4) + PIPELINE_PROGRAM +
                           "4 --steps 5 --json --quiet --transport mpi"));
  EXPECT_EQ(there["transport"], "MPI");
  EXPECT_EQ(there["losses"], here["losses"]); // bit by bit
  EXPECT_EQ(there["communication"], here["communication"]);
}

TEST(PipelineProgram, EndsWhenARankDies) {
  for (int rank : {0, 1}) {
    Outcome outcome =
        runCommand("PIPELINE_ACTION='kill " + std::to_string(rank) + " 3' " +
                   PIPELINE_PROGRAM + "4 --steps 6");
    EXPECT_EQ(outcome.exitCode, 128 + SIGKILL);
    std::string peer = std::to_string(1 - rank), dead = std::to_string(rank);
    EXPECT_THAT(outcome.output,
                HasSubstr("rank " + peer + ", step 3: receive from rank " +
                          dead + ": rank " + dead + " (process "));
    EXPECT_THAT(outcome.output, HasSubstr("died in step 3"));
    // The peer waits for a gradient: of an activation, or of s.
    EXPECT_THAT(outcome.output,
                HasSubstr("step 3 receive from rank " + dead +
                          (rank == 1 ? " 32" : " 16") + " bytes in progress"));
  }
}

} // namespace

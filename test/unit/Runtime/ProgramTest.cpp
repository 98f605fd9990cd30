// SPDX-License-Identifier: Apache-2.0
//
// Whole programs: TinyProgram.c compiled for one, three and four ranks and
// linked with the runtime as an emitted program is.

#include "Processes.h"
#include "ProgramRuns.h"
#include "TensorFiles.h"
#include "shardsmith/Runtime/Files/SafeTensors.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace shardsmith::runtime;
using testing::HasSubstr;

namespace {

std::string program(int ranks) {
  return TINY_PROGRAM + std::to_string(ranks) + " ";
}

Outcome run(int ranks, const std::string &flags) {
  return runCommand(program(ranks) + "--ranks " + std::to_string(ranks) + " " +
                    flags);
}

TEST(Program, TrainsEquallyOnAnyNumberOfRanks) {
  nlohmann::json one = summaryOf(run(1, "--steps 8 --json --quiet"));
  ASSERT_EQ(one["losses"].size(), 8u);
  EXPECT_NE(one["losses"][0], one["losses"][7]);
  for (int ranks : {3, 4}) {
    nlohmann::json many = summaryOf(run(ranks, "--steps 8 --json --quiet"));
    EXPECT_EQ(many["ranks"], ranks);
    expectClose(many["losses"], one["losses"]);
  }
}

TEST(Program, IsDeterministic) {
  nlohmann::json first = summaryOf(run(4, "--steps 8 --json --quiet"));
  nlohmann::json second = summaryOf(run(4, "--steps 8 --json --quiet"));
  EXPECT_EQ(first["losses"], second["losses"]);
  nlohmann::json other = summaryOf(run(4, "--steps 8 --json --quiet --seed 1"));
  EXPECT_NE(first["losses"], other["losses"]);
}

TEST(Program, CountsCommunicationBytes) {
  nlohmann::json summary = summaryOf(run(4, "--steps 2 --json --quiet"));
  // Per step: the loss over each axis, 4 bytes, and the gradient over "data",
  // 48 bytes; all-reduces of two ranks count the bytes of their input.
  EXPECT_EQ(summary["communication_bytes_per_step"],
            nlohmann::json({4 + 4 + 48, 4 + 4 + 48}));
  EXPECT_EQ(summary["communication"][0]["axes"], nlohmann::json({"tensor"}));
  EXPECT_EQ(summary["communication"][0]["calls"], 2);
  EXPECT_EQ(summary["communication"][1]["bytes"], 2 * (4 + 48));
  EXPECT_EQ(summary["communication_bytes_most_of_any_rank"], 2 * 56);
}

TEST(Program, WritesMetrics) {
  TemporaryFolder folder;
  ASSERT_EQ(run(3, "--steps 3 --metrics " + folder / "m.jsonl").exitCode, 0);
  std::istringstream lines(contentOf(folder / "m.jsonl"));
  std::string line;
  int step = 0;
  for (; std::getline(lines, line); ++step) {
    nlohmann::json entry = nlohmann::json::parse(line);
    EXPECT_EQ(entry["step"], step);
    EXPECT_GT(entry["loss"], 0);
    EXPECT_GT(entry["tokens_per_second"], 0);
  }
  EXPECT_EQ(step, 3);
}

TEST(Program, ResumesBitForBitEvenUnderAnotherPlan) {
  TemporaryFolder straight, resumed;
  std::string last = "step-00000006.safetensors";
  ASSERT_EQ(run(4, "--steps 6 --checkpoint-dir " + straight.path()).exitCode,
            0);
  ASSERT_EQ(run(4, "--steps 3 --checkpoint-dir " + resumed.path()).exitCode, 0);
  Outcome outcome =
      run(4, "--steps 6 --resume --checkpoint-dir " + resumed.path());
  ASSERT_EQ(outcome.exitCode, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("step    3"));
  EXPECT_EQ(contentOf(straight / last), contentOf(resumed / last));

  outcome = run(3, "--steps 8 --resume --json --quiet --checkpoint-dir " +
                       resumed.path());
  EXPECT_EQ(summaryOf(outcome)["start_step"], 6);
}

TEST(Program, SavedInputsReproduceTheStep) {
  TemporaryFolder folder;
  Outcome outcome =
      run(4, "--steps 1 --seed 5 --save-initial " + folder / "initial" +
                 " --save-batches " + folder / "batches" + " --dump-outputs " +
                 folder / "four");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.output;
  TensorMap arguments = readTensors(folder / "initial");
  for (auto &[name, tensor] : readTensors(folder / "batches"))
    arguments[name.substr(std::string("step0/").size())] = tensor;
  EXPECT_EQ(arguments.size(), 4u);
  writeTensors(folder / "inputs", arguments);

  outcome = run(1, "--steps 1 --seed 6 --inputs " + folder / "inputs" +
                       " --dump-outputs " + folder / "one");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.output;
  TensorMap four = readTensors(folder / "four");
  TensorMap one = readTensors(folder / "one");
  ASSERT_EQ(one.size(), 3u);
  for (auto &[name, tensor] : one) {
    ASSERT_EQ(four[name].shape, tensor.shape) << name;
    for (int64_t i = 0; i < elementCount(tensor.shape); ++i)
      EXPECT_NEAR(four[name].at(i), tensor.at(i), 1e-5) << name << " " << i;
  }
}

TEST(Program, TakesDataFromFiles) {
  TemporaryFolder folder;
  std::ofstream tokens(folder / "tokens.bin", std::ios::binary);
  for (int i = 0; i < 100; ++i) {
    auto token = static_cast<uint16_t>(i % 50);
    tokens.write(reinterpret_cast<const char *>(&token), sizeof token);
  }
  tokens.close();
  EXPECT_EQ(run(4, "--steps 3 --tokens " + folder / "tokens.bin").exitCode, 0);

  std::ofstream(folder / "bad.bin", std::ios::binary)
      .write("\x60\0\x60\0\x60\0\x60\0\x60\0", 10);
  Outcome outcome = run(4, "--steps 3 --tokens " + folder / "bad.bin");
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_THAT(outcome.output, HasSubstr("takes values from 0 to 49"));
  EXPECT_EQ(run(4, "--data nothing=x.npy").exitCode, 3);
}

TEST(ProgramErrors, WrongNumberOfRanks) {
  Outcome outcome = runCommand(program(4) + "--ranks 8");
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_THAT(outcome.output, HasSubstr("is for 4 ranks, but --ranks gives 8"));
  EXPECT_EQ(runCommand("RANK=0 WORLD_SIZE=2 " + program(4)).exitCode, 3);
}

TEST(Program, StartsItsOwnNumberOfRanks) {
  Outcome outcome = runCommand(program(3) + "--steps 2 --json --quiet");
  EXPECT_EQ(summaryOf(outcome)["ranks"], 3);
}

TEST(ProgramErrors, WrongFlags) {
  EXPECT_EQ(runCommand(program(1) + "--stepz 3").exitCode, 2);
  EXPECT_EQ(runCommand(program(1) + "--steps -3").exitCode, 2);
  EXPECT_EQ(runCommand(program(1) + "--resume").exitCode, 2);
  EXPECT_EQ(runCommand(program(1) + "--data x").exitCode, 2);
  Outcome help = runCommand(program(1) + "--help");
  EXPECT_EQ(help.exitCode, 0);
  EXPECT_THAT(help.output, HasSubstr("--checkpoint-every"));
}

TEST(ProgramErrors, MissingOrWronglyShapedTensor) {
  TemporaryFolder folder;
  TensorMap weights;
  weights["momentum.w"] = floatTensor({6, 4});
  writeTensors(folder / "missing", weights);
  Outcome outcome = run(4, "--init " + folder / "missing");
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_THAT(outcome.output,
              HasSubstr("tensor \"w\" is missing; expected f32 [6, 4]"));

  weights["w"] = floatTensor({4, 6});
  writeTensors(folder / "shape", weights);
  outcome = run(4, "--init " + folder / "shape");
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_THAT(outcome.output,
              HasSubstr("\"w\": expected f32 [6, 4], found f32 [4, 6]"));
}

TEST(ProgramErrors, CheckpointOfAnotherModel) {
  TemporaryFolder folder;
  TensorMap weights;
  weights["w"] = weights["momentum.w"] = floatTensor({6, 4});
  writeTensors(folder / "step-00000003.safetensors", weights,
               {{"model_hash", "feedfeedfeedfeed"}});
  Outcome outcome = run(4, "--resume --checkpoint-dir " + folder.path());
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_THAT(outcome.output, HasSubstr("checkpoint of model feedfeed"));
  EXPECT_THAT(outcome.output, HasSubstr("same names and shapes"));

  // The first tensor that differs is named.
  weights["w"] = floatTensor({4, 6});
  writeTensors(folder / "step-00000003.safetensors", weights,
               {{"model_hash", "feedfeedfeedfeed"}});
  outcome = run(4, "--resume --checkpoint-dir " + folder.path());
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_THAT(outcome.output,
              HasSubstr("\"w\": expected f32 [6, 4], found f32 [4, 6]"));
}

TEST(ProgramErrors, FullDiskLeavesTheLastCheckpoint) {
  TemporaryFolder folder;
  std::string disk = folder / "disk";
  std::filesystem::create_directory(disk);
  // Room for the lock and one checkpoint, not for two.
  if (runCommand("mount -t tmpfs -o size=8k tmpfs " + disk).exitCode != 0)
    GTEST_SKIP() << "cannot mount a small file system; needs root";
  ASSERT_EQ(run(4, "--steps 2 --checkpoint-dir " + disk).exitCode, 0);
  std::string before = contentOf(disk + "/step-00000002.safetensors");
  Outcome outcome = run(4, "--steps 4 --resume --checkpoint-dir " + disk);
  EXPECT_EQ(outcome.exitCode, 6) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("No space left on device"));
  EXPECT_EQ(contentOf(disk + "/step-00000002.safetensors"), before);
  int files = 0;
  for ([[maybe_unused]] auto &entry : std::filesystem::directory_iterator(disk))
    ++files;
  EXPECT_EQ(files, 1);
  runCommand("umount " + disk);
}

TEST(ProgramErrors, FileSizeLimitLeavesTheLastCheckpoint) {
  TemporaryFolder folder;
  ASSERT_EQ(run(1, "--steps 2 --checkpoint-dir " + folder.path()).exitCode, 0);
  std::string before = contentOf(folder / "step-00000002.safetensors");
  Outcome outcome =
      runCommand("ulimit -f 0; " + program(1) +
                 "--steps 4 --resume --checkpoint-dir " + folder.path());
  EXPECT_EQ(outcome.exitCode, 6) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("File too large"));
  EXPECT_FALSE(
      std::filesystem::exists(folder / "step-00000004.safetensors.partial"));
  EXPECT_EQ(contentOf(folder / "step-00000002.safetensors"), before);
}

size_t occurrences(const std::string &text, const std::string &part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(ProgramErrors, WhatAllRanksSeeIsReportedOnce) {
  TemporaryFolder folder;
  std::ofstream(folder / "bad.bin", std::ios::binary)
      .write("\x60\0\x60\0\x60\0\x60\0\x60\0", 10);
  for (std::string flags :
       {std::string("--init absent"), std::string("--tokens absent"),
        std::string("--data nothing=x.npy"),
        "--resume --checkpoint-dir " + folder / "absent",
        "--tokens " + folder / "bad.bin", "--dump-outputs " + folder.path(),
        std::string("--metrics /proc/absent/file")}) {
    Outcome outcome = run(4, flags);
    EXPECT_NE(outcome.exitCode, 0) << flags;
    EXPECT_EQ(occurrences(outcome.output, "\n"), 1u) << outcome.output;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "absent"));
  // A launcher gives all ranks the same wrong flag.
  Outcome outcome = runCommand("for r in 0 1 2 3; do RANK=$r WORLD_SIZE=4 " +
                               program(4) + "--wrong; done");
  EXPECT_EQ(occurrences(outcome.output, "--wrong"), 1u) << outcome.output;
}

TEST(ProgramOutputs, WhatCannotBeWrittenIsAnError) {
  for (std::string flags : {"--json --quiet", ""}) {
    Outcome outcome = runCommand(program(1) + "--steps 1 " + flags +
                                 " 2>&1 >/dev/full | grep -c 'standard output: "
                                 "No space'");
    EXPECT_EQ(outcome.output, "1\n");
    EXPECT_EQ(
        runCommand(program(3) + "--steps 1 " + flags + " > /dev/full").exitCode,
        6);
  }
  // By links: a mistake here must not cost the machine its device.
  TemporaryFolder folder;
  std::filesystem::create_symlink("/dev/full", folder / "full");
  for (std::string flag : {"--metrics ", "--dump-outputs ", "--save-initial ",
                           "--save-batches "}) {
    Outcome outcome = run(3, "--steps 2 " + flag + folder / "full");
    EXPECT_EQ(outcome.exitCode, 6) << flag;
    EXPECT_THAT(outcome.output, HasSubstr("No space left on device"));
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "full"));
  }
}

TEST(ProgramOutputs, StandardErrorMayBeFullOrClosed) {
  TemporaryFolder folder;
  for (std::string where : {"2>/dev/full", "2>&-"}) {
    std::string checkpoints = folder / ("checkpoints" + where.substr(3, 1));
    EXPECT_EQ(runCommand(program(3) + "--steps 1 --json --checkpoint-dir " +
                         checkpoints + " " + where + " >/dev/null")
                  .exitCode,
              0);
    EXPECT_TRUE(
        std::filesystem::exists(checkpoints + "/step-00000001.safetensors"));
  }
}

TEST(ProgramOutputs, PipesTakeWholeFiles) {
  TemporaryFolder folder;
  ASSERT_EQ(run(4, "--steps 1 --dump-outputs " + folder / "file").exitCode, 0);
  std::string pipe = folder / "pipe";
  Outcome outcome = runCommand("mkfifo " + pipe + "; cat " + pipe + " > " +
                               folder / "copy" + " & " + program(4) +
                               "--steps 1 --dump-outputs " + pipe + " && wait");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.output;
  EXPECT_EQ(contentOf(folder / "copy"), contentOf(folder / "file"));
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST(ProgramOutputs, AreCheckedBeforeTheFirstStep) {
  TemporaryFolder folder;
  std::filesystem::create_symlink("absent", folder / "link");
  for (std::string flag :
       {"--dump-outputs ", "--save-initial ", "--metrics "}) {
    Outcome outcome = run(3, "--steps 2 " + flag + folder / "link");
    EXPECT_EQ(outcome.exitCode, 6);
    EXPECT_THAT(outcome.output, HasSubstr("is a link to"));
    EXPECT_THAT(outcome.output, testing::Not(HasSubstr("loss")));
  }
}

/// Four ranks that train until they are ended, after the first checkpoint.
class LongRun {
public:
  explicit LongRun(const std::string &folder, const std::string &flags = "") {
    std::string words = program(4) +
                        "--steps 1000000000 --checkpoint-every 50 --quiet "
                        "--checkpoint-dir " +
                        folder + " " + flags;
    process = fork();
    if (process == 0) {
      execl("/bin/sh", "sh", "-c", ("exec " + words).c_str(), nullptr);
      _exit(127);
    }
    while (!std::filesystem::exists(folder + "/step-00000050.safetensors") &&
           waitpid(process, nullptr, WNOHANG) == 0)
      usleep(1000);
  }

  /// How the launcher ends; 128 + s by signal s.
  int end(int signal) const {
    int status = 0;
    kill(process, signal);
    waitpid(process, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

private:
  pid_t process;
};

std::vector<std::string> leftovers(const std::string &folder) {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() != ".safetensors")
      names.push_back(entry.path().filename());
  return names;
}

TEST(ProgramSignals, EndTheRunAndLeaveWholeCheckpointsOnly) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    TemporaryFolder folder;
    LongRun training(folder.path());
    EXPECT_EQ(training.end(signal), 128 + signal);
    EXPECT_THAT(leftovers(folder.path()), testing::IsEmpty());
  }
}

TEST(ProgramSignals, RemoveThePartialFile) {
  TemporaryFolder folder;
  // Rank 0 waits for somebody to read the pipe, its partial file beside it.
  Outcome outcome = runCommand(
      "mkfifo " + folder / "pipe" + "; export TMPDIR=" + folder.path() + "; " +
      program(3) + "--steps 1 --quiet --dump-outputs " + folder / "pipe" +
      " & until ls " + folder.path() +
      "/*.partial 2>/dev/null; do sleep 0.01; done; kill -TERM $!; wait $!");
  EXPECT_EQ(outcome.exitCode, 128 + SIGTERM);
  EXPECT_THAT(outcome.output, HasSubstr(".partial"));
  EXPECT_THAT(leftovers(folder.path()), testing::ElementsAre("pipe"));
}

TEST(ProgramSignals, IgnoredOnesStayIgnored) {
  Outcome outcome =
      runCommand("trap '' HUP; " + program(3) +
                 "--steps 3 & kill -HUP $!; sleep 0.1; kill -HUP $!; wait $!");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.output;
}

TEST(ProgramCheckpoints, BelongToOneRunAtATime) {
  TemporaryFolder folder;
  LongRun first(folder.path());
  std::string holder = contentOf(folder / "run.lock");
  EXPECT_THAT(holder, testing::MatchesRegex("process [0-9]+ on .+\n"));
  Outcome second = run(3, "--steps 2 --checkpoint-dir " + folder.path());
  EXPECT_EQ(second.exitCode, 6);
  EXPECT_THAT(second.output,
              HasSubstr(holder.substr(0, holder.size() - 1) + " writes its"));
  EXPECT_FALSE(std::filesystem::exists(folder / "step-00000002.safetensors"));
  first.end(SIGTERM);
  EXPECT_EQ(run(3, "--steps 2 --checkpoint-dir " + folder.path()).exitCode, 0);
}

TEST(ProgramCheckpoints, WhatAKilledRunHasLeftIsCleanedUp) {
  TemporaryFolder folder;
  EXPECT_EQ(LongRun(folder.path()).end(SIGKILL), 128 + SIGKILL);
  std::ofstream(folder / "step-00000007.safetensors.partial") << "x";
  std::ofstream(folder / "mine.partial") << "x";
  Outcome next;
  // The kernel ends the ranks a moment after their launcher.
  for (int attempt = 0; attempt < 100; ++attempt) {
    next = run(4, "--steps 2 --checkpoint-dir " + folder.path());
    if (next.exitCode == 0)
      break;
    usleep(20000);
  }
  EXPECT_EQ(next.exitCode, 0) << next.output;
  EXPECT_THAT(leftovers(folder.path()), testing::ElementsAre("mine.partial"));
}

/// A rank misbehaves in step 3: the others must stop, soon, and say why.
class Misbehaviour : public testing::Test {
protected:
  Outcome runWith(const std::string &action, const std::string &flags = "") {
    auto begin = std::chrono::steady_clock::now();
    Outcome outcome = runCommand(
        "TINY_ACTION='" + action + "' " + program(4) +
        "--ranks 4 --steps 6 --checkpoint-every 2 --checkpoint-dir " +
        folder.path() + " " + flags);
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - begin;
    EXPECT_LT(elapsed.count(), 10) << outcome.output;
    EXPECT_TRUE(std::filesystem::exists(folder / "step-00000002.safetensors"));
    EXPECT_EQ(
        run(4, "--steps 3 --resume --checkpoint-dir " + folder.path()).exitCode,
        0);
    return outcome;
  }

  TemporaryFolder folder;
};

TEST_F(Misbehaviour, KilledRank) {
  Outcome outcome = runWith("kill 2 3");
  EXPECT_EQ(outcome.exitCode, 128 + 9);
  for (const char *survivor : {"rank 0", "rank 1", "rank 3"})
    EXPECT_THAT(outcome.output,
                HasSubstr(std::string(survivor) + ", step 3: rank 2 "));
  EXPECT_THAT(outcome.output, HasSubstr("rank 2 (process "));
  EXPECT_THAT(outcome.output, HasSubstr("died in step 3"));
  EXPECT_THAT(outcome.output, HasSubstr("all_reduce"));
}

TEST_F(Misbehaviour, CrashedRank) {
  Outcome outcome = runWith("crash 1 3");
  EXPECT_THAT(outcome.output, HasSubstr("rank 1, step 3: crashed"));
  EXPECT_THAT(outcome.output, HasSubstr("rank 1 failed in step 3"));
}

TEST_F(Misbehaviour, HangingRank) {
  Outcome outcome = runWith("hang 3 3", "--timeout 1");
  EXPECT_EQ(outcome.exitCode, 6) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("no rank made progress for 1 s"));
  EXPECT_THAT(outcome.output, HasSubstr("rank 3 (step 3, computing)"));
}

TEST(ProgramLaunchers, TorchrunVariables) {
  std::string command = "for r in 0 1 2 3; do RANK=$r WORLD_SIZE=4 "
                        "LOCAL_RANK=$r LOCAL_WORLD_SIZE=4 "
                        "MASTER_ADDR=localhost MASTER_PORT=29517 " +
                        program(4) + "--steps 2 & done; wait";
  Outcome outcome = runCommand(command);
  EXPECT_THAT(outcome.output, HasSubstr("step    1  loss 7.31758"));
}

TEST(ProgramLaunchers, MissingRank) {
  Outcome outcome = runCommand("RANK=0 WORLD_SIZE=4 MASTER_PORT=29518 " +
                               program(4) + "--timeout 0.5");
  EXPECT_EQ(outcome.exitCode, 6);
  EXPECT_THAT(outcome.output, HasSubstr("3 of 4 ranks did not start: 1, 2, 3"));
}

TEST(ProgramLaunchers, Mpirun) {
  if (!hasMpirun())
    GTEST_SKIP() << "mpirun is not installed";
  nlohmann::json here = summaryOf(run(4, "--steps 5 --json --quiet"));
  for (std::string transport : {"shm", "mpi"}) {
    Outcome outcome =
        runCommand(mpirunCommand(4) + program(4) +
                   "--steps 5 --json --quiet --transport " + transport);
    nlohmann::json summary = summaryOf(outcome);
    EXPECT_EQ(summary["transport"],
              transport == "mpi" ? "MPI" : "shared memory");
    EXPECT_EQ(summary["losses"], here["losses"]); // bit by bit
    EXPECT_EQ(summary["communication"], here["communication"]);
  }
}

TEST(ProgramLaunchers, MpirunWithKilledRank) {
  if (!hasMpirun())
    GTEST_SKIP() << "mpirun is not installed";
  Outcome outcome = runCommand("TINY_ACTION='kill 2 3' " + mpirunCommand(4) +
                               program(4) + "--steps 6 --transport mpi");
  EXPECT_NE(outcome.exitCode, 0);
  EXPECT_THAT(outcome.output, HasSubstr("step 3: ended by its launcher"));
}

} // namespace

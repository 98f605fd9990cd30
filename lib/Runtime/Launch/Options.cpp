// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Launch/Options.h"

#include "shardsmith/Runtime/Failure.h"

#include <iostream>
#include <map>
#include <vector>

#include <CLI/CLI.hpp>

namespace shardsmith::runtime {
namespace {

std::string readDataFlags(const std::vector<std::string> &flags,
                          DataOptions &data) {
  for (const std::string &flag : flags) {
    size_t equals = flag.find('=');
    if (equals == std::string::npos || equals == 0)
      return fmt::format("--data {}: expected NAME=FILE.npy", flag);
    data.arrays[flag.substr(0, equals)] = flag.substr(equals + 1);
  }
  return "";
}

std::string checkCombination(const Options &options) {
  if (options.resume && options.checkpointFolder.empty())
    return "--resume needs --checkpoint-dir";
  if (options.checkpointEvery > 0 && options.checkpointFolder.empty())
    return "--checkpoint-every needs --checkpoint-dir";
  if (options.resume && !options.initialWeights.empty())
    return "--resume and --init exclude each other";
  if (!options.likeWeights.empty() && options.savedWeights.empty())
    return "--weights-like needs --save-weights";
  return "";
}

} // namespace

std::optional<Options> readOptions(int count, const char *const *arguments,
                                   bool isSpeaker, bool isForGpus,
                                   int &exitCode) {
  Options options;
  std::vector<std::string> dataFlags;
  double timeout = 30;
  CLI::App app("Trains the model that this program was compiled for.\n"
               "Start all ranks with --ranks, torchrun, srun or mpirun.",
               "program");
  app.set_help_flag("--help,-h", "Print this text");

  app.add_option("--ranks", options.ranks,
                 "Start this many ranks on this machine; the program is for "
                 "one number of them, which is the default")
      ->check(CLI::PositiveNumber);
  app.add_option("--steps", options.steps,
                 "Number of the step to stop before, counted from the start "
                 "of training")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--seed", options.data.seed,
                 "Seed of initial weights and synthetic batches")
      ->capture_default_str();

  app.add_option("--data", dataFlags,
                 "NAME=FILE.npy: values of a batch argument; may be repeated")
      ->group("Data")
      ->type_name("NAME=FILE");
  app.add_option("--tokens", options.data.tokenFile,
                 "File of raw little-endian tokens, read as consecutive "
                 "sequences")
      ->group("Data")
      ->type_name("FILE");
  app.add_option("--tokens-type", options.data.tokenType,
                 "Type of the tokens in the file; uint8 reads a text file "
                 "byte by byte")
      ->group("Data")
      ->type_name("uint8|uint16|uint32")
      ->transform(CLI::Transformer(std::map<std::string, ElementType>{
          {"uint8", SMITH_U8}, {"uint16", SMITH_U16}, {"uint32", SMITH_U32}}));

  app.add_option("--init", options.initialWeights,
                 "Initial weights: a safetensors file, the index of several, "
                 "or a folder, as of a Hugging Face checkpoint")
      ->group("State")
      ->type_name("PATH");
  app.add_option("--save-weights", options.savedWeights,
                 "Folder for the weights at the end, in files like those of "
                 "--init")
      ->group("State")
      ->type_name("DIR");
  app.add_option("--weights-like", options.likeWeights,
                 "Checkpoint whose names, types and division into files "
                 "--save-weights takes over; default: that of --init")
      ->group("State")
      ->type_name("PATH");
  app.add_option("--inputs", options.inputs,
                 "Safetensors file with all arguments of the step, batches "
                 "included")
      ->group("State")
      ->type_name("FILE");
  app.add_option("--checkpoint-dir", options.checkpointFolder,
                 "Folder for checkpoints; one is written at the end")
      ->group("State")
      ->type_name("DIR");
  app.add_option("--checkpoint-every", options.checkpointEvery,
                 "Write a checkpoint after every this many steps")
      ->group("State")
      ->check(CLI::PositiveNumber);
  app.add_flag("--resume", options.resume,
               "Go on from the newest checkpoint of the folder")
      ->group("State");

  app.add_flag("--json", options.json,
               "Print a summary as JSON on stdout, and all else on stderr")
      ->group("Output");
  app.add_flag("--quiet", options.quiet, "Print no line per step")
      ->group("Output");
  app.add_option("--metrics", options.metricsFile,
                 "Write one line of JSON per step")
      ->group("Output")
      ->type_name("FILE");
  app.add_option("--profile", options.profile,
                 "Write when every rank did what in the last steps, for "
                 "Perfetto, chrome://tracing and 'shardsmith simulate'")
      ->group("Output")
      ->type_name("FILE");
  app.add_option("--dump-outputs", options.dumpOutputs,
                 "Write all results of the last step, whole, as safetensors")
      ->group("Output")
      ->type_name("FILE");
  app.add_option("--save-initial", options.saveInitial,
                 "Write parameters and state before the first step")
      ->group("Output")
      ->type_name("FILE");
  app.add_option("--save-batches", options.saveBatches,
                 "Write the batches of all steps as step0/NAME, step1/NAME, …")
      ->group("Output")
      ->type_name("FILE");

  app.add_option("--transport", options.transport,
                 "How ranks exchange data; auto: shared memory on one "
                 "machine, else MPI")
      ->group("Ranks")
      ->type_name("auto|shm|mpi")
      ->transform(CLI::Transformer(std::map<std::string, TransportChoice>{
          {"auto", TransportChoice::Automatic},
          {"shm", TransportChoice::SharedMemory},
          {"mpi", TransportChoice::Mpi}}));
  app.add_option("--timeout", timeout,
                 "Seconds to wait for a rank that makes no progress")
      ->group("Ranks")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);

  if (isForGpus) {
    app.add_flag("--tf32", options.usesTf32,
                 "Round operands of f32 products to TF32")
        ->group("GPUs");
    app.add_flag_callback(
           "--no-graphs", [&] { options.usesGraphs = false; },
           "Put every action of every step into streams anew, instead of "
           "whole steps as CUDA graphs")
        ->group("GPUs");
    app.add_flag("--share-gpus", options.sharesGpus,
                 "For tests: let several ranks of a machine have one GPU")
        ->group("GPUs");
    app.add_flag("--exchange-on-host", options.exchangesOnHost,
                 "For tests: exchange through the memory of hosts, without "
                 "NCCL")
        ->group("GPUs");
  }

  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError &error) {
    bool isHelp = error.get_exit_code() == 0;
    if (isSpeaker)
      app.exit(error);
    std::cout.flush();
    exitCode = static_cast<int>(!isHelp     ? ExitCode::Usage
                                : std::cout ? ExitCode::Success
                                            : ExitCode::Environment);
    return std::nullopt;
  }
  options.deadline =
      std::chrono::milliseconds(static_cast<int64_t>(timeout * 1000));
  std::string problem = readDataFlags(dataFlags, options.data);
  if (problem.empty())
    problem = checkCombination(options);
  if (problem.empty())
    return options;
  if (isSpeaker)
    fmt::print(stderr, "{}\nRun with --help for more information.\n", problem);
  exitCode = static_cast<int>(ExitCode::Usage);
  return std::nullopt;
}

} // namespace shardsmith::runtime

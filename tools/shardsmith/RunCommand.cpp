// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith run`: starts the program of a build folder. The program brings
// its own launcher and options, so that torchrun, srun and mpirun can start it
// without Shardsmith; this command only finds it.

#include "Command.h"

#include "shardsmith/Driver/BuildFolder.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Import/ONNX/ReadOnnx.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace shardsmith {
namespace {

namespace fs = std::filesystem;

/// Programs read safetensors alone: an ONNX file after `--init` is written as
/// such beside the program, and that file takes its place.
std::vector<std::string> withReadableWeights(const fs::path &folder,
                                             std::vector<std::string> options) {
  for (size_t i = 0; i < options.size(); ++i) {
    constexpr std::string_view joined = "--init=";
    bool isJoined = options[i].starts_with(joined);
    if (!isJoined && (options[i] != "--init" || i + 1 == options.size()))
      continue;
    std::string path =
        isJoined ? options[i].substr(joined.size()) : options[++i];
    if (!isOnnxFile(path))
      continue;
    std::string weights = folder / "onnx-weights.safetensors";
    if (llvm::Error error = writeOnnxWeights(path, weights))
      fail(std::move(error));
    options[i] = (isJoined ? std::string(joined) : "") + weights;
  }
  return options;
}

ExitCode runProgram(const std::string &folder,
                    const std::vector<std::string> &options) {
  finishStaged(folder);
  fs::path program = fs::path(folder) / "program";
  std::error_code ignored;
  if (!fs::is_regular_file(program, ignored)) {
    const char *fix = fs::exists(fs::path(folder) / "plan.json", ignored)
                          ? "it holds a plan; run 'shardsmith compile' on it"
                          : "make one with 'shardsmith compile MODEL -o DIR'";
    fmt::print(stderr, "error: {}: no program in this folder; {}\n", folder,
               fix);
    return ExitCode::BadInput;
  }
  requireProgramOfPlan(folder);
  std::vector<std::string> adapted = withReadableWeights(folder, options);
  std::vector<char *> arguments{const_cast<char *>(program.c_str())};
  for (const std::string &option : adapted)
    arguments.push_back(const_cast<char *>(option.c_str()));
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  fmt::print(stderr, "error: {}: cannot start: {}\n", program.string(),
             std::strerror(errno));
  return ExitCode::Environment;
}

} // namespace

void addRunCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "run", "Train with a compiled program on this machine");
  auto folder = std::make_shared<std::string>();
  command->add_option("folder", *folder, "Folder that 'compile' has written")
      ->required();
  command->prefix_command();
  command->footer("Everything after the folder goes to the program: --ranks N, "
                  "--steps N, --seed S, --init PATH, …\n"
                  "'shardsmith run DIR --help' lists its options.");
  command->callback([folder, command, &action] {
    action = [folder, command] {
      return runProgram(*folder, command->remaining());
    };
  });
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith cluster detect`: a cluster description from this machine, or from
// what other programs say about machines.

#include "Command.h"

#include "shardsmith/Cluster/Detect.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Support/ReadFile.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardsmith {
namespace {

struct DetectArguments {
  /// Name and place of each source.
  std::vector<std::pair<std::string, std::string>> sources;
  DetectOptions options;
  int64_t nodes = 0;
  std::string output = "-";
};

void requireSource(const std::string &source) {
  std::vector<std::string> known = detectSources();
  if (std::ranges::find(known, source) != known.end())
    return;
  std::string error;
  readNodes(source, "", error);
  fail(ExitCode::Usage, "--from: " + error);
}

FoundNodes readSource(const std::string &source, const std::string &place) {
  std::string error;
  // An instance is given by its name, everything else is in a file.
  std::optional<std::string> text = place;
  if (source != "instance")
    text = readInput(place, error);
  if (!text)
    fail(ExitCode::BadInput, error);
  std::optional<FoundNodes> found = readNodes(source, *text, error);
  if (!found)
    fail(ExitCode::BadInput, fmt::format("{}: {}", place, error));
  return std::move(*found);
}

FoundNodes findThisMachine() {
  std::string error;
  std::optional<FoundNodes> found =
      readThisMachine("libnvidia-ml.so.1", "/sys", error);
  if (!found)
    fail(ExitCode::Environment,
         fmt::format("this machine's devices cannot be seen: {}; give the "
                     "output of a program with --from {} FILE, or plan for its "
                     "processors with --cluster cpu:4",
                     error, detectSources().front()));
  return std::move(*found);
}

ExitCode runDetect(DetectArguments arguments) {
  requireWritable(arguments.output);
  FoundNodes nodes;
  if (arguments.sources.empty())
    nodes = findThisMachine();
  std::string error;
  for (const auto &[source, place] : arguments.sources) {
    requireSource(source);
    FoundNodes more = readSource(source, place);
    if (nodes.kinds.empty())
      nodes = std::move(more);
    else if (!addFacts(nodes, more, error))
      fail(ExitCode::BadInput, fmt::format("{}: {}", place, error));
  }
  if (arguments.nodes > 0)
    arguments.options.nodes = arguments.nodes;
  std::optional<DetectedCluster> made =
      makeDetectedCluster(nodes, arguments.options, error);
  if (!made)
    fail(ExitCode::BadInput, error);
  writeOutput(arguments.output, made->toJson());
  for (const std::string &note : nodes.notes)
    fmt::print(stderr, "note: {}\n", note);
  for (const Guess &guess : made->guesses)
    fmt::print(stderr, "guessed: {}: {}\n", guess.pointer, guess.reason);
  return ExitCode::Success;
}

} // namespace

void addClusterCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "cluster", "Write a cluster description from where people have it");
  command->require_subcommand(1);
  CLI::App *detect = command->add_subcommand(
      "detect", "From this machine's devices, or from what --from names");
  auto arguments = std::make_shared<DetectArguments>();
  detect
      ->add_option("--from", arguments->sources,
                   fmt::format("Source and its file (- for standard input), or "
                               "the name of a cloud's instance; several add to "
                               "each other. Sources: {}",
                               fmt::join(detectSources(), ", ")))
      ->type_name("SOURCE FILE");
  detect->add_option("--device", arguments->options.device,
                     "Built-in device, in place of what the sources say");
  detect
      ->add_option("--nodes", arguments->nodes,
                   "Number of nodes, in place of what the sources say")
      ->check(CLI::Range(1, 1 << 20));
  detect->add_option("--name", arguments->options.name,
                     "Name of the cluster (default: detected)");
  detect->add_option("-o,--output", arguments->output,
                     "File for the description, - for standard output");
  detect->footer("What no source says is guessed, told on standard error, and "
                 "listed as x_guessed in the file.");
  detect->callback([arguments, &action] {
    action = [arguments] { return runDetect(*arguments); };
  });
}

} // namespace shardsmith

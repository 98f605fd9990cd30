// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith estimate`: prices of many cases in one run, one JSON object per
// line in and out. Nothing is searched unless a line asks for it.

#include "BatchEstimator.h"
#include "Command.h"
#include "Session.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fstream>
#include <iostream>

namespace shardsmith {
namespace {

ExitCode runEstimate(const std::string &path) {
  std::ifstream file;
  if (path != "-") {
    file.open(path);
    if (!file)
      throw Failure{ExitCode::BadInput, "cannot read \"" + path + "\""};
  }
  std::istream &input = path == "-" ? std::cin : file;
  BatchEstimator estimator;
  int64_t number = 0;
  for (std::string line; std::getline(input, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") != std::string::npos)
      writeOutput("-", estimator.estimate(line, number) + "\n");
  }
  if (input.bad())
    throw Failure{ExitCode::BadInput, "cannot read \"" + path + "\""};
  return ExitCode::Success;
}

constexpr const char *kFooter = R"(A line of the file:
  {"id": 1, "model": "llama3-8b", "cluster": "64xh100", "seq": 8192,
   "global_batch": 256, "fix": {"tp": 8, "dp": 8, "zero": 1}}
model may be a name, a path or the object of a config.json, cluster a name, a
path or an object, profile likewise. Degrees that a line does not fix are 1,
except data, which takes the devices that are left; "search": true leaves them
free. 'shardsmith schema report' describes the lines that come out; a line that
cannot be priced gives one with "error".)";

} // namespace

void addEstimateCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "estimate", "Price many cases: JSON lines in, JSON lines out");
  auto path = std::make_shared<std::string>();
  command
      ->add_option("--batch", *path,
                   "File with one JSON object per line, - for standard input")
      ->required();
  command->footer(kFooter);
  command->callback(
      [path, &action] { action = [path] { return runEstimate(*path); }; });
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith estimate`: prices of many plans with given degrees in one run,
// one JSON object per line in and out.

#include "BatchRows.h"
#include "Command.h"

#include "shardsmith/Driver/Session.h"

#include <CLI/CLI.hpp>
#include <fmt/ranges.h>

namespace shardsmith {
namespace {

ExitCode runEstimate(const std::string &path, const std::string &profile) {
  std::string error;
  if (!findProfile(profile, error))
    fail(ExitCode::BadInput, error);
  std::vector<BatchLine> lines = readBatchFile(path);
  Session session;
  PlanRows rows(workloadLoader(session));
  for (const BatchLine &line : lines)
    writeOutput("-", estimateLine(rows, line, profile) + "\n");
  return ExitCode::Success;
}

constexpr const char *kFooter = R"(A line of the file:
  {"id": "a", "model": "llama3-8b", "cluster": "64xh100",
   "sequence_length": 8192, "global_batch": 256,
   "plan": {"tensor": 8, "data": 8, "zero": 1}}
Degrees that a line does not give are 1. docs/calibration.md lists all keys,
'shardsmith schema report' the lines that come out; a line that cannot be priced
gives one with "error".)";

} // namespace

void addEstimateCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "estimate", "Price many given plans: JSON lines in, JSON lines out");
  auto path = std::make_shared<std::string>();
  auto profile = std::make_shared<std::string>("generic");
  command
      ->add_option("--batch", *path,
                   "File with one JSON object per line, - for standard input")
      ->required();
  command
      ->add_option("--profile", *profile,
                   fmt::format("Software stack of lines that name none, a file "
                               "or a built-in one: {}",
                               fmt::join(builtinProfileNames(), ", ")))
      ->capture_default_str();
  command->footer(kFooter);
  command->callback([path, profile, &action] {
    action = [path, profile] { return runEstimate(*path, *profile); };
  });
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith calibrate`: fits the constants of a stack profile to measured
// steps, or writes measured collectives into a cluster description.

#include "BatchRows.h"
#include "Command.h"

#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Cluster/NcclTests.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/Stages.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardsmith {
namespace {

struct CalibrateArguments {
  std::string rows;
  /// File with several requests; replaces the options below.
  std::string requests;
  ProfileRequest request;
  /// Outputs of nccl-tests, and the cluster they were measured on.
  std::vector<std::string> ncclTests;
  std::string cluster;
  std::string output = "-";
};

std::vector<ProfileRequest> requestsOf(const CalibrateArguments &arguments) {
  if (arguments.requests.empty())
    return {arguments.request};
  std::string error;
  std::optional<std::vector<ProfileRequest>> requests =
      profileRequestsFromJson(requireText(arguments.requests), error);
  if (!requests)
    fail(ExitCode::BadInput, arguments.requests + ": " + error);
  return std::move(*requests);
}

/// Every line must be a row: a misread one would bend the fit silently.
std::vector<PlanRow> measuredRows(const std::string &path) {
  std::vector<PlanRow> rows;
  for (BatchLine &line : readBatchFile(path)) {
    if (!line.row)
      fail(ExitCode::BadInput,
           fmt::format("{}:{}: {}", path, line.number, line.error));
    rows.push_back(std::move(*line.row));
  }
  return rows;
}

/// Where the profile of this name goes.
std::string pathOf(const std::string &name,
                   const CalibrateArguments &arguments) {
  if (arguments.requests.empty() || arguments.output == "-")
    return arguments.output;
  return inFolder(arguments.output, (name + ".json").c_str());
}

/// Measured collectives make a cluster, not a profile.
ExitCode runNcclTests(const CalibrateArguments &arguments) {
  if (!arguments.rows.empty() || arguments.cluster.empty())
    fail(ExitCode::Usage,
         "--nccl-tests goes with --cluster, the machines that were measured, "
         "and without rows of steps");
  requireWritable(arguments.output);
  ClusterResult found = findCluster(arguments.cluster);
  if (!found.cluster)
    fail(ExitCode::BadInput, found.errorText());
  std::string error;
  for (const std::string &path : arguments.ncclTests) {
    std::optional<std::vector<NcclTestsRun>> runs =
        readNcclTests(requireText(path), error);
    if (!runs || !addMeasured(*found.cluster, *runs, error))
      fail(ExitCode::BadInput, fmt::format("{}: {}", path, error));
    for (const NcclTestsRun &run : *runs)
      fmt::print(stderr, "{} among {} ranks on {}: {} sizes\n",
                 run.curve.collective, run.curve.groupSize,
                 run.hosts.size() > 1
                     ? fmt::format("{} machines", run.hosts.size())
                     : "one machine",
                 run.curve.points.size());
  }
  writeOutput(arguments.output, found.cluster->toJson());
  return ExitCode::Success;
}

ExitCode runCalibrate(const CalibrateArguments &arguments) {
  if (!arguments.ncclTests.empty())
    return runNcclTests(arguments);
  if (arguments.rows.empty() || !arguments.cluster.empty())
    fail(ExitCode::Usage, arguments.rows.empty()
                              ? "give a file of measured steps, or "
                                "--nccl-tests FILE"
                              : "--cluster goes with --nccl-tests alone; rows "
                                "of steps name their clusters");
  std::vector<ProfileRequest> requests = requestsOf(arguments);
  for (const ProfileRequest &request : requests)
    requireWritable(pathOf(request.name, arguments));
  std::vector<PlanRow> measured = measuredRows(arguments.rows);
  Session session;
  PlanRows rows(workloadLoader(session));
  std::string error;
  std::optional<std::vector<FittedProfile>> fitted =
      fitProfiles(rows, measured, requests, error);
  if (!fitted)
    fail(ExitCode::BadInput, error);
  for (const FittedProfile &one : *fitted) {
    fmt::print(stderr, "{}", reportOf(one));
    for (const std::string &left : one.leftOut)
      fmt::print(stderr, "left out: {}\n", left);
    writeOutput(pathOf(one.name, arguments), toJson(one.calibration.profile));
  }
  return ExitCode::Success;
}

} // namespace

void addCalibrateCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "calibrate", "Fit a stack profile to measured training steps, or "
                   "put measured collectives into a cluster");
  auto arguments = std::make_shared<CalibrateArguments>();
  ProfileRequest &request = arguments->request;
  request.name = "calibrated";
  command->add_option("rows", arguments->rows,
                      "Measured steps, one JSON object per line as for "
                      "'estimate', with \"measured\"; - for standard input");
  command->add_option("--name", request.name, "Name of the new profile")
      ->capture_default_str();
  command
      ->add_option("--start", request.start,
                   fmt::format("Profile to start from, a file or a built-in "
                               "one: {}",
                               fmt::join(builtinProfileNames(), ", ")))
      ->capture_default_str();
  command
      ->add_option("--constants", request.options.constants,
                   "Constants that may move, as kernels.matmul_rate,…; "
                   "default: those that the steps can tell")
      ->delimiter(',');
  command->add_option("--fits", arguments->requests,
                      "File with several profiles to fit; -o is then a folder");
  command->add_option("--nccl-tests", arguments->ncclTests,
                      "Output of nccl-tests in place of steps: its times go "
                      "into the description of --cluster; more than once");
  command->add_option("--cluster", arguments->cluster,
                      "Built-in name or file of the machines that "
                      "--nccl-tests ran on");
  command->add_option("-o,--output", arguments->output,
                      "File for the profile or the cluster, - for standard "
                      "output");
  command->callback([arguments, &action] {
    action = [arguments] { return runCalibrate(*arguments); };
  });
}

} // namespace shardsmith

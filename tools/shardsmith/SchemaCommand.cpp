// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith schema`: the JSON Schemas of the files that Shardsmith reads and
// writes.

#include "Command.h"
#include "Schemas.h"

#include "shardsmith/Driver/Runtimes.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/PlanFiles/PlanDocument.h"

#include <CLI/CLI.hpp>

namespace shardsmith {
namespace {

std::string schemaNamed(const std::string &name) {
  if (name == "cluster")
    return std::string(clusterSchema());
  if (name == "profile")
    return profileSchema();
  if (name == "runtime")
    return std::string(runtimeSchema());
  if (name == "report")
    return std::string(reportSchema());
  return std::string(planSchema());
}

} // namespace

void addSchemaCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "schema", "Print the JSON Schema of a file that Shardsmith reads or "
                "writes");
  auto name = std::make_shared<std::string>("plan");
  command
      ->add_option("file", *name,
                   "plan, cluster, profile, runtime, or report: a line that "
                   "'estimate' prints")
      ->check(
          CLI::IsMember({"plan", "cluster", "profile", "runtime", "report"}))
      ->capture_default_str();
  command->callback([name, &action] {
    action = [name] {
      writeOutput("-", schemaNamed(*name));
      return ExitCode::Success;
    };
  });
}

} // namespace shardsmith

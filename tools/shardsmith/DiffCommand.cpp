// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith diff`: two plans side by side.

#include "Command.h"

#include "shardsmith/Driver/ReopenedPlan.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/PlanFiles/PlanReport.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace shardsmith {
namespace {

/// JSON pointers of everything that differs, as a JSON patch.
std::string patchOf(const PlanDocument &first, const PlanDocument &second) {
  using Json = nlohmann::json;
  return Json::diff(Json::parse(toJson(first)), Json::parse(toJson(second)))
             .dump(2) +
         "\n";
}

} // namespace

void addDiffCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "diff", "Compare two plans: decisions, time and memory item by item");
  auto paths = std::make_shared<std::array<std::string, 2>>();
  auto json = std::make_shared<bool>(false);
  command->add_option("first", (*paths)[0], "plan.json, or its folder")
      ->required();
  command->add_option("second", (*paths)[1], "plan.json, or its folder")
      ->required();
  command->add_flag("--json", *json,
                    "Print the change from first to second as a JSON patch");
  command->callback([paths, json, &action] {
    action = [paths, json] {
      PlanDocument first = requireStrategy((*paths)[0]);
      PlanDocument second = requireStrategy((*paths)[1]);
      writeOutput("-", *json ? patchOf(first, second)
                             : describeDifference(first, second));
      return ExitCode::Success;
    };
  });
}

} // namespace shardsmith

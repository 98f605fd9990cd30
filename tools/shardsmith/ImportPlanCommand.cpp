// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith import-plan`: what a script or a configuration of another
// runtime decides, in the words of `plan --fix`.

#include "Command.h"

#include "shardsmith/Driver/Session.h"
#include "shardsmith/Emit/ImportPlan.h"
#include "shardsmith/Support/Json.h"
#include "shardsmith/Support/ReadFile.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace shardsmith {
namespace {

std::optional<std::string> readBeside(const std::string &name,
                                      const std::string &folder) {
  std::string ignored;
  return readFile((std::filesystem::path(folder) / name).string(), ignored);
}

std::string toJson(const emit::ImportedPlan &plan) {
  nlohmann::ordered_json decisions = nlohmann::ordered_json::object();
  for (const auto &[name, value] : plan.decisions)
    decisions[name] = value;
  return jsonText(
             nlohmann::ordered_json{{"target", plan.target},
                                    {"decisions", decisions},
                                    {"layers_of_stages", plan.layersOfStages},
                                    {"zero_group", plan.zeroGroup},
                                    {"global_batch", plan.globalBatch},
                                    {"sequence_length", plan.sequenceLength}},
             2) +
         "\n";
}

ExitCode runImportPlan(const std::string &path, bool json) {
  std::string text = requireText(path), error;
  std::optional<emit::ImportedPlan> plan =
      emit::importPlan(text, std::filesystem::path(path).parent_path().string(),
                       readBeside, error);
  if (!plan)
    fail(ExitCode::BadInput, path + ": " + error);
  writeOutput("-", json ? toJson(*plan) : plan->fixText() + "\n");
  return ExitCode::Success;
}

} // namespace

void addImportPlanCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "import-plan", "Say what a script or a configuration of another runtime "
                     "decides, as 'plan --fix' has it");
  auto path = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command
      ->add_option("file", *path,
                   "A script or a configuration of one of the runtimes of emit")
      ->required();
  command->add_flag("--json", *json, "Print all decisions as JSON, stages too");
  command->callback([path, json, &action] {
    action = [path, json] { return runImportPlan(*path, *json); };
  });
}

} // namespace shardsmith

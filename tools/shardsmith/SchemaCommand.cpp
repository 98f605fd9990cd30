// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith schema`: the JSON Schema of the files that Shardsmith writes.

#include "Command.h"
#include "Session.h"

#include "shardsmith/Plan/PlanFile.h"

#include <CLI/CLI.hpp>

namespace shardsmith {

void addSchemaCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "schema", "Print the JSON Schema of plan.json");
  command->callback([&action] {
    action = [] {
      writeOutput("-", std::string(planSchema()));
      return ExitCode::Success;
    };
  });
}

} // namespace shardsmith

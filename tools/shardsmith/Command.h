// SPDX-License-Identifier: Apache-2.0
//
// One subcommand per file: a function that declares its options on the
// application and, when it is chosen, stores what to run.

#ifndef SHARDSMITH_TOOLS_SHARDSMITH_COMMAND_H
#define SHARDSMITH_TOOLS_SHARDSMITH_COMMAND_H

#include "shardsmith/Support/ExitCode.h"

#include <functional>

namespace CLI {
class App;
} // namespace CLI

namespace shardsmith {

/// What the chosen subcommand does once the command line is understood.
using Action = std::function<ExitCode()>;

void addCalibrateCommand(CLI::App &application, Action &action);
void addCheckCommand(CLI::App &application, Action &action);
void addClusterCommand(CLI::App &application, Action &action);
void addCompileCommand(CLI::App &application, Action &action);
void addDiffCommand(CLI::App &application, Action &action);
void addDoctorCommand(CLI::App &application, Action &action);
void addEmitCommand(CLI::App &application, Action &action);
void addEstimateCommand(CLI::App &application, Action &action);
void addExplainCommand(CLI::App &application, Action &action);
void addFitCommand(CLI::App &application, Action &action);
void addImportCommand(CLI::App &application, Action &action);
void addImportPlanCommand(CLI::App &application, Action &action);
void addInspectCommand(CLI::App &application, Action &action);
void addPlanCommand(CLI::App &application, Action &action);
void addReportCommand(CLI::App &application, Action &action);
void addRunCommand(CLI::App &application, Action &action);
void addSchemaCommand(CLI::App &application, Action &action);
void addSimulateCommand(CLI::App &application, Action &action);
void addVerifyCommand(CLI::App &application, Action &action);

} // namespace shardsmith

#endif // SHARDSMITH_TOOLS_SHARDSMITH_COMMAND_H

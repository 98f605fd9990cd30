// SPDX-License-Identifier: Apache-2.0
//
// Options that several subcommands share.

#ifndef SHARDSMITH_TOOLS_SHARDSMITH_OPTIONS_H
#define SHARDSMITH_TOOLS_SHARDSMITH_OPTIONS_H

#include "shardsmith/Driver/PlanningRequest.h"
#include "shardsmith/Driver/PlayedSchedule.h"
#include "shardsmith/Driver/ReopenedPlan.h"
#include "shardsmith/Train/TrainStep.h"

namespace CLI {
class App;
} // namespace CLI

namespace shardsmith {

void addModelOptions(CLI::App &command, ModelOptions &options);
void addTrainOptions(CLI::App &command, TrainOptions &options);
void addOptimizerOption(CLI::App &command, PlanningRequest &request);
void addTargetOptions(CLI::App &command, PlanningRequest &request);
void addMemoryOption(CLI::App &command, double &maxMemory);
void addSearchOptions(CLI::App &command, PlanningRequest &request);
/// `verb` is what becomes of the schedule: "Play", "Build".
void addScheduleOptions(CLI::App &command, const std::string &verb,
                        GivenSchedule &given);
void addPlanSources(CLI::App &command, PlanSources &sources);

/// Notes which of the options above were given; call when the command line
/// has been read.
void noteGiven(const CLI::App &command, PlanningRequest &request);

} // namespace shardsmith

#endif // SHARDSMITH_TOOLS_SHARDSMITH_OPTIONS_H

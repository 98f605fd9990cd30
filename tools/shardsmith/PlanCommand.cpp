// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith plan`: how to spread a model's training over a cluster.

#include "Command.h"
#include "Options.h"
#include "ProgramReport.h"
#include "Session.h"
#include "Stages.h"

#include "shardsmith/Plan/PlanFile.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace shardsmith {
namespace {

struct PlanArguments {
  ModelOptions model;
  TrainOptions train;
  PlanningOptions planning;
  std::string output;
  std::string dumpFolder;
  bool json = false;
};

ExitCode runPlan(const PlanArguments &arguments) {
  PlanOptions options = understood(arguments.planning);
  Cluster cluster = requireCluster(arguments.planning.cluster);
  Session session(arguments.dumpFolder);
  mlir::OwningOpRef<mlir::ModuleOp> step =
      importForward(session, arguments.model);
  makeTrainStep(session, *step, arguments.train);
  Plan plan = findPlan(*step, cluster, options);
  mlir::OwningOpRef<mlir::ModuleOp> annotated = annotate(session, *step, plan);
  lowerProgram(session, *partition(session, *annotated), plan);

  if (!arguments.output.empty()) {
    writeOutput(inFolder(arguments.output, folder::kTrainStep), toText(*step));
    writeOutput(inFolder(arguments.output, folder::kAnnotated),
                toText(*annotated));
    writeOutput(inFolder(arguments.output, folder::kPlan), planToJson(plan));
  }
  writeOutput("-", arguments.json ? planToJson(plan) : describeProgram(plan));
  if (!arguments.output.empty())
    fmt::print(stderr, "wrote {0}; 'shardsmith compile {0}' builds it\n",
               arguments.output);
  return ExitCode::Success;
}

} // namespace

void addPlanCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "plan", "Find the fastest way to train a model on a cluster");
  auto arguments = std::make_shared<PlanArguments>();
  addModelOptions(*command, arguments->model);
  addPlanningOptions(*command, arguments->planning);
  addTrainOptions(*command, arguments->train);
  command->add_option("-o,--output", arguments->output,
                      "Folder for plan.json, the annotated train step and the "
                      "train step");
  command->add_option("--dump-dir", arguments->dumpFolder,
                      "Folder for the IR after every stage");
  command->add_flag("--json", arguments->json, "Print the plan as JSON");
  command->callback([arguments, &action] {
    action = [arguments] { return runPlan(*arguments); };
  });
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith plan`: how to spread a model's training over a cluster.

#include "Command.h"
#include "Interrupt.h"
#include "LaunchScript.h"
#include "Planner.h"
#include "ProgramPlan.h"
#include "ProgramReport.h"
#include "ResourceWatch.h"
#include "Session.h"
#include "Stages.h"

#include "shardsmith/PlanFiles/PlanReport.h"
#include "shardsmith/ValueLayouts/Annotate/AnnotateGraph.h"
#include "shardsmith/ValueLayouts/Annotate/AnnotatedText.h"
#include "shardsmith/ValueLayouts/File/PlanFile.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>

namespace shardsmith {
namespace {

struct PlanArguments {
  PlanningRequest request;
  TrainOptions train;
  std::string output;
  std::string dumpFolder;
  bool json = false;
};

/// Options in force, one per line, as a command line would give them.
std::string optionsText(const PlanningRequest &request) {
  std::string text;
  for (const PlanOption &option : toOptions(request))
    text += fmt::format("--{} {}  # {}\n", option.name, option.value,
                        option.given ? "given" : "default");
  return text;
}

/// A plan for a program: with its train step, layouts of all values included.
ExitCode planForPrograms(Session &session, const PlanArguments &arguments,
                         const std::shared_ptr<const Cluster> &cluster) {
  ProgramPlan planned =
      planProgram(session, arguments.request, arguments.train, cluster);
  // A signal that comes from here on finds a plan, which is written.
  InterruptFlag untilWritten;
  mlir::OwningOpRef<mlir::ModuleOp> annotated =
      annotate(session, *planned.step, planned.plan);
  lowerProgram(session, *partition(session, *annotated), planned.plan);
  const std::string &output = arguments.output;
  if (!output.empty()) {
    writeOutput(inFolder(output, folder::kTrainStep), toText(*planned.step));
    writeOutput(inFolder(output, folder::kAnnotated), toText(*annotated));
    writeOutput(inFolder(output, folder::kPlan), planned.fileText());
    writeOutput(inFolder(output, folder::kOptions),
                optionsText(arguments.request));
    writeExecutable(inFolder(output, folder::kRunScript),
                    programScript(planned.plan.getMesh().getDeviceCount()));
  }
  std::string text = describeProgram(planned.plan);
  if (planned.document)
    text = describePlan(*planned.document) + "\n" + text;
  writeOutput("-", arguments.json ? planned.fileText() : text);
  if (!output.empty())
    fmt::print(stderr, "wrote {0}; 'shardsmith compile {0}' builds it\n",
               output);
  bool stopped = planned.document && planned.document->search.stopped;
  return exitCodeAfterSearch(stopped, arguments.request);
}

/// A plan stands without its annotated graph.
void noteMissing(llvm::Error error) {
  std::string reason;
  takeError(std::move(error), reason);
  fmt::print(stderr, "no {}: {}\n", folder::kAnnotated, reason);
}

/// Annotates the model in place.
void writeFolder(const std::string &output, const PlanningInputs &inputs,
                 const PlanningRequest &request, LoadedModel &model,
                 const PlanDocument &document) {
  writeOutput(inFolder(output, folder::kPlan), toJson(document));
  writeOutput(inFolder(output, folder::kCluster), inputs.cluster().toJson());
  writeOutput(inFolder(output, folder::kOptions), optionsText(request));
  writeExecutable(inFolder(output, folder::kRunScript),
                  launchScript(document, inputs.cluster()));
  // Those of an earlier plan in this folder do not belong to this one.
  for (const char *stale : {folder::kAnnotated, folder::kTrainStep}) {
    std::error_code ignored;
    std::filesystem::remove(inFolder(output, stale), ignored);
  }
  if (!model.module)
    return;
  if (llvm::Error error = annotateGraph(*model.module, model.map,
                                        inputs.workload(), document.strategy))
    return noteMissing(std::move(error));
  writeOutput(inFolder(output, folder::kAnnotated),
              annotatedText(*model.module, model.repeated, model.map,
                            document.strategy));
}

ExitCode runPlan(const PlanArguments &arguments) {
  auto start = std::chrono::steady_clock::now();
  PlanningRequest request = arguments.request;
  // Before anything is loaded: what cannot be right is refused at once.
  SearchConstraints constraints = constraintsOf(request);
  requireWritableFolder(arguments.output);
  requireWritableFolder(arguments.dumpFolder);
  ResourceWatch watch(request);
  Session session(arguments.dumpFolder);
  auto cluster = std::make_shared<const Cluster>(clusterOf(request));
  if (isBuildable(request, *cluster)) {
    std::string obstacle =
        programObstacle(constraints, int64_t(cluster->usableDevices().size()));
    if (obstacle.empty())
      return planForPrograms(session, arguments, cluster);
    fmt::print(stderr, "note: 'compile' builds no program of this plan: {}\n",
               obstacle);
  }

  LoadedModel model;
  // A dump shows every layer.
  auto inputs = loadInputs(session, request, cluster, model,
                           arguments.dumpFolder.empty() ? Layers::Repeated
                                                        : Layers::Written);
  requireNoShardings(model, request.model.path);
  // A signal ends the search, not the writing of what it has found.
  InterruptFlag untilWritten;
  SearchResult result = runSearch(*inputs, constraints, request);
  if (result.plans.empty())
    failWithoutPlan(result, *cluster);
  PlanDocument document = toDocument(*inputs, request, result);
  if (!arguments.output.empty())
    writeFolder(arguments.output, *inputs, request, model, document);
  writeOutput("-", arguments.json ? toJson(document) : describePlan(document));
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  fmt::print(stderr, "planned in {:.2f} s\n", elapsed.count());
  if (!arguments.output.empty())
    fmt::print(stderr,
               "wrote {0}; 'shardsmith explain {0}' says why it is as it is\n",
               arguments.output);
  return exitCodeAfterSearch(result.stoppedEarly, request);
}

} // namespace

void addPlanCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "plan", "Find the fastest way to train a model on a cluster");
  auto arguments = std::make_shared<PlanArguments>();
  PlanningRequest &request = arguments->request;
  addModelOptions(*command, request.model);
  addTargetOptions(*command, request);
  addSearchOptions(*command, request);
  addTrainOptions(*command, arguments->train);
  command->add_option("-o,--output", arguments->output,
                      "Folder for plan.json, the annotated graph, the options "
                      "in force and a run script");
  command->add_option("--dump-dir", arguments->dumpFolder,
                      "Folder for the IR after every stage");
  command->add_flag("--json", arguments->json, "Print the plan as JSON");
  command->callback([command, arguments, &action] {
    arguments->request.optimizer = arguments->train.optimizer.name;
    noteGiven(*command, arguments->request);
    action = [arguments] { return runPlan(*arguments); };
  });
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith plan`: how to spread a model's training over a cluster.

#include "Command.h"
#include "Options.h"

#include "shardsmith/Driver/BuildFolder.h"
#include "shardsmith/Driver/Interrupt.h"
#include "shardsmith/Driver/LaunchScript.h"
#include "shardsmith/Driver/Planner.h"
#include "shardsmith/Driver/ProgramPlan.h"
#include "shardsmith/Driver/ProgramReport.h"
#include "shardsmith/Driver/ResourceWatch.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/Stages.h"
#include "shardsmith/Driver/UnlessStopped.h"
#include "shardsmith/PlanFiles/PlanReport.h"
#include "shardsmith/ValueLayouts/Annotate/AnnotateGraph.h"
#include "shardsmith/ValueLayouts/Annotate/AnnotatedText.h"
#include "shardsmith/ValueLayouts/File/PlanFile.h"

#include <CLI/CLI.hpp>
#include <chrono>
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

/// A plan stands without its annotated graph.
void noteMissing(std::string_view reason) {
  fmt::print(stderr, "no {}: {}\n", folder::kAnnotated, reason);
}

/// What an annotated graph is made of.
struct PlannedModel {
  std::shared_ptr<Session> session;
  LoadedModel model;
};

/// Whether the command has been told to stop, now that there is a plan.
bool isInterrupted() { return InterruptFlag::wasSet(); }

/// What a plan for a program becomes, and the plan with the program's figures.
struct LoweredPlan {
  std::string annotated;
  Plan plan;
};

/// Nothing if the command is told to stop meanwhile.
std::optional<LoweredPlan>
lowerUnlessStopped(const std::shared_ptr<Session> &session,
                   const std::shared_ptr<const ProgramPlan> &planned) {
  return unlessStopped(
      [session, planned] {
        mlir::OwningOpRef<mlir::ModuleOp> annotated =
            annotate(*session, *planned->step, planned->plan);
        LoweredPlan lowered{toText(*annotated), planned->plan};
        lowerProgram(*session, *partition(*session, *annotated), lowered.plan);
        return lowered;
      },
      isInterrupted);
}

/// A plan for a program: with its train step, layouts of all values included.
ExitCode planForPrograms(const std::shared_ptr<Session> &session,
                         const PlanArguments &arguments,
                         const std::shared_ptr<const Cluster> &cluster) {
  auto planned = std::make_shared<const ProgramPlan>(
      planProgram(*session, arguments.request, arguments.train, cluster));
  // A signal that comes from here on finds a plan, which is written.
  InterruptFlag untilWritten;
  std::string step = toText(*planned->step);
  std::optional<LoweredPlan> lowered = lowerUnlessStopped(session, planned);
  const Plan &plan = lowered ? lowered->plan : planned->plan;
  const std::string &output = arguments.output;
  if (!output.empty()) {
    BuildFolder build(output);
    writeOutput(build.pathOf(folder::kTrainStep), step);
    if (lowered)
      writeOutput(build.pathOf(folder::kAnnotated), lowered->annotated);
    else
      build.remove(folder::kAnnotated);
    writeOutput(build.pathOf(folder::kPlan), planned->fileText(plan));
    writeOutput(build.pathOf(folder::kOptions), optionsText(arguments.request));
    writeExecutable(build.pathOf(folder::kRunScript),
                    programScript(plan.getMesh().getDeviceCount()));
    // The one of an earlier plan in this folder does not belong to this one.
    build.remove(folder::kCluster);
    build.publish();
  }
  std::string text = describeProgram(plan);
  if (planned->document)
    text = describePlan(*planned->document) + "\n" + text;
  writeOutput("-", arguments.json ? planned->fileText(plan) : text);
  if (!lowered)
    noteMissing("interrupted; the plan's memory and traffic are estimates");
  if (!output.empty())
    fmt::print(stderr, "wrote {0}; 'shardsmith compile {0}' builds it\n",
               output);
  bool stopped = planned->document && planned->document->search.stopped;
  return lowered ? exitCodeAfterSearch(stopped, arguments.request)
                 : ExitCode::TimeLimit;
}

/// Nothing if there is none, or if the command is told to stop meanwhile.
std::optional<std::string>
annotatedGraph(const std::shared_ptr<PlannedModel> &planned,
               const Strategy &strategy) {
  LoadedModel &model = planned->model;
  if (!model.module)
    return std::nullopt;
  std::optional<std::string> text = unlessStopped(
      [planned, strategy]() -> std::string {
        LoadedModel &model = planned->model;
        if (llvm::Error error = annotateGraph(*model.module, model.map,
                                              *model.workload, strategy)) {
          std::string reason;
          takeError(std::move(error), reason);
          noteMissing(reason);
          return "";
        }
        return annotatedText(*model.module, model.repeated, model.map,
                             strategy);
      },
      isInterrupted);
  if (!text)
    noteMissing("interrupted");
  return text && !text->empty() ? text : std::nullopt;
}

/// All files of a plan, in place of those of an earlier one.
void writeFolder(const std::string &output, const PlanningInputs &inputs,
                 const PlanningRequest &request,
                 const std::shared_ptr<PlannedModel> &model,
                 const PlanDocument &document) {
  std::optional<std::string> annotated =
      annotatedGraph(model, document.strategy);
  BuildFolder build(output);
  writeOutput(build.pathOf(folder::kPlan), toJson(document));
  writeOutput(build.pathOf(folder::kCluster), inputs.cluster().toJson());
  writeOutput(build.pathOf(folder::kOptions), optionsText(request));
  writeExecutable(build.pathOf(folder::kRunScript),
                  launchScript(document, inputs.cluster()));
  // Files of an earlier plan in this folder do not belong to this one.
  build.remove(folder::kTrainStep);
  if (annotated)
    writeOutput(build.pathOf(folder::kAnnotated), *annotated);
  else
    build.remove(folder::kAnnotated);
  build.publish();
}

ExitCode runPlan(const PlanArguments &arguments) {
  auto start = std::chrono::steady_clock::now();
  PlanningRequest request = arguments.request;
  // Before anything is loaded: what cannot be right is refused at once.
  SearchConstraints constraints = constraintsOf(request);
  requireWritableFolder(arguments.output);
  requireWritableFolder(arguments.dumpFolder);
  ResourceWatch watch(request);
  auto session = std::make_shared<Session>(arguments.dumpFolder);
  auto cluster = std::make_shared<const Cluster>(clusterOf(request));
  if (isBuildable(request, *cluster)) {
    std::string obstacle =
        programObstacle(constraints, int64_t(cluster->usableDevices().size()));
    if (obstacle.empty())
      return planForPrograms(session, arguments, cluster);
    fmt::print(stderr, "note: 'compile' builds no program of this plan: {}\n",
               obstacle);
  }

  auto planned = std::make_shared<PlannedModel>();
  planned->session = session;
  LoadedModel &model = planned->model;
  // A dump shows every layer.
  auto inputs = loadInputs(*session, request, cluster, model,
                           arguments.dumpFolder.empty() ? Layers::Repeated
                                                        : Layers::Written);
  requireNoShardings(model, request.model.path);
  // A signal ends the search, not the writing of what it has found.
  InterruptFlag untilWritten;
  SearchResult result = runSearch(inputs, constraints, request);
  if (result.plans.empty())
    failWithoutPlan(result, *cluster);
  ResourceWatch::foundPlan();
  PlanDocument document = toDocument(*inputs, request, result);
  if (!arguments.output.empty())
    writeFolder(arguments.output, *inputs, request, planned, document);
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

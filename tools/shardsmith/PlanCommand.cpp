// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith plan`: how to spread a model's training over a cluster.

#include "Command.h"
#include "Options.h"

#include "shardsmith/Driver/EmissionFolder.h"
#include "shardsmith/Driver/EmitInputs.h"
#include "shardsmith/Driver/Interrupt.h"
#include "shardsmith/Driver/PlanFolder.h"
#include "shardsmith/Driver/Planner.h"
#include "shardsmith/Driver/ProgramReport.h"
#include "shardsmith/Driver/ResourceWatch.h"
#include "shardsmith/Driver/RuntimeComparison.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/ShardyGraph.h"
#include "shardsmith/Driver/Stages.h"
#include "shardsmith/PlanFiles/PlanReport.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <sstream>

namespace shardsmith {
namespace {

struct PlanArguments {
  PlanningRequest request;
  std::string output;
  std::string dumpFolder;
  /// Another runtime, several, or `all`.
  std::string runtime;
  bool json = false;
};

/// The layouts of all values of the train step, with the shardings that the
/// model states, and the strategy that they follow from if there is one. For
/// processors a program can be built of it.
ExitCode planLayouts(const std::shared_ptr<Session> &session,
                     const PlanArguments &arguments,
                     const std::shared_ptr<const Cluster> &cluster) {
  bool isBuildable = cluster->hasOnlyProcessors();
  auto planned = std::make_shared<const ProgramPlan>(
      planProgram(*session, arguments.request, cluster));
  // A signal that comes from here on finds a plan, which is written.
  std::optional<InterruptFlag> untilWritten(std::in_place);
  std::string step = toText(*planned->step);
  std::optional<LoweredPlan> lowered =
      lowerUnlessStopped(session, planned, isBuildable);
  bool hasProgram = isBuildable && !(lowered && !lowered->obstacle.empty());
  if (isBuildable && !hasProgram)
    session->note(fmt::format(
        "'compile' builds no program of this plan: {}; the plan's memory and "
        "traffic are estimates",
        lowered->obstacle));
  const StepPlan &plan = lowered ? lowered->plan : planned->plan();
  const std::string &output = arguments.output;
  if (!output.empty())
    writePlanFolder(output, step, *planned, lowered,
                    isBuildable ? nullptr : cluster.get());
  std::string text = describeProgram(plan);
  if (planned->document.hasStrategy())
    text = describePlan(planned->document) + "\n" + text;
  untilWritten.reset();
  writeOutput("-", arguments.json ? planned->fileText(plan) : text);
  if (!lowered)
    noteNoAnnotatedGraph(fmt::format(
        "{}; the plan's memory and traffic are estimates", whyHurried()));
  if (std::string problem = memoryShortfall(planned->document, plan);
      !problem.empty())
    session->note(problem);
  if (!output.empty())
    fmt::print(stderr, "wrote {}{}\n", output,
               hasProgram
                   ? fmt::format("; 'shardsmith compile {}' builds it", output)
                   : "");
  bool stopped = planned->document.search.stopped;
  return lowered ? exitCodeAfterSearch(stopped, arguments.request)
                 : ExitCode::TimeLimit;
}

/// All runtimes that are named; nothing where one is planned for alone.
std::vector<RuntimeDescription> runtimesToCompare(const std::string &names) {
  std::vector<std::string> list;
  if (names == "all") {
    list = builtinRuntimeNames();
  } else if (names.find(',') != std::string::npos) {
    std::istringstream stream(names);
    for (std::string name; std::getline(stream, name, ',');)
      list.push_back(name);
  }
  std::vector<RuntimeDescription> runtimes;
  for (const std::string &name : list)
    runtimes.push_back(requireRuntime(name));
  return runtimes;
}

/// Takes the runtime's stack profile where the user gave none; before anything
/// is loaded, so that what makes no sense is refused at once.
void prepareForOthers(const PlanArguments &arguments,
                      PlanningRequest &request) {
  if (request.objective != "time")
    fail(ExitCode::Usage, "--for ranks plans by time; leave --objective out");
  if (!runtimesToCompare(arguments.runtime).empty()) {
    if (!arguments.output.empty())
      fail(ExitCode::Usage, fmt::format("--for {} prints a table; name one "
                                        "runtime for --output",
                                        arguments.runtime));
    return;
  }
  RuntimeDescription runtime = requireRuntime(arguments.runtime);
  if (request.profile.empty())
    request.profile = runtime.profile;
}

/// A plan that another runtime can run, with its files.
ExitCode planForOthers(const PlanArguments &arguments,
                       const std::shared_ptr<SessionModel> &planned,
                       const std::shared_ptr<const PlanningInputs> &inputs,
                       const PlanningRequest &request) {
  emit::ModelNames names = namesOf(planned->model);
  if (auto compared = runtimesToCompare(arguments.runtime); !compared.empty()) {
    RuntimeComparison comparison =
        compareRuntimes(inputs, names, compared, request);
    writeOutput("-", arguments.json ? toJson(comparison)
                                    : describeComparison(comparison));
    return exitCodeAfterSearch(comparison.stoppedEarly, request);
  }
  RuntimeDescription runtime = requireRuntime(arguments.runtime);
  std::optional<InterruptFlag> untilWritten(std::in_place);
  RuntimePlan found = planForRuntime(inputs, names, runtime, request);
  if (found.result.plans.empty())
    fail(found.obstacle.empty() ? ExitCode::TimeLimit : found.obstacleCode,
         fmt::format("--for {}: {}", runtime.name,
                     found.obstacle.empty() ? "stopped before there was a plan"
                                            : found.obstacle));
  PlanDocument document = toDocument(*inputs, found.request, found.result);
  if (!arguments.output.empty()) {
    writePlanFolder(arguments.output, *inputs, found.request, planned,
                    document);
    // The graph would split what the shardings leave whole.
    if (found.emission.changes.empty())
      addShardyGraph(*planned->session, arguments.output, *runtime.target,
                     found.emission);
    writeEmission(arguments.output, *runtime.target, found.emission);
  }
  untilWritten.reset();
  writeOutput("-", arguments.json ? toJson(document) : describePlan(document));
  std::ranges::copy(found.emission.changes, std::back_inserter(found.changes));
  for (const emit::Change &change : found.changes)
    fmt::print(stderr, "note: {} takes {} {}\n", runtime.name, change.decision,
               change.there);
  return exitCodeAfterSearch(found.result.stoppedEarly, request);
}

ExitCode runPlan(const PlanArguments &arguments) {
  auto start = std::chrono::steady_clock::now();
  PlanningRequest request = arguments.request;
  // Before anything is loaded: what cannot be right is refused at once.
  SearchConstraints constraints = constraintsOf(request);
  requireWritableFolder(arguments.output);
  requireWritableFolder(arguments.dumpFolder);
  bool isForOthers = !arguments.runtime.empty();
  if (isForOthers)
    prepareForOthers(arguments, request);
  ResourceWatch watch(request);
  auto session = std::make_shared<Session>(arguments.dumpFolder);
  auto cluster = std::make_shared<const Cluster>(clusterOf(request));
  if (!isForOthers && isBuildable(request, *cluster)) {
    std::string obstacle = programObstacle(constraints);
    if (obstacle.empty())
      return planLayouts(session, arguments, cluster);
    fmt::print(stderr, "note: 'compile' builds no program of this plan: {}\n",
               obstacle);
  }

  auto planned = std::make_shared<SessionModel>();
  planned->session = session;
  LoadedModel &model = planned->model;
  // A dump shows every layer.
  auto inputs = loadInputs(*session, request, cluster, model,
                           arguments.dumpFolder.empty() ? Layers::Repeated
                                                        : Layers::Written);
  if (isForOthers) {
    requireNoShardings(model, request.model.path);
    return planForOthers(arguments, planned, inputs, request);
  }
  if (statesShardings(model))
    return planLayouts(session, arguments, cluster);
  // A signal ends the search, not the writing of what it has found. Whoever
  // reads what is printed may take no more of it, so that one then ends all.
  std::optional<InterruptFlag> untilWritten(std::in_place);
  double share =
      arguments.output.empty() ? 1 : ResourceWatch::shareBesideWriting();
  SearchResult result = runSearch(inputs, constraints, request, share);
  if (result.plans.empty())
    failWithoutPlan(result, *cluster);
  ResourceWatch::foundPlan();
  PlanDocument document = toDocument(*inputs, request, result);
  bool isWhole =
      arguments.output.empty() ||
      writePlanFolder(arguments.output, *inputs, request, planned, document);
  untilWritten.reset();
  writeOutput("-", arguments.json ? toJson(document) : describePlan(document));
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  fmt::print(stderr, "planned in {:.2f} s\n", elapsed.count());
  if (!arguments.output.empty())
    fmt::print(stderr,
               "wrote {0}; 'shardsmith explain {0}' says why it is as it is\n",
               arguments.output);
  return isWhole ? exitCodeAfterSearch(result.stoppedEarly, request)
                 : ExitCode::TimeLimit;
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
  addTrainOptions(*command, request.train);
  command->add_option("--for", arguments->runtime,
                      "The best plan that another runtime can run, and with "
                      "--output its files: megatron, torchtitan, jax, …, a "
                      "file; several with commas between them, or all, for "
                      "one row of each and the feature that it lacks most");
  command->add_option("-o,--output", arguments->output,
                      "Folder for plan.json, the annotated graph, the options "
                      "in force and a run script");
  command->add_option("--dump-dir", arguments->dumpFolder,
                      "Folder for the IR after every stage");
  command->add_flag("--json", arguments->json,
                    "Print the plan, or the table of runtimes, as JSON");
  command->callback([command, arguments, &action] {
    noteGiven(*command, arguments->request);
    action = [arguments] { return runPlan(*arguments); };
  });
}

} // namespace shardsmith

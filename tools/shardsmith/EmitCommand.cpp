// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith emit`: a plan as the files that another runtime reads.

#include "Command.h"
#include "Options.h"

#include "shardsmith/Driver/BuildFolder.h"
#include "shardsmith/Driver/EmissionFolder.h"
#include "shardsmith/Driver/EmitInputs.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/ShardyGraph.h"
#include "shardsmith/Driver/Stages.h"
#include "shardsmith/Emit/Launch.h"
#include "shardsmith/PlanFiles/PlanReport.h"
#include "shardsmith/Support/ClosestWord.h"
#include "shardsmith/Support/Json.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace shardsmith {
namespace {

struct EmitArguments {
  PlanSources sources;
  std::string target, output;
  /// Empty for none. Without a target it starts the program of the folder.
  std::string launcher;
  bool adapt = false, json = false;
};

const emit::Target &requireTarget(const std::string &name) {
  if (const emit::Target *target = emit::targetNamed(name))
    return *target;
  std::vector<std::string> names = emit::targetNames();
  std::string closest = closestWord(name, names);
  fail(ExitCode::Usage,
       fmt::format("--to {}: no such runtime; {}expected one of {}", name,
                   closest.empty() ? "" : "did you mean " + closest + "? ",
                   fmt::join(names, ", ")));
}

const emit::Launcher *requireLauncher(const std::string &name) {
  if (name.empty())
    return nullptr;
  if (const emit::Launcher *launcher = emit::launcherNamed(name))
    return launcher;
  std::vector<std::string> names;
  for (const emit::Launcher &each : emit::launchers())
    names.emplace_back(each.name);
  std::string closest = closestWord(name, names);
  fail(ExitCode::Usage,
       fmt::format("--launch {}: no such launcher; {}expected one of {}", name,
                   closest.empty() ? "" : "did you mean " + closest + "? ",
                   fmt::join(names, ", ")));
}

/// Adds the files that start the ranks, or what is in the way of that.
void addLaunch(const emit::Launcher &launcher, const emit::Target *target,
               const std::string &program, const emit::EmitInput &input,
               const Cluster &cluster, emit::Emission &emission) {
  emit::LaunchRequest request =
      emit::launchRequestOf(input.strategy(), cluster, emission.obstacles);
  request.target = target;
  request.program = program;
  emit::Emission launch = emit::emitLaunch(launcher, request, input);
  std::ranges::move(launch.files, std::back_inserter(emission.files));
  std::ranges::move(launch.obstacles, std::back_inserter(emission.obstacles));
}

/// Takes a plan over to the layouts of the runtime, with the figures that it
/// then has. Throws Failure if it no longer fits.
void adapt(const emit::Adaptation &adaptation, const PlanningInputs &inputs,
           const emit::Target &target, PlanDocument &document) {
  document.strategy = adaptation.strategy;
  std::string problem = document.strategy.verify(inputs.workload());
  if (!problem.empty())
    fail(ExitCode::Internal, "the adapted plan is none: " + problem);
  document.layouts = nameLayouts(inputs.workload(), document.strategy);
  document.estimate = estimateStep(inputs.context(), document.strategy);
  const StepEstimate &estimate = document.estimate;
  const StageEstimate &fullest = estimate.ranks[estimate.fullestRank];
  if (!estimate.fits())
    fail(ExitCode::NothingFits,
         fmt::format("as {} lays it out the plan needs {} of {} on a rank; "
                     "plan with a larger --margin",
                     target.runtime, describeBytes(fullest.memory.total()),
                     describeBytes(fullest.memoryLimit)));
}

void noteAdapted(const emit::Adaptation &adaptation, Nanoseconds before,
                 Nanoseconds after) {
  for (const emit::Change &change : adaptation.changes)
    fmt::print(stderr, "adapted: {}: now {}\n", change.decision, change.there);
  fmt::print(stderr, "adapted: step {} instead of {}\n", describeTime(after),
             describeTime(before));
}

/// The decisions in the way, each with the nearest plan that can be said.
std::string describe(const emit::Target &target, const std::string &plan,
                     const std::vector<emit::Obstacle> &obstacles) {
  std::string text =
      fmt::format("{}: {} cannot run this plan", plan, target.runtime);
  for (const emit::Obstacle &obstacle : obstacles) {
    text += fmt::format("\n  it cannot say {}", obstacle.decision);
    if (!obstacle.nearest.empty())
      text += fmt::format("; nearest: {}", obstacle.nearest);
  }
  return text;
}

std::vector<std::string> namesOf(const emit::Emission &emission) {
  std::vector<std::string> names;
  for (const emit::EmittedFile &file : emission.files)
    names.push_back(file.name);
  for (const emit::StreamedFile &file : emission.streamed)
    names.push_back(file.name);
  return names;
}

/// One line per file; of a file per rank the first and how many there are.
void noteWritten(const std::string &output, const emit::Emission &emission) {
  for (const emit::EmittedFile &file : emission.files)
    fmt::print(stderr, "wrote {}/{}\n", output, file.name);
  if (emission.streamed.empty())
    return;
  size_t others = emission.streamed.size() - 1;
  fmt::print(stderr, "wrote {}/{}{}\n", output, emission.streamed.front().name,
             others == 0 ? "" : fmt::format(" and {} like it", others));
}

std::string toJson(const emit::Target &target,
                   const emit::Adaptation &adaptation,
                   const emit::Emission &emission,
                   const PlanDocument &document) {
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const std::string &name : namesOf(emission))
    files.push_back(name);
  nlohmann::ordered_json obstacles = nlohmann::ordered_json::array();
  for (const emit::Obstacle &obstacle : emission.obstacles)
    obstacles.push_back(
        {{"decision", obstacle.decision}, {"nearest", obstacle.nearest}});
  nlohmann::ordered_json changes = nlohmann::ordered_json::array();
  for (const emit::Change &change : adaptation.changes)
    changes.push_back({{"decision", change.decision}, {"there", change.there}});
  const StepEstimate &estimate = document.estimate;
  const StageEstimate &fullest = estimate.ranks[estimate.fullestRank];
  return jsonText(
             nlohmann::ordered_json{
                 {"target", target.name},
                 {"strategy", document.strategy.str()},
                 {"step_ns", estimate.step().count()},
                 {"memory_bytes", fullest.memory.total().count()},
                 {"adapted", changes},
                 {"obstacles", obstacles},
                 {"files", emission.obstacles.empty()
                               ? files
                               : nlohmann::ordered_json::array()}},
             2) +
         "\n";
}

/// Files that start the program beside the plan.
ExitCode runLaunchOfProgram(const EmitArguments &arguments) {
  if (arguments.launcher.empty())
    fail(ExitCode::Usage, "give a runtime with --to, or --launch alone for a "
                          "program that 'compile' has made");
  if (arguments.adapt || arguments.json)
    fail(ExitCode::Usage, "--adapt and --json are for --to");
  const emit::Launcher &launcher = *requireLauncher(arguments.launcher);
  std::string program = inFolder(arguments.sources.plan, folder::kProgram);
  if (!std::filesystem::exists(program))
    fail(ExitCode::BadInput,
         fmt::format("{}: no such file; 'shardsmith compile {}' makes it, and "
                     "--to writes the plan for another runtime",
                     program, arguments.sources.plan));
  Session session;
  ReopenedPlan plan(session, arguments.sources);
  emit::Emission emission;
  addLaunch(launcher, nullptr, std::filesystem::absolute(program),
            emitInput(plan.document, *plan.inputs), plan.inputs->cluster(),
            emission);
  if (!emission.obstacles.empty()) {
    std::string text =
        fmt::format("{}: no launch of this plan", arguments.sources.plan);
    for (const emit::Obstacle &obstacle : emission.obstacles)
      text += fmt::format("\n  it cannot say {}; nearest: {}",
                          obstacle.decision, obstacle.nearest);
    fail(ExitCode::Unsupported, text);
  }
  const emit::Target files{
      .name = launcher.name, .runtime = launcher.name, .writes = launcher.file};
  writeEmission(arguments.output, files, emission);
  noteWritten(arguments.output, emission);
  return ExitCode::Success;
}

ExitCode runEmit(const EmitArguments &arguments) {
  if (arguments.target.empty())
    return runLaunchOfProgram(arguments);
  const emit::Target &target = requireTarget(arguments.target);
  const emit::Launcher *launcher = requireLauncher(arguments.launcher);
  Session session;
  ReopenedPlan plan(session, arguments.sources);
  emit::ModelNames names = namesOf(plan.model);
  emit::Adaptation adaptation =
      emit::adaptTo(target, emitInput(plan.document, *plan.inputs, names));
  Nanoseconds planned = plan.document.estimate.step();
  if (arguments.adapt && !adaptation.changes.empty())
    adapt(adaptation, *plan.inputs, target, plan.document);
  emit::Emission emission =
      emit::emitPlan(target, emitInput(plan.document, *plan.inputs, names));
  std::ranges::copy(emission.changes, std::back_inserter(adaptation.changes));
  if (!arguments.adapt)
    for (const emit::Change &change : adaptation.changes)
      emission.obstacles.push_back(
          {change.decision,
           fmt::format("{}, which --adapt writes", change.there)});
  if (launcher)
    addLaunch(*launcher, &target, "",
              emitInput(plan.document, *plan.inputs, names),
              plan.inputs->cluster(), emission);
  bool isRefused = !emission.obstacles.empty();
  // The graph beside the plan has the plan's own layouts.
  if (!isRefused && adaptation.changes.empty())
    addShardyGraph(session, arguments.sources.plan, target, emission);
  if (!isRefused)
    writeEmission(arguments.output, target, emission);
  if (!arguments.adapt)
    adaptation.changes.clear(); // They are among the obstacles.
  if (arguments.json)
    writeOutput("-", toJson(target, adaptation, emission, plan.document));
  if (isRefused)
    fail(ExitCode::Unsupported,
         describe(target, arguments.sources.plan, emission.obstacles));
  if (arguments.adapt && !adaptation.changes.empty())
    noteAdapted(adaptation, planned, plan.document.estimate.step());
  noteWritten(arguments.output, emission);
  return ExitCode::Success;
}

std::string targetList() {
  std::string text = "Runtimes and what is written:\n";
  for (const emit::Target &target : emit::targets())
    text += fmt::format("  {:<16} {}\n", target.name, target.writes);
  return text + "A decision that the runtime cannot take is named, with the "
                "nearest plan that\nit can, and nothing is written (exit code "
                "5).";
}

} // namespace

void addEmitCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "emit", "Write a plan as the files that another runtime reads");
  auto arguments = std::make_shared<EmitArguments>();
  addPlanSources(*command, arguments->sources);
  command->add_option("--to", arguments->target, "The runtime, see below");
  command->add_option("-o,--output", arguments->output, "Folder for the files")
      ->required();
  command->add_option("--launch", arguments->launcher,
                      "What starts the ranks: torchrun, slurm, kubernetes, "
                      "ray, spark or mpirun; without --to they are those of "
                      "the folder's program");
  command->add_flag("--adapt", arguments->adapt,
                    "Take layouts that the runtime chooses by itself as it "
                    "chooses them, and price the plan anew");
  command->add_flag("--json", arguments->json, "Print the result as JSON");
  command->footer(targetList());
  command->callback([arguments, &action] {
    action = [arguments] { return runEmit(*arguments); };
  });
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith inspect`: what is in a model, a plan or a cluster.

#include "Command.h"
#include "Options.h"

#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Driver/CompileKernels.h"
#include "shardsmith/Driver/CompileProgram.h"
#include "shardsmith/Driver/InspectKernels.h"
#include "shardsmith/Driver/PlanningInputs.h"
#include "shardsmith/Driver/ProgramReport.h"
#include "shardsmith/Driver/ResourceWatch.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/Stages.h"
#include "shardsmith/PlanFiles/PlanReport.h"
#include "shardsmith/Sharding/Layout.h"
#include "shardsmith/Support/Json.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

using namespace mlir;

namespace shardsmith {
namespace {

/// Arguments of one role, added up.
struct RoleTotal {
  int64_t count = 0;
  int64_t elements = 0;
  Bytes bytes;
};

struct ModelSummary {
  std::string name;
  std::string hash;
  bool isTrainStep = false;
  std::map<std::string, RoleTotal> roles;
  std::map<std::string, int64_t> ops;
  int64_t opCount = 0;
};

ModelSummary summarize(ModuleOp module) {
  ModelSummary summary;
  summary.name = module.getName().value_or("model").str();
  if (auto hash = module->getAttrOfType<StringAttr>("smith.model_hash"))
    summary.hash = hash.str();
  summary.isTrainStep = isTrainStep(module);
  func::FuncOp function = mainOf(module);
  for (BlockArgument argument : function.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    auto role = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      "smith.role");
    RoleTotal &total = summary.roles[role ? role.str() : "unknown"];
    int64_t width = ceilDivide(type.getElementTypeBitWidth(), 8);
    ++total.count;
    total.elements += type.getNumElements();
    total.bytes += getTensorBytes(type.getShape(), width);
  }
  for (Operation &op : function.getBody().getOps()) {
    ++summary.ops[op.getName().getStringRef().str()];
    ++summary.opCount;
  }
  return summary;
}

nlohmann::ordered_json toJson(const ModelSummary &summary) {
  nlohmann::ordered_json roles, ops;
  for (const auto &[role, total] : summary.roles)
    roles[role] = {{"arguments", total.count},
                   {"elements", total.elements},
                   {"bytes", total.bytes.count()}};
  for (const auto &[op, count] : summary.ops)
    ops[op] = count;
  return {{"name", summary.name},
          {"hash", summary.hash},
          {"kind", summary.isTrainStep ? "train step" : "forward graph"},
          {"roles", roles},
          {"op_count", summary.opCount},
          {"ops", ops}};
}

void print(const ModelSummary &summary) {
  fmt::print("{} ({}, {} ops, hash {})\n", summary.name,
             summary.isTrainStep ? "train step" : "forward graph",
             summary.opCount, summary.hash);
  for (const auto &[role, total] : summary.roles)
    fmt::print("  {:<9} {:>5} arguments, {:>13} elements, {}\n", role,
               total.count, total.elements, describeBytes(total.bytes));
  std::vector<std::pair<int64_t, std::string>> byCount;
  for (const auto &[op, count] : summary.ops)
    byCount.emplace_back(-count, op);
  std::sort(byCount.begin(), byCount.end());
  for (const auto &[count, op] : byCount)
    fmt::print("  {:>5} {}\n", -count, op);
}

namespace fs = std::filesystem;

struct JsonFile {
  std::string path;
  std::string text;
  nlohmann::ordered_json value;

  bool has(const char *key) const {
    return value.is_object() && value.contains(key);
  }
};

/// The JSON file that a path means, if it means one.
std::optional<JsonFile> openJson(const std::string &path) {
  std::error_code ignored;
  fs::path place = planFileAt(path);
  if (place.extension() != ".json" || !fs::exists(place, ignored))
    return std::nullopt;
  JsonFile file{place.string(), requireText(place), {}};
  std::string error;
  std::optional<nlohmann::ordered_json> value =
      parseOrderedJson(file.text, error);
  if (!value)
    fail(ExitCode::BadInput, file.path + ": " + error);
  file.value = std::move(*value);
  return file;
}

enum class Subject { Model, Plan, Cluster };

/// JSON files say by their keys what they hold.
Subject subjectOf(const JsonFile &file) {
  if (file.has("device_types"))
    return Subject::Cluster;
  return file.has("model_type") ? Subject::Model : Subject::Plan;
}

/// What a name, or a path of no JSON file, stands for.
Subject subjectOf(const std::string &path) {
  std::error_code ignored;
  if (isModelDescription(path) || fs::exists(path, ignored))
    return Subject::Model;
  // What was measured of this machine may be unreadable, which is then said.
  bool isLocal = path.starts_with("cpu:");
  return isLocal || findCluster(path).cluster ? Subject::Cluster
                                              : Subject::Model;
}

void inspectPlan(const JsonFile &file, bool json) {
  std::string error;
  std::optional<PlanDocument> document =
      planDocumentFromParsed(file.value, error);
  if (!document)
    fail(ExitCode::BadInput, file.path + ": " + error);
  if (json) {
    writeOutput("-", toJson(*document));
    return;
  }
  std::string text;
  if (document->hasStrategy())
    text = describePlan(*document) + "\n" + describeLayouts(document->layouts);
  if (document->program)
    text += (text.empty() ? "" : "\n") + describeProgram(*document->program);
  writeOutput("-", text);
}

void inspectCluster(const std::string &path, bool json) {
  Cluster cluster = requireCluster(path);
  if (json) {
    writeOutput("-", cluster.toJson());
    return;
  }
  fmt::print("{}: {} devices, {} figures, hash {}\n", cluster.name,
             cluster.usableDevices().size(), toString(cluster.provenance),
             cluster.hash());
  for (const auto &[name, type] : cluster.deviceTypes) {
    fmt::print("  device {}: {}, {} usable", name, describeBytes(type.memory),
               describeBytes(type.memory - type.reserved));
    for (const auto &[element, rate] : type.flopsPerSecond)
      fmt::print(", {} {:.4g} TFLOP/s", element, rate * 1e-12);
    fmt::print("\n");
  }
  for (const auto &[name, type] : cluster.linkTypes)
    fmt::print("  link {}: {}, {:.4g} GB/s, {:.3g} us\n", name, type.kind,
               type.bytesPerSecond * 1e-9, type.latencySeconds * 1e6);
  for (const Group &group : cluster.groups)
    fmt::print("  group {}: {} x {} nodes of {} devices\n", group.name,
               group.count, group.node.count, group.node.deviceCount());
}

/// The chain of blocks that the planner sees.
void inspectWorkload(const ModelOptions &options, bool json) {
  Session session;
  LoadedModel model = loadModelOf(session, options);
  const workload::Workload &workload = *model.workload;
  if (json) {
    writeOutput("-", workload::toJson(workload));
    return;
  }
  fmt::print("{}: {} parameters, {:.4g} TFLOP forward per sequence of {}, {}\n",
             workload.modelName, describeCount(workload.parameterCount()),
             double(workload.forwardFlops().count()) * 1e-12,
             workload.sequenceLength, workload::nameOf(workload.computeType));
  if (!workload.microBatchObstacle.empty())
    fmt::print("  no micro-batches: {}\n", workload.microBatchObstacle);
  if (!workload.positionObstacle.empty())
    fmt::print("  positions in order: {}\n", workload.positionObstacle);
  for (const workload::Segment &segment : workload.segments) {
    const workload::Block &block = workload.blocks[segment.block];
    fmt::print("  {} x {}: {} ops, {} tensors, {} parameters\n", segment.count,
               block.name, block.ops.size(), block.tensors.size(),
               block.parameters.size());
    for (const workload::Op &op : block.ops)
      fmt::print("    {:<12} {}\n", workload::wordFor(op), op.name);
  }
}

/// The plan of a folder, for what is asked with `option`.
ProgramPlan openPlan(Session &session, const ModelOptions &options,
                     const char *option, const CompileTarget &target) {
  if (!isPlanFolder(options.path))
    fail(ExitCode::Usage,
         fmt::format("{}: {} is no folder of a plan; write one with "
                     "'shardsmith plan MODEL -o DIR'",
                     option, options.path));
  CompileRequest request;
  request.planning.model = options;
  return findProgramPlan(session, request, target.traits());
}

/// What ranks exchange in a step, by the program of a plan's folder.
ExitCode inspectCollectives(const ModelOptions &options,
                            const std::string &targetName, bool json) {
  CompileTarget target = parseCompileTarget(targetName);
  Session session;
  ProgramPlan planned = openPlan(session, options, "--collectives", target);
  lower::CollectiveSchedule schedule =
      findCollectiveSchedule(session, planned, target);
  writeOutput("-", json ? schedule.toJson() : schedule.describe());
  return schedule.findProblem().empty() ? ExitCode::Success
                                        : ExitCode::Mismatch;
}

/// What the kernels of a plan's folder move and need on one chip.
ExitCode inspectKernelsOf(const ModelOptions &options,
                          const std::string &targetName, bool json) {
  CompileTarget target = parseCompileTarget(targetName);
  if (target.chips.size() != 1)
    fail(ExitCode::Usage, "--kernels: name one chip, as --target cuda:sm_90a");
  Session session;
  ProgramPlan planned = openPlan(session, options, "--kernels", target);
  const std::string &chip = target.chips.front();
  std::vector<KernelReport> kernels = inspectKernels(session, planned, chip);
  writeOutput("-", json ? kernelsToJson(kernels, chip)
                        : describeKernels(kernels, chip));
  return ExitCode::Success;
}

struct InspectArguments {
  ModelOptions model;
  bool workload = false;
  bool collectives = false;
  bool kernels = false;
  std::string target = "cpu";
  bool json = false;
  /// GiB.
  double maxMemory = 1;
};

ExitCode runInspect(const InspectArguments &arguments) {
  const std::string &path = arguments.model.path;
  ResourceWatch watch(std::nullopt, memoryOf(arguments.maxMemory));
  if (arguments.collectives)
    return inspectCollectives(arguments.model, arguments.target,
                              arguments.json);
  if (arguments.kernels)
    return inspectKernelsOf(arguments.model, arguments.target, arguments.json);
  if (arguments.workload || isWorkloadFile(path)) {
    inspectWorkload(arguments.model, arguments.json);
    return ExitCode::Success;
  }
  std::optional<JsonFile> file = openJson(path);
  switch (file ? subjectOf(*file) : subjectOf(path)) {
  case Subject::Plan:
    inspectPlan(*file, arguments.json);
    break;
  case Subject::Cluster:
    inspectCluster(path, arguments.json);
    break;
  case Subject::Model:
    Session session;
    ModelSummary summary = summarize(*importForward(session, arguments.model));
    if (arguments.json)
      fmt::print("{}\n", jsonText(toJson(summary), 2));
    else
      print(summary);
    break;
  }
  return ExitCode::Success;
}

} // namespace

void addInspectCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "inspect", "Show what is in a model, a plan or a cluster");
  auto arguments = std::make_shared<InspectArguments>();
  addModelOptions(*command, arguments->model);
  command->get_option("model")->description(
      "A model, a plan.json or its folder, or a cluster");
  command->add_flag("--workload", arguments->workload,
                    "Show the model as the planner sees it: blocks of ops over "
                    "factors");
  CLI::Option *collectives = command->add_flag(
      "--collectives", arguments->collectives,
      "Show what the ranks of a plan's folder exchange in a step, and whether "
      "all come to the same exchanges in the same order");
  CLI::Option *kernels = command->add_flag(
      "--kernels", arguments->kernels,
      "Show what the kernels of a plan's folder move through a GPU's memory "
      "and "
      "need of it: coalescing, active lanes, registers, occupancy");
  collectives->excludes(kernels);
  command
      ->add_option("--target", arguments->target,
                   "For --collectives and --kernels, what the program is "
                   "lowered for: cpu or cuda:CHIP")
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Print it as JSON");
  addMemoryOption(*command, arguments->maxMemory);
  command->callback([command, arguments, &action] {
    if (command->count("--target") > 0 && !arguments->collectives &&
        !arguments->kernels)
      throw CLI::RequiresError("--target", "--collectives or --kernels");
    action = [arguments] { return runInspect(*arguments); };
  });
}

} // namespace shardsmith

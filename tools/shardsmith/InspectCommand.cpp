// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith inspect`: what is in a model file or a build folder.

#include "Command.h"
#include "Options.h"
#include "ProgramReport.h"
#include "Session.h"
#include "Stages.h"

#include "shardsmith/Plan/PlanFile.h"
#include "shardsmith/Plan/PlanReport.h"
#include "shardsmith/Sharding/Layout.h"

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

ExitCode runInspect(const ModelOptions &options, bool json) {
  namespace fs = std::filesystem;
  if (fs::is_directory(options.path)) {
    llvm::Expected<Plan> plan = readPlan(inFolder(options.path, folder::kPlan));
    std::string message;
    if (!plan)
      fail(takePlanError(plan.takeError(), message), message);
    writeOutput("-", json ? planToJson(*plan) : describeProgram(*plan));
    return ExitCode::Success;
  }
  Session session;
  ModelSummary summary = summarize(*importForward(session, options));
  if (json)
    fmt::print("{}\n", toJson(summary).dump(2));
  else
    print(summary);
  return ExitCode::Success;
}

} // namespace

void addInspectCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "inspect", "Show what is in a model file or a build folder");
  auto options = std::make_shared<ModelOptions>();
  auto json = std::make_shared<bool>(false);
  addModelOptions(*command, *options);
  command->get_option("model")->description(
      "Model file, or a folder that 'plan' or 'compile' has written");
  command->add_flag("--json", *json, "Print it as JSON");
  command->callback([options, json, &action] {
    action = [options, json] { return runInspect(*options, *json); };
  });
}

} // namespace shardsmith

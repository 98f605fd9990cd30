// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith fit`: whether training a model fits a cluster, how near, and the
// smallest change that makes it fit.

#include "Command.h"
#include "Options.h"

#include "shardsmith/Driver/Planner.h"
#include "shardsmith/Driver/ResourceWatch.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/PlanFiles/PlanReport.h"
#include "shardsmith/Support/Json.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace shardsmith {
namespace {

using Json = nlohmann::ordered_json;

Json memoryJson(const StepEstimate &estimate) {
  const StageEstimate &rank = estimate.ranks.at(estimate.fullestRank);
  Json parts = Json::object();
  for (const MemoryPart &part : partsOf(rank.memory))
    parts[part.name] = part.bytes.count();
  return {{"memory_bytes", rank.memory.total().count()},
          {"memory_limit_bytes", rank.memoryLimit.count()},
          {"memory", parts}};
}

Json fittingJson(const PlanDocument &document) {
  Json json = {{"fits", true}, {"strategy", document.strategy.str()}};
  json.update(memoryJson(document.estimate));
  return json;
}

Json missingJson(const Infeasibility &infeasibility) {
  Json json = {{"fits", false}, {"strategy", infeasibility.nearest->str()}};
  json.update(memoryJson(*infeasibility.estimate));
  json["missing_bytes"] = infeasibility.missing.count();
  Json changes = Json::array();
  for (const TriedChange &change : infeasibility.tried)
    changes.push_back({{"change", change.change}, {"fits", change.fits}});
  json["changes"] = changes;
  return json;
}

ExitCode runFit(PlanningRequest request, bool json) {
  SearchConstraints constraints = constraintsOf(request);
  request.top = 1;
  ResourceWatch watch(request);
  Session session;
  LoadedModel model;
  auto inputs = loadInputs(session, request, model);
  requireNoShardings(model, request.model.path);
  SearchResult result = runSearch(inputs, constraints, request);
  if (!result.plans.empty()) {
    ResourceWatch::foundPlan();
    PlanDocument document = toDocument(*inputs, request, result);
    if (json)
      fmt::print("{}\n", jsonText(fittingJson(document), 2));
    else
      fmt::print("{} fits {}; the fastest plan is {} = {}, {} per step\n\n{}",
                 document.model.identity.name, document.cluster.name,
                 document.strategy.str(), describeDegrees(document.strategy),
                 describeTime(document.estimate.step()),
                 describeMemory(document.estimate));
    return ExitCode::Success;
  }
  if (!result.infeasibility || !result.infeasibility->estimate)
    failWithoutPlan(result, inputs->cluster());
  if (json)
    fmt::print("{}\n", jsonText(missingJson(*result.infeasibility), 2));
  else
    fmt::print("{}\n{}",
               describeInfeasibility(*result.infeasibility, inputs->cluster()),
               describeMemory(*result.infeasibility->estimate));
  return ExitCode::NothingFits;
}

} // namespace

void addFitCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "fit", "Say whether training a model fits a cluster, and what is short");
  auto request = std::make_shared<PlanningRequest>();
  auto json = std::make_shared<bool>(false);
  addModelOptions(*command, request->model);
  addTargetOptions(*command, *request);
  addSearchOptions(*command, *request);
  addOptimizerOption(*command, *request);
  command->add_flag("--json", *json, "Print the answer as JSON");
  command->footer("Exit code 4 if nothing fits.");
  command->callback([command, request, json, &action] {
    noteGiven(*command, *request);
    action = [request, json] { return runFit(*request, *json); };
  });
}

} // namespace shardsmith

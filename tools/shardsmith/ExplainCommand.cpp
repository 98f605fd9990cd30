// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith explain`: why a plan is as it is, and why it is not otherwise.
// The question of the plan file is asked again, once as it was and once with
// what the user wants to know about.

#include "Command.h"
#include "Options.h"

#include "shardsmith/Driver/Planner.h"
#include "shardsmith/Driver/ReopenedPlan.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/PlanFiles/PlanReport.h"
#include "shardsmith/Support/Json.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace shardsmith {
namespace {

struct ExplainArguments {
  PlanSources sources;
  std::string whyNot;
  bool json = false;
};

std::string describeWhy(const PlanDocument &document) {
  std::string text = describePlan(document);
  if (document.alternatives.empty())
    return text + "\n" + describeLayouts(document.layouts);
  const PlanAlternative &next = document.alternatives.front();
  text += fmt::format("\nagainst the runner-up, {}:\n", next.strategy.str());
  text +=
      describeDifference(document.estimate, "plan", next.estimate, "runner-up");
  return text + "\n" + describeLayouts(document.layouts);
}

/// The best plan with `pin` on top of what was given.
SearchResult searchWith(const ReopenedPlan &plan, const std::string &pin) {
  PlanningRequest request = plan.request;
  request.top = 1;
  SearchConstraints constraints = constraintsOf(request);
  if (std::optional<std::string> problem = constraints.fix(pin))
    fail(ExitCode::Usage, "--why-not: " + *problem);
  return runSearch(plan.inputs, constraints, request);
}

ExitCode explainWhyNot(const ReopenedPlan &plan,
                       const ExplainArguments &arguments) {
  SearchResult result = searchWith(plan, arguments.whyNot);
  if (result.plans.empty() && !result.infeasibility)
    failWithoutPlan(result, plan.inputs->cluster());
  bool fits = !result.plans.empty();
  std::string text;
  nlohmann::ordered_json json = {{"pin", arguments.whyNot}, {"fits", fits}};
  if (fits) {
    const RankedPlan &other = result.plans.front();
    double slower = double(other.estimate.step().count()) /
                        double(plan.document.estimate.step().count()) -
                    1;
    text = fmt::format("with {} the best is {}: {}, {:+.1f} %\n",
                       arguments.whyNot, other.strategy.str(),
                       describeTime(other.estimate.step()), slower * 100);
    text += whyNot(plan.document.estimate, other.estimate) + "\n\n" +
            describeDifference(plan.document.estimate, "plan", other.estimate,
                               arguments.whyNot);
    json["strategy"] = other.strategy.str();
    json["step_ns"] = other.estimate.step().count();
    json["slower"] = slower;
    json["reason"] = whyNot(plan.document.estimate, other.estimate);
  } else {
    text = fmt::format("with {} ", arguments.whyNot) +
           describeInfeasibility(*result.infeasibility, plan.inputs->cluster());
    if (result.infeasibility->estimate)
      text += "\n" + describeDifference(plan.document.estimate, "plan",
                                        *result.infeasibility->estimate,
                                        arguments.whyNot);
    json["missing_bytes"] = result.infeasibility->missing.count();
    json["reason"] =
        describeInfeasibility(*result.infeasibility, plan.inputs->cluster());
  }
  writeOutput("-", arguments.json ? jsonText(json, 2) + "\n" : text);
  return ExitCode::Success;
}

ExitCode runExplain(const ExplainArguments &arguments) {
  Session session;
  ReopenedPlan plan(session, arguments.sources);
  if (!arguments.whyNot.empty())
    return explainWhyNot(plan, arguments);
  StepEstimate now =
      estimateStep(plan.inputs->context(), plan.document.strategy);
  if (now != plan.document.estimate) {
    fmt::print(stderr, "note: figures are computed anew; they differ from "
                       "those in the file\n");
    plan.document.estimate = now;
  }
  writeOutput("-", arguments.json ? toJson(plan.document)
                                  : describeWhy(plan.document));
  return ExitCode::Success;
}

} // namespace

void addExplainCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "explain", "Say why a plan is as it is, and why not otherwise");
  auto arguments = std::make_shared<ExplainArguments>();
  addPlanSources(*command, arguments->sources);
  command->add_option("--why-not", arguments->whyNot,
                      "What to compare with, as for 'plan --fix': tp=8, "
                      "pp=1,zero=3, …");
  command->add_flag("--json", arguments->json, "Print the answer as JSON");
  command->callback([arguments, &action] {
    action = [arguments] { return runExplain(*arguments); };
  });
}

} // namespace shardsmith

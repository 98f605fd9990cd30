// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith report`: plans as one HTML page.

#include "Command.h"

#include "shardsmith/Driver/Planner.h"
#include "shardsmith/Driver/PlayedSchedule.h"
#include "shardsmith/Driver/ReopenedPlan.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/HtmlReport/HtmlReport.h"
#include "shardsmith/PlanFiles/PlanReport.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace shardsmith {
namespace {

struct ReportArguments {
  std::vector<std::string> plans;
  PlanSources sources;
  std::vector<std::string> whyNot;
  bool sensitivity = false;
  double timeLimit = 10;
  std::string output = "report.html";
};

/// What the page needs of a plan for as long as it is written.
struct OpenedPlan {
  std::unique_ptr<ReopenedPlan> plan;
  std::optional<PlayedSchedule> played;
  std::vector<SensitivityAnswer> answers;
};

/// Half and twice of each degree, and the other choices.
std::vector<std::string> questionsAbout(const Strategy &strategy) {
  std::vector<std::string> pins;
  auto neighbours = [&](const char *name, int64_t value) {
    if (value > 1)
      pins.push_back(fmt::format("{}={}", name, value / 2));
    pins.push_back(fmt::format("{}={}", name, value * 2));
  };
  neighbours("tp", strategy.tensor);
  neighbours("pp", strategy.pipeline);
  neighbours("mbs", strategy.microBatch);
  for (int stage = 0; stage <= 3; ++stage)
    if (stage != strategy.zeroStage)
      pins.push_back(fmt::format("zero={}", stage));
  for (const char *how : {"none", "selective", "full"})
    if (describeRecompute(strategy) != how)
      pins.push_back(fmt::format("recompute={}", how));
  return pins;
}

/// Nothing if the question contradicts what the plan was asked for.
std::optional<SensitivityAnswer> ask(const ReopenedPlan &plan,
                                     const std::string &pin, double timeLimit) {
  PlanningRequest request = plan.request;
  request.top = 1;
  request.timeLimit = timeLimit;
  SearchConstraints constraints = constraintsOf(request);
  if (constraints.fix(pin))
    return std::nullopt;
  SensitivityAnswer answer;
  answer.pin = pin;
  SearchResult result = runSearch(plan.inputs, constraints, request);
  answer.stopped = result.stoppedEarly;
  if (!result.plans.empty()) {
    const RankedPlan &best = result.plans.front();
    answer.step = best.estimate.step();
    answer.strategy = best.strategy.str();
    answer.reason = whyNot(plan.document.estimate, best.estimate);
  } else if (result.infeasibility) {
    answer.reason =
        describeInfeasibility(*result.infeasibility, plan.inputs->cluster());
  } else {
    answer.reason = "there is no such plan";
  }
  return answer;
}

OpenedPlan open(Session &session, const ReportArguments &arguments,
                const std::string &path) {
  OpenedPlan opened;
  PlanSources sources = arguments.sources;
  sources.plan = path;
  opened.plan = std::make_unique<ReopenedPlan>(session, sources);
  ReopenedPlan &plan = *opened.plan;
  plan.document.estimate =
      estimateStep(plan.inputs->context(), plan.document.strategy);
  // A page without a timeline is better than none.
  try {
    opened.played = playPlanned(plan);
  } catch (const Failure &failure) {
    fmt::print(stderr, "note: {}: no timeline: {}\n", path, failure.message);
  }
  for (const std::string &pin : arguments.whyNot) {
    SearchConstraints constraints = constraintsOf(plan.request);
    if (std::optional<std::string> problem = constraints.fix(pin))
      fail(ExitCode::Usage, "--why-not: " + *problem);
    opened.answers.push_back(*ask(plan, pin, arguments.timeLimit));
  }
  if (arguments.sensitivity)
    for (const std::string &pin : questionsAbout(plan.document.strategy))
      if (std::optional<SensitivityAnswer> answer =
              ask(plan, pin, arguments.timeLimit))
        opened.answers.push_back(std::move(*answer));
  return opened;
}

ExitCode runReport(const ReportArguments &arguments) {
  requireWritable(arguments.output);
  Session session;
  std::vector<OpenedPlan> opened;
  for (const std::string &path : arguments.plans)
    opened.push_back(open(session, arguments, path));
  std::vector<ReportedPlan> plans;
  for (size_t i = 0; i < opened.size(); ++i)
    plans.push_back({.name = arguments.plans[i],
                     .document = opened[i].plan->document,
                     .topology = opened[i].plan->inputs->topology(),
                     .simulation = opened[i].played
                                       ? &opened[i].played->played.simulation
                                       : nullptr,
                     .sensitivity = opened[i].answers});
  writeOutput(arguments.output, htmlReport(plans));
  if (arguments.output != "-")
    fmt::print(stderr, "wrote {}\n", arguments.output);
  return ExitCode::Success;
}

} // namespace

void addReportCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "report", "Draw plans as one HTML page, without scripts or other files");
  auto arguments = std::make_shared<ReportArguments>();
  command
      ->add_option("plans", arguments->plans,
                   "plan.json files, or their folders; several are put side "
                   "by side")
      ->required();
  command->add_option("--why-not", arguments->whyNot,
                      "What else to ask about, as for 'explain': tp=8; more "
                      "than once");
  command->add_flag("--sensitivity", arguments->sensitivity,
                    "Ask about half and twice of every degree, and about all "
                    "other choices: a search for each");
  command
      ->add_option("--time-limit", arguments->timeLimit,
                   "Seconds for each of these searches")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--model", arguments->sources.model,
                      "The model, if it is not where the plans say");
  command->add_option("--cluster", arguments->sources.cluster,
                      "The cluster file, if it is not where the plans say");
  command->add_option("--profile", arguments->sources.profile,
                      "The profile, if it is not where the plans say");
  command
      ->add_option("-o,--output", arguments->output,
                   "File for the page, - for standard output")
      ->capture_default_str();
  command->callback([arguments, &action] {
    action = [arguments] { return runReport(*arguments); };
  });
}

} // namespace shardsmith

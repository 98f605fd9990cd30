// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith check`: derives everything a plan says of itself again. The file
// goes to the checker as it is; only the question it answers is read here, to
// load the inputs.

#include "Command.h"
#include "Options.h"

#include "mlir/Parser/Parser.h"

#include "shardsmith/Check/AnnotatedGraph.h"
#include "shardsmith/Driver/FolderCheck.h"
#include "shardsmith/Driver/ReopenedPlan.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/Stages.h"
#include "shardsmith/PlanFiles/PlanReport.h"
#include "shardsmith/Support/Json.h"
#include "shardsmith/Support/StagedFolder.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace shardsmith {
namespace {

struct CheckArguments {
  PlanSources sources;
  bool json = false;
};

/// The options of the question; the plan may be wrong everywhere else.
std::vector<PlanOption> optionsOf(const std::string &text,
                                  const std::string &file) {
  std::string error;
  std::optional<nlohmann::json> plan = parseJson(text, error);
  if (!plan)
    fail(ExitCode::BadInput, file + ": plan: " + error);
  std::vector<PlanOption> options;
  try {
    for (const auto &option : plan->at("options"))
      options.push_back({option.at("name"), option.at("value"), false});
  } catch (const nlohmann::json::exception &) {
    fail(ExitCode::BadInput,
         file + ": plan/options: expected a list of options, each "
                "with name and value");
  }
  return options;
}

std::string toJson(const check::CheckReport &report) {
  using Json = nlohmann::ordered_json;
  Json findings = Json::array(), ranks = Json::array();
  for (const check::Finding &finding : report.findings)
    findings.push_back({{"item", finding.item},
                        {"claimed", finding.claimed},
                        {"recomputed", finding.recomputed},
                        {"reason", finding.reason}});
  for (const auto &uses : report.collectives) {
    Json &rank = ranks.emplace_back(Json::array());
    for (const check::CollectiveUse &use : uses)
      rank.push_back({{"axis", use.axis},
                      {"operation", use.operation},
                      {"members", use.members},
                      {"count", use.count},
                      {"bytes", use.bytes.count()}});
  }
  Json json = {{"accepted", report.accepts()},
               {"compared", report.compared},
               {"claimed_step_ns", report.claimedStep.count()},
               {"recomputed_step_ns", report.recomputedStep.count()},
               {"findings", findings},
               {"not_looked_at", report.notLookedAt},
               {"collectives_of_rank", ranks}};
  return jsonText(json, 2) + "\n";
}

std::string describe(const check::CheckReport &report) {
  if (report.accepts())
    return fmt::format("accepted: {} figures computed again, a step takes {}\n",
                       report.compared, describeTime(report.recomputedStep));
  std::string text;
  for (const check::Finding &finding : report.findings)
    text += finding.str() + "\n";
  return text + fmt::format("refused: {} findings\n", report.findings.size());
}

/// The last line.
std::string describeRest(const check::CheckReport &report) {
  return fmt::format("not looked at: {}\n",
                     fmt::join(report.notLookedAt, ", "));
}

/// What the annotated graph beside the plan says; nothing where there is none.
std::optional<check::GraphDecisions> readGraph(Session &session,
                                               const std::string &planFile,
                                               const LoadedModel &model) {
  std::filesystem::path folder = std::filesystem::path(planFile).parent_path();
  std::filesystem::path path = folder / folder::kAnnotated;
  // Beside a train step it is that which is annotated.
  bool isLossGraph = std::filesystem::exists(path) &&
                     !std::filesystem::exists(folder / folder::kTrainStep);
  if (!isLossGraph || !model.module)
    return std::nullopt;
  auto annotated =
      mlir::parseSourceFile<mlir::ModuleOp>(path.string(), &session.context());
  if (!annotated)
    throw Stop{ExitCode::BadInput};
  return check::readAnnotatedGraph(*annotated, *model.module, model.map,
                                   *model.workload);
}

/// What decides how a plan is checked: which parts it has.
struct PlanParts {
  bool strategy = false;
  /// Programs are made of every layer's ops.
  bool program = false;
  /// Of the graph that it was made for.
  std::string modelHash;
};

PlanParts partsOf(const std::string &text) {
  std::string error;
  std::optional<nlohmann::json> plan = parseJson(text, error);
  if (!plan || !plan->is_object())
    return {.strategy = true, .program = false, .modelHash = ""};
  std::string hash;
  if (plan->contains("model") && plan->at("model").is_object())
    if (auto found = plan->at("model").find("hash");
        found != plan->at("model").end() && found->is_string())
      hash = *found;
  return {plan->contains("strategy") || !plan->contains("layouts"),
          plan->contains("layouts") && plan->at("layouts").is_object() &&
              plan->at("layouts").contains("train_step"),
          hash};
}

ExitCode checkProgramAlone(Session &session, const std::string &file,
                           const std::string &text, bool json) {
  check::CheckReport report;
  checkProgramFiles(session, file, text, report);
  std::string description;
  if (report.accepts())
    description =
        fmt::format("accepted: {} figures computed again\n", report.compared);
  else
    description = describe(report);
  writeOutput("-", json ? toJson(report) : description + describeRest(report));
  return report.accepts() ? ExitCode::Success : ExitCode::Mismatch;
}

ExitCode runCheck(const CheckArguments &arguments) {
  Session session;
  std::string file = planFileAt(arguments.sources.plan);
  finishStaged(std::filesystem::path(file).parent_path().string());
  std::string text = requireText(file);
  PlanParts parts = partsOf(text);
  if (!parts.strategy)
    return checkProgramAlone(session, file, text, arguments.json);
  std::vector<PlanOption> options = optionsOf(text, file);
  PlanningRequest request = requestOf(options, arguments.sources);
  request.model.plannedHash = parts.modelHash;
  LoadedModel model;
  std::shared_ptr<const PlanningInputs> inputs =
      loadInputs(session, request, model,
                 parts.program ? Layers::Inlined : Layers::Written);
  std::optional<check::GraphDecisions> graph = readGraph(session, file, model);
  std::string error;
  std::optional<check::CheckReport> report =
      check::checkPlan(text,
                       {inputs->workload(), inputs->cluster(),
                        inputs->profile(), graph ? &*graph : nullptr},
                       error);
  if (!report)
    fail(ExitCode::BadInput, file + ": " + error);
  checkProgramFiles(session, file, text, *report);
  checkOtherFiles(file, options, inputs->cluster(), *report);
  std::string description = describe(*report);
  if (graph && report->accepts())
    description += fmt::format("{} annotations of {} agree with the plan\n",
                               graph->compared, folder::kAnnotated);
  description += describeRest(*report);
  writeOutput("-", arguments.json ? toJson(*report) : description);
  return report->accepts() ? ExitCode::Success : ExitCode::Mismatch;
}

} // namespace

void addCheckCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "check", "Derive again all that a plan says of itself");
  auto arguments = std::make_shared<CheckArguments>();
  addPlanSources(*command, arguments->sources);
  command->add_flag("--json", arguments->json,
                    "Print findings and collectives as JSON");
  command->footer("Exit code 7 if the plan is refused.");
  command->callback([arguments, &action] {
    action = [arguments] { return runCheck(*arguments); };
  });
}

} // namespace shardsmith

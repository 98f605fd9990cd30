// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/RuntimeComparison.h"

#include "MissingFeature.h"

#include "shardsmith/Driver/Planner.h"
#include "shardsmith/Driver/ResourceWatch.h"
#include "shardsmith/PlanFiles/PlanReport.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace shardsmith {
namespace {

/// Without a plan of all there is nothing to compare with.
constexpr double shareOfBest = 0.5;

class Comparison {
public:
  Comparison(const std::shared_ptr<const PlanningInputs> &inputs,
             const emit::ModelNames &names, const PlanningRequest &request)
      : inputs(inputs), names(names), request(request) {}

  RuntimeComparison run(const std::vector<RuntimeDescription> &runtimes) {
    SearchResult all =
        runSearch(inputs, constraintsOf(request), request, shareOfBest);
    if (all.plans.empty())
      failWithoutPlan(all, inputs->cluster());
    ResourceWatch::foundPlan();
    comparison.stoppedEarly = all.stoppedEarly;
    // What is named first may be a simpler plan that is hardly slower.
    free = std::move(all.plans);
    std::ranges::iter_swap(
        free.begin(), std::ranges::min_element(free, {}, [](const auto &plan) {
          return plan.estimate.step();
        }));
    comparison.best = free.front();
    for (size_t i = 0; i < runtimes.size(); ++i)
      comparison.runtimes.push_back(
          compare(runtimes[i], 2 * (runtimes.size() - i)));
    return std::move(comparison);
  }

private:
  /// `parts`: into which the rest of the time is divided, one for what the
  /// runtime runs and one for what it lacks.
  ComparedRuntime compare(const RuntimeDescription &runtime, size_t parts) {
    RuntimeLeniency none;
    none.timeShare = 1 / double(parts);
    RuntimePlan own = planForRuntime(inputs, names, runtime, request, none);
    comparison.stoppedEarly |= own.result.stoppedEarly;
    ComparedRuntime row;
    row.name = runtime.name;
    if (!own.result.plans.empty())
      row.plan = own.result.plans.front();
    else if (own.obstacle.empty())
      row.obstacle = "stopped before there was a plan";
    else
      row.obstacle = own.obstacle.substr(0, own.obstacle.find('\n'));
    bool isForOtherModels =
        !emit::modelObstacle(*runtime.target, inputs->workload()).empty();
    if (isForOtherModels)
      return row;
    FeatureAnswer answer = findMissingFeature(
        {inputs, names, runtime, request, free, own, 1 / double(parts - 1)});
    row.isCutShort = answer.stoppedEarly;
    comparison.stoppedEarly |= row.isCutShort;
    row.missing = std::move(answer.most);
    return row;
  }

  const std::shared_ptr<const PlanningInputs> &inputs;
  const emit::ModelNames &names;
  const PlanningRequest &request;
  /// Plans without a runtime, the fastest first.
  std::vector<RankedPlan> free;
  RuntimeComparison comparison;
};

double slowerThan(const RankedPlan &best, const RankedPlan &plan) {
  return double(plan.estimate.step().count()) /
             double(best.estimate.step().count()) -
         1;
}

std::string percent(double share) {
  return fmt::format("{:+.1f} %", 100 * share);
}

Bytes fullestRank(const RankedPlan &plan) {
  return plan.estimate.ranks[plan.estimate.fullestRank].memory.total();
}

bool isBehind(const RuntimeComparison &comparison, const ComparedRuntime &row) {
  return !row.plan ||
         row.plan->estimate.step() > comparison.best.estimate.step();
}

std::string missingCell(const RuntimeComparison &comparison,
                        const ComparedRuntime &row) {
  if (!isBehind(comparison, row))
    return "-";
  if (!row.missing && row.isCutShort)
    return "not found in time";
  return row.missing ? fmt::format("{}: {}", row.missing->text(),
                                   percent(slowerThan(comparison.best,
                                                      row.missing->plan)))
                     : "nothing alone";
}

/// Why it is behind, and what it would run with the feature that it lacks.
std::string sentenceAbout(const RuntimeComparison &comparison,
                          const ComparedRuntime &row) {
  std::string text =
      row.plan
          ? fmt::format("{} is {}", row.name,
                        whyBehind(comparison.best.estimate, row.plan->estimate))
          : fmt::format("{} runs none: {}", row.name, row.obstacle);
  if (row.missing)
    text += fmt::format("; with {} it would run {}", row.missing->text(),
                        row.missing->plan.strategy.str());
  return text + "\n";
}

nlohmann::ordered_json jsonOf(const RuntimeComparison &comparison,
                              const RankedPlan &plan) {
  return {{"strategy", plan.strategy.str()},
          {"step_ns", plan.estimate.step().count()},
          {"slower", slowerThan(comparison.best, plan)},
          {"memory_bytes", fullestRank(plan).count()}};
}

nlohmann::ordered_json jsonOf(const RuntimeComparison &comparison,
                              const ComparedRuntime &row) {
  nlohmann::ordered_json json = {{"name", row.name}};
  if (row.plan)
    json["plan"] = jsonOf(comparison, *row.plan);
  else
    json["why_none"] = row.obstacle;
  json["stopped_early"] = row.isCutShort;
  if (!row.missing)
    return json;
  json["missing"] = {{"feature", row.missing->name},
                     {"value", row.missing->value},
                     {"fix", row.missing->fix},
                     {"forbid", row.missing->forbid},
                     {"plan", jsonOf(comparison, row.missing->plan)}};
  return json;
}

} // namespace

RuntimeComparison
compareRuntimes(const std::shared_ptr<const PlanningInputs> &inputs,
                const emit::ModelNames &names,
                const std::vector<RuntimeDescription> &runtimes,
                const PlanningRequest &request) {
  return Comparison(inputs, names, request).run(runtimes);
}

std::string describeComparison(const RuntimeComparison &comparison) {
  std::vector<std::vector<std::string>> rows = {
      {"runtime ", "plan ", "step", "", "memory per rank", "costs most "}};
  auto add = [&](const std::string &name, const RankedPlan &plan,
                 const std::string &missing) {
    rows.push_back({name, plan.strategy.str(),
                    describeTime(plan.estimate.step()),
                    percent(slowerThan(comparison.best, plan)),
                    describeBytes(fullestRank(plan)), missing});
  };
  add("any", comparison.best, "-");
  std::string sentences;
  for (const ComparedRuntime &row : comparison.runtimes) {
    std::string missing = missingCell(comparison, row);
    if (row.plan)
      add(row.name, *row.plan, missing);
    else
      rows.push_back({row.name, "-", "-", "-", "-", missing});
    if (isBehind(comparison, row))
      sentences += sentenceAbout(comparison, row);
  }
  return describeTable(rows) + "\n" + sentences;
}

std::string toJson(const RuntimeComparison &comparison) {
  nlohmann::ordered_json runtimes = nlohmann::ordered_json::array();
  for (const ComparedRuntime &row : comparison.runtimes)
    runtimes.push_back(jsonOf(comparison, row));
  nlohmann::ordered_json json = {{"any", jsonOf(comparison, comparison.best)},
                                 {"runtimes", std::move(runtimes)},
                                 {"stopped_early", comparison.stoppedEarly}};
  return json.dump(2) + "\n";
}

} // namespace shardsmith

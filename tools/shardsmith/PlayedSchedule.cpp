// SPDX-License-Identifier: Apache-2.0

#include "PlayedSchedule.h"

#include "shardsmith/Driver/Session.h"
#include "shardsmith/PlanFiles/PlanReport.h"
#include "shardsmith/Schedule/Families.h"
#include "shardsmith/Schedule/TableCheck.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace shardsmith {
namespace {

using namespace schedule;

PipelineProblem requireProblem(const ReopenedPlan &plan) {
  std::string error;
  std::optional<PipelineProblem> problem =
      pipelineProblem(plan.inputs->context(), plan.document.strategy, error);
  if (!problem)
    fail(ExitCode::BadInput, error);
  return std::move(*problem);
}

StrategySimulation requirePlayed(const ReopenedPlan &plan,
                                 const Schedule &schedule) {
  std::string error;
  std::optional<StrategySimulation> played = simulateStrategy(
      plan.inputs->context(), plan.document.strategy, schedule, error);
  if (!played)
    fail(ExitCode::BadInput, error);
  return std::move(*played);
}

/// Stages that differ in what they run on cannot change places.
bool areDevicesAlike(const Strategy &strategy) {
  return std::ranges::all_of(strategy.stages, [&](const Stage &stage) {
    return stage.pool == strategy.stages.front().pool;
  });
}

ExpectedPipeline expectedOf(const ReopenedPlan &plan,
                            const PipelineProblem &problem) {
  ExpectedPipeline expected;
  expected.ranks = problem.ranks;
  expected.stages = int64_t(problem.stages.size());
  expected.microBatches = problem.microBatches;
  expected.units = plan.inputs->workload().unitCount();
  if (!areDevicesAlike(plan.document.strategy))
    expected.rankOfStage = problem.rankOfStage;
  return expected;
}

/// How the families compare with what was found.
std::string describe(const FoundSchedule &found) {
  if (found.families.empty())
    return "schedule   searched; no family fits\n";
  const FamilyPeriod &best = found.families.front();
  if (best.period == found.period)
    return fmt::format("schedule   nothing found is faster than {}\n",
                       nameOf(best.family));
  std::string text = "schedule   searched; families take longer:";
  for (const FamilyPeriod &family : found.families)
    text += fmt::format(
        "{} {} {:+.2f} %", &family == &best ? "" : ",", nameOf(family.family),
        100 *
            (double(family.period.count()) / double(found.period.count()) - 1));
  return text + "\n";
}

} // namespace

PlayedSchedule playFamily(const ReopenedPlan &plan) {
  const Strategy &strategy = plan.document.strategy;
  PlayedSchedule result;
  result.source = nameOf(strategy.schedule);
  std::string error;
  std::optional<StrategySimulation> played =
      simulateStrategy(plan.inputs->context(), strategy, error);
  std::optional<Schedule> order;
  if (played)
    order = makeSchedule(
        strategy.schedule,
        {strategy.pipeline, strategy.virtualStages,
         strategy.microBatchCount(plan.inputs->workload().globalBatch)},
        error);
  if (!order)
    fail(ExitCode::BadInput, error);
  result.played = std::move(*played);
  result.schedule = std::move(*order);
  return result;
}

PlayedSchedule playTable(const ReopenedPlan &plan, const std::string &path) {
  std::string text = requireText(path);
  PipelineProblem problem = requireProblem(plan);
  std::string error;
  std::optional<ScheduleTable> table = readTable(text, error);
  if (table)
    error = checkTable(*table, expectedOf(plan, problem));
  if (!error.empty())
    fail(ExitCode::BadInput, path + ": " + error);
  PlayedSchedule result;
  result.source = path;
  result.played = requirePlayed(plan, table->schedule);
  if (table->schedule.rankOfStage() == problem.rankOfStage)
    result.room = problem.memoryLimits;
  result.schedule = std::move(table->schedule);
  return result;
}

PlayedSchedule playSearched(const ReopenedPlan &plan) {
  PipelineProblem problem = requireProblem(plan);
  std::string error;
  PlayedSchedule result;
  result.source = "searched";
  result.found = searchSchedule(problem, error);
  if (!result.found)
    fail(ExitCode::BadInput, error);
  result.schedule = result.found->schedule;
  result.played = requirePlayed(plan, result.schedule);
  result.room = problem.memoryLimits;
  return result;
}

std::string describe(const PlayedSchedule &schedule) {
  std::string text;
  if (schedule.found)
    text = describe(*schedule.found);
  for (size_t rank = 0; rank < schedule.room.size(); ++rank) {
    Bytes peak = schedule.played.simulation.ranks[rank].peakMemory;
    if (peak > schedule.room[rank])
      text += fmt::format("memory     rank {} holds {} of activations at its "
                          "peak; the plan leaves room for {}\n",
                          rank, describeBytes(peak),
                          describeBytes(schedule.room[rank]));
  }
  return text;
}

nlohmann::ordered_json toJson(const PlayedSchedule &schedule) {
  nlohmann::ordered_json json = {{"source", schedule.source}};
  if (!schedule.room.empty()) {
    bool fits = true;
    for (size_t rank = 0; rank < schedule.room.size(); ++rank)
      fits &= schedule.played.simulation.ranks[rank].peakMemory <=
              schedule.room[rank];
    json["fits"] = fits;
  }
  if (!schedule.found)
    return json;
  json["period_ns"] = schedule.found->period.count();
  json["lower_bound_ns"] = schedule.found->lowerBound.count();
  nlohmann::ordered_json families = nlohmann::ordered_json::array();
  for (const FamilyPeriod &family : schedule.found->families)
    families.push_back({{"family", nameOf(family.family)},
                        {"period_ns", family.period.count()}});
  json["families"] = families;
  return json;
}

} // namespace shardsmith

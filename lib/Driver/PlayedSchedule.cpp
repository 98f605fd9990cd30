// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/PlayedSchedule.h"

#include "shardsmith/Driver/Session.h"
#include "shardsmith/Schedule/Families.h"
#include "shardsmith/Schedule/TableCheck.h"
#include "shardsmith/ValueLayouts/File/PlanFile.h"

#include <algorithm>

namespace shardsmith {
namespace {

using namespace schedule;

PipelineProblem requireProblem(const PlanningInputs &inputs,
                               const Strategy &strategy) {
  std::string error;
  std::optional<PipelineProblem> problem =
      pipelineProblem(inputs.context(), strategy, error);
  if (!problem)
    fail(ExitCode::BadInput, error);
  return std::move(*problem);
}

StrategySimulation requirePlayed(const PlanningInputs &inputs,
                                 const Strategy &strategy,
                                 const Schedule &schedule) {
  std::string error;
  std::optional<StrategySimulation> played =
      simulateStrategy(inputs.context(), strategy, schedule, error);
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

ExpectedPipeline expectedOf(const PlanningInputs &inputs,
                            const Strategy &strategy,
                            const PipelineProblem &problem) {
  ExpectedPipeline expected;
  expected.ranks = problem.ranks;
  expected.stages = int64_t(problem.stages.size());
  expected.microBatches = problem.microBatches;
  expected.units = inputs.workload().unitCount();
  if (!areDevicesAlike(strategy))
    expected.rankOfStage = problem.rankOfStage;
  return expected;
}

/// Plays the table `text`; `source` is named where it is none for the strategy.
PlayedSchedule playText(const PlanningInputs &inputs, const Strategy &strategy,
                        const std::string &source, const std::string &text) {
  PipelineProblem problem = requireProblem(inputs, strategy);
  std::string error;
  std::optional<ScheduleTable> table = readTable(text, error);
  if (table)
    error = checkTable(*table, expectedOf(inputs, strategy, problem));
  if (!error.empty())
    fail(ExitCode::BadInput, source + ": " + error);
  PlayedSchedule result;
  result.source = source;
  result.played = requirePlayed(inputs, strategy, table->schedule);
  if (table->schedule.rankOfStage() == problem.rankOfStage)
    result.room = problem.memoryLimits;
  result.schedule = std::move(table->schedule);
  return result;
}

} // namespace

PlayedSchedule playFamily(const PlanningInputs &inputs,
                          const Strategy &strategy) {
  PlayedSchedule result;
  result.source = nameOf(strategy.schedule);
  std::string error;
  std::optional<StrategySimulation> played =
      simulateStrategy(inputs.context(), strategy, error);
  std::optional<Schedule> order;
  if (played)
    order =
        makeSchedule(strategy.schedule,
                     {strategy.pipeline, strategy.virtualStages,
                      strategy.microBatchCount(inputs.workload().globalBatch)},
                     error);
  if (!order)
    fail(ExitCode::BadInput, error);
  result.played = std::move(*played);
  result.schedule = std::move(*order);
  return result;
}

PlayedSchedule playTable(const PlanningInputs &inputs, const Strategy &strategy,
                         const std::string &path) {
  return playText(inputs, strategy, path, requireText(path));
}

PlayedSchedule playSearched(const PlanningInputs &inputs,
                            const Strategy &strategy) {
  PipelineProblem problem = requireProblem(inputs, strategy);
  std::string error;
  PlayedSchedule result;
  result.source = "searched";
  result.found = searchSchedule(problem, error);
  if (!result.found)
    fail(ExitCode::BadInput, error);
  result.schedule = result.found->schedule;
  result.played = requirePlayed(inputs, strategy, result.schedule);
  result.room = problem.memoryLimits;
  return result;
}

PlayedSchedule play(const PlanningInputs &inputs, const Strategy &strategy,
                    const GivenSchedule &given) {
  return given.isSearched ? playSearched(inputs, strategy)
                          : playTable(inputs, strategy, given.table);
}

PlayedSchedule playPlanned(const ReopenedPlan &plan) {
  PlayedSchedule family = playFamily(*plan.inputs, plan.document.strategy);
  if (plan.document.program.empty())
    return family;
  llvm::Expected<Plan> program = planFromJson(plan.document.program);
  if (!program)
    fail(program.takeError());
  if (program->schedule.empty() ||
      program->schedule == toTable(family.schedule))
    return family;
  return playText(*plan.inputs, plan.document.strategy, "program",
                  program->schedule);
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/PlayedSchedule.h"

#include "shardsmith/Driver/MeasuredProfile.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Schedule/Families.h"
#include "shardsmith/Schedule/TableCheck.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

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

/// The passes of a rank's list as programs run them, one after the other. A
/// stage may lack a half of its backward pass.
std::vector<Action> passesInOrder(const std::vector<Step> &steps,
                                  const PassTimes &measured) {
  std::vector<Action> passes;
  auto add = [&](ActionKind kind, const Action &action) {
    Action pass{kind, action.stage, action.microBatch};
    if (measured.contains(pass))
      passes.push_back(pass);
  };
  auto addPass = [&](const Action &action) {
    if (action.kind != ActionKind::Backward)
      return add(action.kind, action);
    add(ActionKind::BackwardInput, action);
    add(ActionKind::BackwardWeight, action);
  };
  for (const Step &step : steps) {
    addPass(step.action);
    if (step.partner)
      addPass(*step.partner);
  }
  return passes;
}

/// A program without stages does one micro-batch behind the other.
std::string whatDiffersInMicroBatches(int64_t microBatches,
                                      const MeasuredProfile &profile) {
  std::vector<Action> planned;
  for (int64_t i = 0; microBatches > 1 && i < microBatches; ++i)
    planned.push_back({ActionKind::Forward, 0, i});
  for (const std::vector<Action> &found : profile.passes)
    if (found != planned)
      return fmt::format("it is of {} micro-batches per step, the plan has {}",
                         std::max<size_t>(found.size(), 1), microBatches);
  return "";
}

/// Empty if ranks did what the schedule says, in its order.
std::string whatDiffers(const Schedule &schedule,
                        const MeasuredProfile &profile) {
  if (profile.passes.size() != schedule.ranks.size())
    return fmt::format("it is of {} pipeline ranks, the plan has {}",
                       profile.passes.size(), schedule.ranks.size());
  for (size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    const std::vector<Action> &found = profile.passes[rank];
    std::vector<Action> planned =
        passesInOrder(schedule.ranks[rank], profile.times);
    auto [at, instead] = std::ranges::mismatch(found, planned);
    auto nameOf = [](auto place, const std::vector<Action> &list) {
      return place == list.end() ? "nothing" : str(*place);
    };
    if (at != found.end() || instead != planned.end())
      return fmt::format("pass {} of pipeline rank {} is {}; the plan's "
                         "schedule has {}",
                         at - found.begin() + 1, rank, nameOf(at, found),
                         nameOf(instead, planned));
  }
  return "";
}

/// The profile in a file, of the program of this plan.
MeasuredProfile requireProfile(const ReopenedPlan &plan,
                               const Schedule &schedule,
                               const std::string &path) {
  if (!plan.document.program)
    fail(ExitCode::BadInput,
         "no program was built of this plan, so none was measured");
  const StepPlan &program = *plan.document.program;
  std::string error;
  std::optional<MeasuredProfile> profile =
      readProfile(requireText(path), error);
  bool hasPipeline = plan.document.strategy.pipeline > 1;
  if (profile && profile->hasStages != hasPipeline)
    error = hasPipeline ? "it is of a program without stages"
                        : "it is of a program with stages, and the plan has "
                          "no pipeline";
  if (profile && error.empty())
    error = hasPipeline
                ? whatDiffers(schedule, *profile)
                : whatDiffersInMicroBatches(schedule.microBatchCount, *profile);
  if (profile && error.empty() && profile->planHash != program.hash())
    error = fmt::format("it is of plan {}, this is {}; profile the program of "
                        "this plan",
                        profile->planHash, program.hash());
  if (!error.empty())
    fail(ExitCode::BadInput, fmt::format("{}: {}", path, error));
  return std::move(*profile);
}

/// `part` of `whole`, of the time `measured`.
Nanoseconds shareOf(Nanoseconds measured, Nanoseconds part, Nanoseconds whole) {
  if (whole.count() <= 0)
    return Nanoseconds();
  return Nanoseconds(int64_t(double(measured.count()) * double(part.count()) /
                             double(whole.count())));
}

/// Forward and backward pass of a program without stages, which are measured
/// together, and of a step in one piece the update as well: they share the
/// measured time as they do the estimated one.
void splitMicroBatches(const StageDurations &estimate,
                       MeasuredProfile &profile) {
  Nanoseconds forward = estimate.forward + estimate.forwardCommunication;
  Nanoseconds passes = forward + estimate.recompute + estimate.backwardInput +
                       estimate.backwardWeight + estimate.backwardCommunication;
  PassTimes wholes = std::exchange(profile.times, {});
  if (wholes.empty()) {
    Nanoseconds step = profile.updates.front();
    Nanoseconds inPasses =
        shareOf(step, passes, passes + estimate.reduce + estimate.update);
    wholes[{ActionKind::Forward, 0, 0}] = inPasses;
    profile.updates.front() = step - inPasses;
  }
  for (const auto &[pass, time] : wholes) {
    Nanoseconds before = shareOf(time, forward, passes);
    profile.times[pass] = before;
    profile.times[{ActionKind::Backward, 0, pass.microBatch}] = time - before;
  }
}

/// As programs without stages run: F0 B0 F1 B1 ….
Schedule microBatchByMicroBatch(int64_t microBatches) {
  Schedule schedule{1, microBatches, {{}}};
  for (int64_t i = 0; i < microBatches; ++i)
    for (ActionKind kind : {ActionKind::Forward, ActionKind::Backward})
      schedule.ranks.front().push_back({{kind, 0, i}, std::nullopt});
  return schedule;
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

PlayedSchedule playMeasured(const ReopenedPlan &plan, const std::string &path) {
  PlayedSchedule result = playPlanned(plan);
  MeasuredProfile profile = requireProfile(plan, result.schedule, path);
  PipelineProblem problem =
      requireProblem(*plan.inputs, plan.document.strategy);
  std::string error;
  if (!profile.hasStages) {
    splitMicroBatches(result.played.stages.front(), profile);
    result.schedule = microBatchByMicroBatch(result.schedule.microBatchCount);
  }
  std::vector<StageDurations> stages(problem.stages.size());
  for (size_t stage = 0; stage < stages.size(); ++stage) {
    stages[stage].savedUntilInput = problem.stages[stage].savedUntilInput;
    stages[stage].savedUntilWeight = problem.stages[stage].savedUntilWeight;
  }
  // Behind all passes of a rank: with any of its stages.
  std::vector<int64_t> owner = result.schedule.rankOfStage();
  for (size_t rank = 0; rank < profile.updates.size(); ++rank)
    if (auto stage = std::ranges::find(owner, int64_t(rank));
        stage != owner.end())
      profile.times[{ActionKind::Update, stage - owner.begin()}] =
          profile.updates[rank];
  Schedule whole =
      addCommunication(passesOf(result.schedule), {.update = true});
  std::optional<Simulation> played =
      simulate(whole, stages, error, {.passTimes = &profile.times});
  if (!played)
    fail(ExitCode::BadInput, fmt::format("{}: {}", path, error));
  result.played.step = played->period();
  result.played.simulation = std::move(*played);
  result.played.stages = std::move(stages);
  result.measuredStep = profile.step;
  result.measuredSteps = profile.steps;
  return result;
}

PlayedSchedule playPlanned(const ReopenedPlan &plan) {
  PlayedSchedule family = playFamily(*plan.inputs, plan.document.strategy);
  if (!plan.document.program)
    return family;
  const StepPlan &program = *plan.document.program;
  if (program.schedule.empty() || program.schedule == toTable(family.schedule))
    return family;
  return playText(*plan.inputs, plan.document.strategy, "program",
                  program.schedule);
}

} // namespace shardsmith

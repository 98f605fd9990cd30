// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith simulate`: plays a plan's pipeline action by action.

#include "Command.h"
#include "Options.h"
#include "ScheduleReport.h"

#include "shardsmith/Driver/Session.h"
#include "shardsmith/PlanFiles/PlanReport.h"
#include "shardsmith/Schedule/ScheduleTable.h"
#include "shardsmith/Schedule/Trace.h"
#include "shardsmith/Support/Json.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace shardsmith {
namespace {

using schedule::RankTimeline;

struct SimulateArguments {
  PlanSources sources;
  std::string trace, table;
  GivenSchedule schedule;
  /// A profile whose times are played.
  std::string measured;
  bool json = false;
};

/// `embedding, layer ×9`: what a stage computes.
std::string describeStage(const workload::Workload &workload,
                          const Stage &stage) {
  std::string text;
  for (int64_t unit = stage.begin; unit < stage.end;) {
    size_t segment = workload.segmentOf(unit);
    int64_t first = unit;
    while (unit < stage.end && workload.segmentOf(unit) == segment)
      ++unit;
    const workload::Block &block =
        workload.blocks[workload.segments[segment].block];
    if (!text.empty())
      text += ", ";
    text += block.name;
    if (unit - first > 1)
      text += fmt::format(" ×{}", unit - first);
  }
  return text;
}

schedule::TraceLabels labelsOf(const ReopenedPlan &plan) {
  schedule::TraceLabels labels;
  const Strategy &strategy = plan.document.strategy;
  labels.title = fmt::format("{} on {}: {}", plan.document.model.identity.name,
                             plan.document.cluster.name, strategy.str());
  for (const Stage &stage : strategy.stages)
    labels.stages.push_back(describeStage(plan.inputs->workload(), stage));
  return labels;
}

double percent(Nanoseconds part, Nanoseconds whole) {
  return 100 * double(part.count()) /
         double(std::max<int64_t>(whole.count(), 1));
}

std::string describe(const ReopenedPlan &plan, const PlayedSchedule &schedule) {
  const StrategySimulation &played = schedule.played;
  Nanoseconds estimate = plan.document.estimate.step();
  std::string text;
  if (schedule.measuredStep)
    text = fmt::format(
        "measured   {}, the median of {} steps; played with its passes "
        "{:+.1f} %\n",
        describeTime(*schedule.measuredStep), schedule.measuredSteps,
        percent(played.step - *schedule.measuredStep, *schedule.measuredStep));
  text += fmt::format(
      "step       {} simulated, {} estimated ({:+.1f} %)\n"
      "bubble     {} on the rank that idles most ({:.1f} %)\n{}\n"
      "rank       busy      idle     activations at peak\n",
      describeTime(played.step), describeTime(estimate),
      percent(played.step - estimate, estimate),
      describeTime(played.simulation.bubble()),
      percent(played.simulation.bubble(), played.simulation.period()),
      describe(schedule));
  for (size_t rank = 0; rank < played.simulation.ranks.size(); ++rank) {
    const RankTimeline &timeline = played.simulation.ranks[rank];
    text += fmt::format(
        "{:<6} {:>9} {:>9}     {} ({} passes)\n", rank,
        describeTime(timeline.busy), describeTime(timeline.idle()),
        describeBytes(timeline.peakMemory), timeline.peakLiveUntilWeight);
  }
  return text;
}

std::string toJson(const ReopenedPlan &plan, const PlayedSchedule &schedule) {
  const StrategySimulation &played = schedule.played;
  using Json = nlohmann::ordered_json;
  Json ranks = Json::array();
  for (const RankTimeline &timeline : played.simulation.ranks)
    ranks.push_back({{"busy_ns", timeline.busy.count()},
                     {"idle_ns", timeline.idle().count()},
                     {"first_start_ns", timeline.firstStart.count()},
                     {"last_end_ns", timeline.lastEnd.count()},
                     {"peak_activation_bytes", timeline.peakMemory.count()},
                     {"peak_passes", timeline.peakLiveUntilWeight}});
  Json json = {{"step_ns", played.step.count()},
               {"estimated_step_ns", plan.document.estimate.step().count()},
               {"makespan_ns", played.simulation.makespan.count()},
               {"period_ns", played.simulation.period().count()},
               {"bubble_ns", played.simulation.bubble().count()},
               {"schedule", toJson(schedule)},
               {"ranks", ranks}};
  return jsonText(json, 2) + "\n";
}

PlayedSchedule play(const ReopenedPlan &plan,
                    const SimulateArguments &arguments) {
  if (!arguments.measured.empty())
    return playMeasured(plan, arguments.measured);
  if (arguments.schedule.isGiven())
    return play(*plan.inputs, plan.document.strategy, arguments.schedule);
  return playPlanned(plan);
}

ExitCode runSimulate(const SimulateArguments &arguments) {
  requireWritable(arguments.trace);
  requireWritable(arguments.table);
  Session session;
  ReopenedPlan plan(session, arguments.sources);
  PlayedSchedule schedule = play(plan, arguments);
  if (!arguments.trace.empty())
    writeOutput(arguments.trace,
                schedule::toTrace(schedule.played.simulation, labelsOf(plan)));
  // Compute-only unless it was read otherwise: runtimes add communication.
  if (!arguments.table.empty())
    writeOutput(arguments.table, schedule::toTable(schedule.schedule));
  bool usesOutput = arguments.trace == "-" || arguments.table == "-";
  if (!usesOutput)
    writeOutput("-", arguments.json ? toJson(plan, schedule)
                                    : describe(plan, schedule));
  return ExitCode::Success;
}

} // namespace

void addSimulateCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "simulate", "Play a plan's pipeline and draw its timeline");
  auto arguments = std::make_shared<SimulateArguments>();
  addPlanSources(*command, arguments->sources);
  command->add_option("--trace", arguments->trace,
                      "Write the timeline for Perfetto or chrome://tracing, - "
                      "for standard output");
  command->add_option("--csv", arguments->table,
                      "Write the schedule as a table of "
                      "torch.distributed.pipelining, - for standard output");
  addScheduleOptions(*command, "Play", arguments->schedule);
  command
      ->add_option("--measured", arguments->measured,
                   "Play the plan's schedule with the times that 'shardsmith "
                   "run --profile FILE' measured")
      ->excludes("--schedule-csv")
      ->excludes("--search-schedule");
  command->add_flag("--json", arguments->json, "Print the summary as JSON");
  command->callback([arguments, &action] {
    action = [arguments] { return runSimulate(*arguments); };
  });
}

} // namespace shardsmith

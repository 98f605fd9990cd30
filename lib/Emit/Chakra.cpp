// SPDX-License-Identifier: Apache-2.0
//
// A step as execution traces of mlcommons/chakra, one per rank, and what
// astra-sim/astra-sim needs to simulate them: schedules, exchanges and times
// are those that the plan was priced with.

#include "Chakra/RankTrace.h"
#include "Chakra/Simulator.h"
#include "Decisions.h"
#include "Targets.h"
#include "shardsmith/PlanFiles/PlanReport.h"
#include "shardsmith/Schedule/Families.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith::emit {
namespace {

/// The least that a node takes in a file.
constexpr double leastNode = 48;

std::optional<schedule::RankActions> requireActions(const EmitInput &input,
                                                    Refusals &refusals) {
  const Strategy &strategy = input.strategy();
  std::string error;
  auto passes = schedule::makeSchedule(
      strategy.schedule,
      {strategy.pipeline, strategy.virtualStages, microBatchesOf(input)},
      error);
  schedule::CommunicationOptions written;
  written.reduceGradients = written.update = true;
  std::optional<schedule::RankActions> actions;
  if (passes)
    actions = schedule::rankActions(*passes, error, written);
  if (!actions)
    refusals.add(
        fmt::format("schedule={}: {}", nameOf(strategy.schedule), error));
  return actions;
}

/// Of all traces together. Ranks at one place of the pipeline have traces of
/// one size, but for numbers that are shorter or longer.
Bytes sizeOf(const chakra::StepTrace &step) {
  Bytes size;
  auto places = int64_t(step.actions.size());
  for (int64_t place = 0; place < places; ++place) {
    Bytes each;
    step.write(place * step.pipelineStride,
               [&](std::string_view text) { each += Bytes(text.size()); });
    size += each * (step.ranks / places);
  }
  return size;
}

void refuseSize(const EmitInput &input, std::string_view word, Bytes size,
                Refusals &refusals) {
  refusals.add(fmt::format("traces of {}{}, more than the limit of {}", word,
                           describeBytes(size),
                           describeBytes(input.mostStreamed)),
               "fewer ranks, or larger and fewer micro-batches");
}

/// What is far too large need not be made to be measured.
void requireNodes(const EmitInput &input, double nodes, Refusals &refusals) {
  double least = std::min(nodes * leastNode, 9e18);
  if (least > double(input.mostStreamed.count()))
    refuseSize(input, "at least ", Bytes(int64_t(least)), refusals);
}

double nodesOf(const chakra::StepTrace &step) {
  double nodes = 0;
  auto places = int64_t(step.actions.size());
  for (int64_t place = 0; place < places; ++place) {
    int64_t ranksOfPlace = step.ranks / places;
    nodes += step.nodesOf(place) * double(ranksOfPlace);
  }
  return nodes;
}

} // namespace

void emitChakra(const EmitInput &input, Emission &emission) {
  Refusals refusals(emission.obstacles);
  refusals.requireOneKind(input);
  // Prices are of ranks that are there.
  if (!emission.obstacles.empty())
    return;
  auto levels = refusals.requireEvenLevels(input);
  const Strategy &strategy = input.strategy();
  // A pass forward and one backward.
  requireNodes(input,
               2 * double(microBatchesOf(input)) * double(strategy.rankCount()),
               refusals);
  if (!emission.obstacles.empty())
    return;
  auto actions = requireActions(input, refusals);
  if (!actions)
    return;

  CostContext context{input.workload, input.topology, input.profile};
  chakra::RankGroups groups(strategy.rankCount());
  chakra::StepPasses passes = chakra::passesOf(context, strategy, groups);
  const TimeSplit &time = input.document.estimate.time;
  auto step = std::make_shared<chakra::StepTrace>(chakra::StepTrace{
      std::move(passes), std::move(groups), std::move(*actions),
      strategy.rankCount(),
      AxisPaths(input.topology, strategy).stride(PlanAxis::Pipeline),
      time.straggler + time.fixed});
  requireNodes(input, nodesOf(*step), refusals);
  if (!emission.obstacles.empty())
    return;
  if (Bytes size = sizeOf(*step); size > input.mostStreamed)
    return refuseSize(input, "", size, refusals);

  unsigned pool = strategy.stages.front().pool;
  emission.files =
      chakra::simulatorFiles(input, input.topology.deviceType(pool), *levels);
  emission.files.push_back({"chakra-groups.json", step->groups.json()});
  for (int64_t rank = 0; rank < step->ranks; ++rank)
    emission.streamed.push_back(
        {fmt::format("chakra.{}.et", rank),
         [step, rank](const TextSink &sink) { step->write(rank, sink); }});
}

} // namespace shardsmith::emit

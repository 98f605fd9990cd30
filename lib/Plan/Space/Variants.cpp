// SPDX-License-Identifier: Apache-2.0

#include "Space.h"

#include "shardsmith/Cost/Paths/AxisPaths.h"
#include "shardsmith/Strategy/ScheduleTraits.h"

#include <algorithm>
#include <array>

namespace shardsmith::search {

bool canRun(ScheduleFamily family, int64_t pipeline, int64_t microBatches) {
  return traitsOf(family).canRun(pipeline, microBatches);
}

/// Whether there are as many stages as the user gives, if that is so.
static bool isOfGivenStages(const ScheduleChoice &choice,
                            const ParallelConfiguration &degrees,
                            const SearchConstraints &constraints) {
  auto given = int64_t(constraints.stageSizes.size());
  return given == 0 || given == choice.virtualStages * degrees.pipeline;
}

/// Why ranks of a configuration cannot run such a schedule at all.
static std::optional<ScheduleRefusal>
whyImpossible(const ScheduleChoice &choice, const workload::Workload &workload,
              const ParallelConfiguration &degrees,
              const SearchConstraints &constraints) {
  const ScheduleTraits &traits = traitsOf(choice.family);
  int64_t batches = degrees.microBatchCount(workload.globalBatch);
  if (!constraints.schedules[size_t(choice.family)] ||
      !constraints.virtualStages.contains(choice.virtualStages) ||
      !isOfGivenStages(choice, degrees, constraints))
    return ScheduleRefusal::Forbidden;
  if (choice.virtualStages * degrees.pipeline > workload.unitCount())
    return ScheduleRefusal::TooFewUnits;
  if (constraints.onlyWholeRounds && traits.hasRounds &&
      batches % degrees.pipeline != 0)
    return ScheduleRefusal::UnevenRounds;
  if (!canRun(choice.family, degrees.pipeline, batches))
    return ScheduleRefusal::TooFewMicroBatches;
  return std::nullopt;
}

std::optional<ScheduleRefusal> whyNot(const ScheduleChoice &choice,
                                      const workload::Workload &workload,
                                      const ParallelConfiguration &degrees,
                                      const SearchConstraints &constraints) {
  const ScheduleTraits &traits = traitsOf(choice.family);
  if (traits.stagesPerRank ? choice.virtualStages != *traits.stagesPerRank
                           : choice.virtualStages < 2)
    return ScheduleRefusal::OtherStages;
  return whyImpossible(choice, workload, degrees, constraints);
}

std::vector<ScheduleChoice>
scheduleChoices(const workload::Workload &workload,
                const ParallelConfiguration &degrees,
                const SearchConstraints &constraints) {
  auto isPossible = [&](ScheduleFamily family, int64_t virtualStages) {
    return !whyImpossible({family, virtualStages}, workload, degrees,
                          constraints);
  };
  std::vector<ScheduleChoice> choices;
  auto add = [&](ScheduleFamily family, int64_t virtualStages) {
    if (isPossible(family, virtualStages))
      choices.push_back({family, virtualStages});
  };

  // On one rank families differ by what they hold only, of many micro-batches
  // most: the first of those that hold least will do.
  if (degrees.pipeline == 1) {
    for (const ScheduleTraits &traits : allScheduleTraits())
      if (traits.stagesPerRank == 1)
        add(traits.family, 1);
    auto held = [](const ScheduleChoice &choice) {
      constexpr int64_t many = 1 << 20;
      return traitsOf(choice.family).inFlight({.microBatches = many}, 0);
    };
    auto least = std::ranges::min_element(choices, {}, held);
    return least == choices.end() ? choices : std::vector{*least};
  }
  for (const ScheduleTraits &traits : allScheduleTraits())
    if (traits.stagesPerRank)
      add(traits.family, *traits.stagesPerRank);
  for (const ScheduleTraits &traits : allScheduleTraits())
    if (!traits.stagesPerRank)
      for (int64_t virtualStages = 2;
           virtualStages <= workload.unitCount() / degrees.pipeline;
           ++virtualStages)
        if (virtualStages <= 8 || constraints.virtualStages.isFixed() ||
            !constraints.stageSizes.empty())
          add(traits.family, virtualStages);
  return choices;
}

std::vector<ZeroChoice> zeroChoices(const ParallelConfiguration &degrees,
                                    const GroupPath &replicas,
                                    const SearchConstraints &constraints) {
  int64_t ranks = degrees.replicas();
  std::vector<int64_t> groups = {0};
  if (constraints.dataRanksPerCopy) {
    groups = {*constraints.dataRanksPerCopy * degrees.context};
    if (ranks % groups.front() != 0)
      return {};
    if (groups.front() == ranks)
      groups.front() = 0;
  } else if (constraints.zeroGroups) {
    // One copy per domain of the cluster that holds several replicas.
    int64_t members = 1;
    for (const PathLevel &level : replicas.levels) {
      members *= level.fanout;
      if (members < ranks && ranks % members == 0)
        groups.push_back(members);
    }
  }

  std::vector<ZeroChoice> choices;
  for (int stage = 0; stage < zeroStages; ++stage) {
    if (!constraints.zero[size_t(stage)])
      continue;
    // Without replicas all stages are the same.
    if (ranks == 1 && !choices.empty())
      break;
    if (stage == 0)
      choices.push_back({0, 0});
    else
      for (int64_t group : groups)
        choices.push_back({stage, group});
  }
  return choices;
}

static std::vector<ContextMethod>
contextMethods(const ParallelConfiguration &degrees,
               const SearchConstraints &constraints) {
  if (degrees.context == 1)
    return {ContextMethod::Ring};
  std::vector<ContextMethod> methods;
  for (ContextMethod method : {ContextMethod::Ring, ContextMethod::AllToAll})
    if (constraints.contextMethods[size_t(method)])
      methods.push_back(method);
  return methods;
}

std::vector<Strategy> withMethods(const Strategy &outer,
                                  const ParallelConfiguration &degrees,
                                  const SearchConstraints &constraints) {
  std::vector<Strategy> all;
  for (ContextMethod method : contextMethods(degrees, constraints)) {
    all.push_back(outer);
    all.back().contextMethod = method;
  }
  return all;
}

std::string_view methodOf(const UnitDegrees &unit) {
  return unit.context > 1 ? nameOf(unit.contextMethod) : std::string_view();
}

std::vector<std::vector<PlanAxis>>
axisOrders(const ParallelConfiguration &degrees,
           const SearchConstraints &constraints) {
  if (constraints.deviceOrder)
    return {*constraints.deviceOrder};
  // Axes of one rank are anywhere: behind the others.
  std::vector<PlanAxis> moving, still;
  for (PlanAxis axis : usualDeviceOrder())
    (degrees.degree(axis) > 1 ? moving : still).push_back(axis);
  std::vector<std::vector<PlanAxis>> orders;
  do {
    orders.push_back(moving);
    orders.back().insert(orders.back().end(), still.begin(), still.end());
  } while (std::ranges::next_permutation(moving).found);
  return orders;
}

std::vector<std::vector<PlanAxis>>
deviceOrders(const ClusterTopology &topology,
             const ParallelConfiguration &degrees,
             const SearchConstraints &constraints) {
  Strategy strategy = degrees.strategy();
  // Shares need it.
  auto isDataOutermost = [&](const std::vector<PlanAxis> &order) {
    auto isMoving = [&](PlanAxis axis) { return strategy.degree(axis) > 1; };
    return *std::find_if(order.rbegin(), order.rend(), isMoving) ==
           PlanAxis::Data;
  };
  if (constraints.deviceOrder) {
    if (degrees.kind && !isDataOutermost(*constraints.deviceOrder))
      return {};
    return {*constraints.deviceOrder};
  }
  std::vector<std::vector<PlanAxis>> orders;
  // What is different about an order: which pools may be mixed, and links.
  std::vector<std::pair<bool, std::vector<GroupPath>>> seen;
  for (std::vector<PlanAxis> &order : axisOrders(degrees, constraints)) {
    if (degrees.kind && !isDataOutermost(order))
      continue;
    strategy.deviceOrder = std::move(order);
    AxisPaths paths(topology, strategy);
    std::vector<GroupPath> found;
    for (unsigned pool = 0; pool < topology.pools().size(); ++pool) {
      for (PlanAxis axis : usualDeviceOrder())
        found.push_back(paths.axis(axis, pool));
      for (int64_t size : {degrees.expert, degrees.replicas()})
        found.push_back(paths.replicas(1, size, pool));
    }
    std::pair different{paths.hasStagePerBlock(), std::move(found)};
    if (std::ranges::find(seen, different) != seen.end())
      continue;
    seen.push_back(std::move(different));
    orders.push_back(orders.empty() && !degrees.kind ? usualDeviceOrder()
                                                     : strategy.deviceOrder);
  }
  return orders;
}

} // namespace shardsmith::search

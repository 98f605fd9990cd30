// SPDX-License-Identifier: Apache-2.0

#include "../Space/PoolSequences.h"
#include "SearchViewParts.h"

#include "shardsmith/Cost/Paths/AxisPaths.h"
#include "shardsmith/Strategy/ScheduleTraits.h"

#include <algorithm>
#include <set>

namespace shardsmith::search {

using workload::Workload;

namespace {

class SpaceView {
public:
  SpaceView(const CostContext &context, const SearchConstraints &constraints)
      : context(context), workload(context.workload), constraints(constraints),
        limits(workload),
        configurations(parallelConfigurations(context, constraints)) {}

  std::string take() {
    text.line(
        "space: {} configurations on at most {} devices", configurations.size(),
        std::min(context.topology.deviceCount(), constraints.devices.most));
    for (const DegreeTraits &traits : allDegrees())
      if (traits.degree != Degree::VirtualStages)
        addDegrees(traits);
    size_t listed = std::min(configurations.size(), mostListed);
    for (size_t i = 0; i < listed; ++i)
      addConfiguration(configurations[i]);
    if (listed < configurations.size())
      text.line("and {} more configurations", configurations.size() - listed);
    return text.take();
  }

private:
  /// The degrees that occur along one axis, and why others do not.
  void addDegrees(const DegreeTraits &traits) {
    std::set<int64_t> found;
    for (const ParallelConfiguration &degrees : configurations)
      found.insert(degrees[traits.degree]);
    text.line("{}: {}", traits.name, joined(found, [](int64_t degree) {
                return fmt::format("{}", degree);
              }));
    // Neighbours that are refused for the same reason share a line.
    int64_t devices = context.topology.deviceCount(), begin = 1;
    std::string reason;
    auto flush = [&](int64_t end) {
      if (reason.empty())
        return;
      std::string range = end - begin == 1
                              ? fmt::format("{}", begin)
                              : fmt::format("{} to {}", begin, end - 1);
      text.line("  not {}: {}", range, reason);
    };
    for (int64_t degree = 1; degree <= devices + 1; ++degree) {
      std::string now = degree > devices || found.contains(degree)
                            ? ""
                            : whyNotDegree(traits, degree);
      if (now == reason)
        continue;
      flush(degree);
      reason = std::move(now);
      begin = degree;
    }
  }

  std::string whyNotDegree(const DegreeTraits &traits, int64_t degree) const {
    if (!constraints[traits.degree].contains(degree))
      return "not allowed";
    if (traits.degree == Degree::Expert && limits.experts == 0)
      return "no experts";
    if (traits.degree == Degree::Expert && limits.experts % degree != 0)
      return fmt::format("does not divide {} experts", limits.experts);
    if (int64_t most = limits.most[traits.degree]; degree > most)
      return fmt::format("{} {}", most, partsOf(traits));
    if (context.topology.deviceCount() > completeUpTo)
      return "no size of a part of the cluster";
    return "no combination with it is allowed";
  }

  static std::string_view partsOf(const DegreeTraits &traits) {
    if (!traits.parts.empty())
      return traits.parts;
    return traits.degree == Degree::Pipeline ? "units in the chain"
                                             : "elements in the largest factor";
  }

  void addConfiguration(const ParallelConfiguration &degrees) {
    text.line("configuration {}: {} micro-batches", textOf(degrees),
              degrees.microBatchCount(workload.globalBatch));
    std::vector<std::vector<PlanAxis>> orders =
        deviceOrders(context.topology, degrees, constraints);
    text.line("  orders: {}",
              joined(orders, [](const std::vector<PlanAxis> &order) {
                return textOf(order);
              }));
    Strategy outer = degrees.strategy();
    if (degrees.hasMethods())
      text.line("  methods: {}",
                joined(withMethods(outer, degrees, constraints),
                       [](const Strategy &each) {
                         return std::string(methodOf(each.unit()));
                       }));
    addZero(degrees, orders);
    addSchedules(degrees);
    if (context.topology.pools().size() > 1)
      addPools(degrees, orders);
  }

  /// ZeRO depends on where replicas lie, so each device order has its own.
  void addZero(const ParallelConfiguration &degrees,
               const std::vector<std::vector<PlanAxis>> &orders) {
    std::set<std::string> texts;
    for (const std::vector<PlanAxis> &order : orders) {
      Strategy outer = degrees.strategy();
      outer.deviceOrder = order;
      GroupPath replicas =
          AxisPaths(context.topology, outer).replicas(1, degrees.replicas(), 0);
      texts.insert(joined(zeroChoices(degrees, replicas, constraints),
                          [](const ZeroChoice &zero) { return textOf(zero); }));
    }
    for (const std::string &each : texts)
      text.line("  zero: {}", each.empty() ? "none is allowed" : each);
  }

  void addSchedules(const ParallelConfiguration &degrees) {
    std::vector<ScheduleChoice> choices =
        scheduleChoices(workload, degrees, constraints);
    text.line("  schedules: {}",
              joined(choices, [](const ScheduleChoice &choice) {
                return textOf(choice);
              }));
    // On one rank a single family stands for all.
    if (degrees.pipeline == 1)
      return;
    for (const ScheduleTraits &traits : allScheduleTraits()) {
      ScheduleChoice choice{traits.family, traits.stagesPerRank.value_or(2)};
      if (std::optional<ScheduleRefusal> why =
              whyNot(choice, workload, degrees, constraints))
        text.line("  not {}: {}", textOf(choice),
                  reasonOf(*why, traits, degrees));
    }
  }

  std::string reasonOf(ScheduleRefusal why, const ScheduleTraits &traits,
                       const ParallelConfiguration &degrees) const {
    switch (why) {
    case ScheduleRefusal::Forbidden:
      return "not allowed";
    case ScheduleRefusal::OtherStages:
      return "another number of stages per rank";
    case ScheduleRefusal::TooFewUnits:
      return fmt::format("{} stages for {} units",
                         traits.stagesPerRank.value_or(2) * degrees.pipeline,
                         workload.unitCount());
    case ScheduleRefusal::UnevenRounds:
      return fmt::format("micro-batches do not fill rounds of {}",
                         degrees.pipeline);
    case ScheduleRefusal::TooFewMicroBatches:
      return fmt::format("needs {} micro-batches",
                         traits.leastMicroBatches(degrees.pipeline));
    }
    return {};
  }

  /// On which device kinds pipeline ranks may lie, and data ranks.
  void addPools(const ParallelConfiguration &degrees,
                const std::vector<std::vector<PlanAxis>> &orders) {
    std::set<std::vector<unsigned>> sequences;
    for (const std::vector<PlanAxis> &order : orders) {
      Strategy outer = degrees.strategy();
      outer.deviceOrder = order;
      PoolSequences found = poolSequences(context.topology, outer);
      sequences.insert(found.begin(), found.end());
    }
    for (const std::vector<unsigned> &pools : sequences)
      text.line(
          "  pipeline ranks on pools {}",
          joined(pools, [](unsigned pool) { return fmt::format("{}", pool); }));
    if (degrees.data == 1)
      return;
    Strategy outer = degrees.strategy();
    std::erase(outer.deviceOrder, PlanAxis::Data);
    outer.deviceOrder.push_back(PlanAxis::Data);
    for (const std::vector<int64_t> &ranks :
         replicaPlacements(context.topology, outer))
      text.line("  data ranks per pool {}", joined(ranks, [](int64_t count) {
                  return fmt::format("{}", count);
                }));
  }

  const CostContext &context;
  const Workload &workload;
  const SearchConstraints &constraints;
  ModelLimits limits;
  std::vector<ParallelConfiguration> configurations;
  ViewText text;
};

} // namespace

std::string showSpace(const CostContext &context,
                      const SearchConstraints &constraints) {
  return SpaceView(context, constraints).take();
}

} // namespace shardsmith::search

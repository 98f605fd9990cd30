// SPDX-License-Identifier: Apache-2.0

#include "Infeasible.h"

#include "../Space/Space.h"
#include "shardsmith/Plan/Space/Restrictions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace shardsmith::search {
namespace {

/// How many times memory is doubled before the search for a plan is given up,
/// and how many times the last doubling is halved.
constexpr int doublings = 20;
constexpr int halvings = 4;
/// How many times the number of nodes is doubled.
constexpr int growths = 8;

/// The constraints without one of those that the user has given.
struct Lifted {
  std::string name;
  SearchConstraints constraints;
};

std::vector<Lifted> liftOne(const SearchConstraints &given) {
  std::vector<Lifted> all;
  for (const Restriction &restriction : allRestrictions()) {
    SearchConstraints without = given;
    restriction.lift(without);
    if (without != given)
      all.push_back({std::string(restriction.name), without});
  }
  return all;
}

const char *largestItem(const MemorySplit &memory) {
  std::pair<Bytes, const char *> items[] = {
      {memory.parameters, "parameters"},
      {memory.gradients, "gradients"},
      {memory.optimizerState, "optimizer state"},
      {memory.activations, "activations"},
      {memory.workspace, "workspace"},
      {memory.communication, "communication buffers"},
      {memory.overhead, "overhead"}};
  return std::ranges::max_element(items, {},
                                  [](const auto &item) { return item.first; })
      ->second;
}

class Explanation {
public:
  Explanation(const CostContext &context, const SearchOptions &options,
              const PlainSearch &search)
      : context(context), options(options), search(search) {
    this->options.planCount = 1;
    this->options.isOneEnough = true;
    // Each of the searches gets a part of the time limit.
    constexpr int searches = 12;
    if (this->options.timeLimit)
      *this->options.timeLimit /= searches;
  }

  Infeasibility run() {
    if (parallelConfigurations(context, options.constraints).empty()) {
      result.contradiction = describeContradiction();
      return result;
    }
    std::optional<Strategy> nearest = findNearest();
    if (!nearest) {
      result.contradiction = "no plan could run with any amount of memory: " +
                             describeContradiction();
      return result;
    }
    result.estimate = estimateStep(context, *nearest);
    const StageEstimate &rank =
        result.estimate->ranks[result.estimate->fullestRank];
    result.missing = rank.memory.total() - rank.memoryLimit;
    result.largestItem = largestItem(rank.memory);
    result.nearest = std::move(nearest);
    tryChanges();
    return result;
  }

private:
  const CostContext &context;
  SearchOptions options;
  const PlainSearch &search;
  Infeasibility result;

  std::optional<Strategy> searchWith(const ClusterTopology &topology,
                                     const SearchConstraints &constraints,
                                     double margin) const {
    CostContext other = {context.workload, topology, context.profile, {margin}};
    SearchOptions otherOptions = options;
    otherOptions.constraints = constraints;
    SearchResult found = search(other, otherOptions);
    if (found.plans.empty())
      return std::nullopt;
    return std::move(found.plans.front().strategy);
  }

  /// Searches with `times` as much usable memory.
  std::optional<Strategy> searchWithMemory(double times) const {
    double usable = (1 - context.options.memoryMargin) * times;
    return searchWith(context.topology, options.constraints, 1 - usable);
  }

  /// A plan for a memory that is at most an eighth of a doubling larger than
  /// one into which nothing fits.
  std::optional<Strategy> findNearest() const {
    double least = 1, most = 1;
    std::optional<Strategy> nearest;
    for (int step = 0; step < doublings && !nearest; ++step) {
      least = most;
      most *= 2;
      nearest = searchWithMemory(most);
    }
    for (int step = 0; step < halvings && nearest; ++step) {
      double middle = (least + most) / 2;
      if (std::optional<Strategy> found = searchWithMemory(middle)) {
        nearest = std::move(found);
        most = middle;
      } else {
        least = middle;
      }
    }
    return nearest;
  }

  /// Whether there would be plans if the batch could be cut.
  bool needsMicroBatches() const {
    workload::Workload divisible = context.workload;
    divisible.microBatchObstacle.clear();
    CostContext other = {divisible, context.topology, context.profile,
                         context.options};
    return !context.workload.microBatchObstacle.empty() &&
           !parallelConfigurations(other, options.constraints).empty();
  }

  std::string describeContradiction() const {
    std::vector<std::string> culprits;
    for (const Lifted &lifted : liftOne(options.constraints))
      if (!parallelConfigurations(context, lifted.constraints).empty())
        culprits.push_back(lifted.name);
    int64_t count = context.topology.deviceCount();
    std::string devices =
        count == 1 ? "one device" : fmt::format("{} devices", count);
    int64_t stages = options.constraints.pipeline.least;
    int64_t units = context.workload.unitCount();
    if (stages > units)
      return fmt::format("what was given leaves no plan: a pipeline of {} "
                         "ranks needs as many layers or other units, and the "
                         "model has {}",
                         stages, units);
    if (std::string why = options.constraints.whyNotOf(units); !why.empty())
      return "what was given leaves no plan: " + why;
    if (needsMicroBatches())
      return fmt::format("what was given needs several micro-batches, and the "
                         "batch cannot be cut: {}; use one micro-batch "
                         "per step",
                         context.workload.microBatchObstacle);
    if (culprits.empty())
      return fmt::format("what was given leaves no plan for {}, {} "
                         "sequences and {} positions",
                         devices, context.workload.globalBatch,
                         context.workload.sequenceLength);
    return fmt::format("what was given leaves no plan for {}; there are plans "
                       "without the value of {}",
                       devices, fmt::join(culprits, ", or of "));
  }

  /// Tries a change and notes it. Returns true if a plan fits with it.
  bool note(std::string change, const std::optional<Strategy> &strategy) {
    result.tried.push_back({std::move(change), strategy.has_value()});
    return strategy.has_value();
  }

  void tryChanges() {
    double margin = context.options.memoryMargin;
    for (const Lifted &lifted : liftOne(options.constraints))
      if (note(lifted.name + " left open",
               searchWith(context.topology, lifted.constraints, margin)))
        return;
    if (margin > 0 &&
        note("no memory margin",
             searchWith(context.topology, options.constraints, 0)))
      return;
    if (!tryHigherLimits())
      tryLargerClusters();
  }

  /// Lifts the limits that exclude devices, one by one. Returns true if a plan
  /// fits then.
  bool tryHigherLimits() {
    auto helps = [&](const char *name, auto Limits::*limit) {
      Cluster more = context.topology.cluster();
      (more.limits.*limit).reset();
      ClusterTopology topology(more);
      return topology.deviceCount() > context.topology.deviceCount() &&
             note(fmt::format("{} left open ({} devices)", name,
                              topology.deviceCount()),
                  searchWith(topology, options.constraints,
                             context.options.memoryMargin));
    };
    return helps("budget_usd_per_hour", &Limits::dollarsPerHour) ||
           helps("power_kw", &Limits::kilowatts) ||
           helps("max_devices", &Limits::maxDevices);
  }

  /// Adds nodes to the first group, if a network joins its nodes.
  void tryLargerClusters() {
    Cluster larger = context.topology.cluster();
    Group &group = larger.groups.front();
    if (group.network.link.empty())
      return;
    SearchConstraints constraints = options.constraints;
    constraints.devices = {};
    for (int growth = 0; growth < growths; ++growth) {
      group.node.count *= 2;
      if (larger.deviceCount() > int64_t(1) << 20)
        return;
      ClusterTopology topology(larger);
      if (topology.deviceCount() == context.topology.deviceCount())
        return;
      if (note(fmt::format("{} devices", topology.deviceCount()),
               searchWith(topology, constraints, context.options.memoryMargin)))
        return;
    }
  }
};

} // namespace

Infeasibility explainInfeasibility(const CostContext &context,
                                   const SearchOptions &options,
                                   const PlainSearch &search) {
  return Explanation(context, options, search).run();
}

} // namespace shardsmith::search

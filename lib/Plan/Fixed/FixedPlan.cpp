// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/Fixed/FixedPlan.h"

#include "shardsmith/Plan/Blocks/BlockTable.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace shardsmith {
namespace {

/// The cheapest entries of the blocks' tables that agree at every border.
class LayoutChain {
public:
  LayoutChain(const CostContext &context, const Strategy &strategy,
              const FixedPlan &plan)
      : workload(context.workload), recompute(plan.recompute),
        collectives(context.topology.cluster(), context.profile),
        kernels(context.topology.deviceType(0), context.profile),
        tables(workload, collectives),
        setting(unitSetting(context, strategy, 0)) {
    setting.sequenceParallel = plan.sequenceParallel;
  }

  /// One layout per block, or nothing if no chain fits together. A degree of
  /// the tensor axis means that weights are split, so layouts that keep more
  /// of them are left out if others fit together.
  std::optional<std::vector<BlockLayout>> solve() {
    if (auto layouts = solve(true))
      return layouts;
    return solve(false);
  }

private:
  std::optional<std::vector<BlockLayout>> solve(bool splitWeights) {
    std::vector<Arrival> arrivals = {{}};
    for (const workload::Segment &segment : workload.segments) {
      arrivals = extend(arrivals, segment, splitWeights);
      if (arrivals.empty())
        return std::nullopt;
    }
    auto best = std::ranges::min_element(arrivals, isBetter);
    std::vector<BlockLayout> layouts;
    for (workload::BlockIndex block = 0; block < workload.blocks.size();
         ++block) {
      const BlockEntry *entry = best->entries[block];
      layouts.push_back(entry ? entry->layout : tableOf(block).front().layout);
    }
    return layouts;
  }

  /// A chain up to a border, with the entry chosen for each block so far.
  struct Arrival {
    std::vector<TensorLayout> border;
    bool isStart = true;
    Nanoseconds time;
    Bytes saved;
    std::vector<const BlockEntry *> entries;
  };

  static bool isBetter(const Arrival &a, const Arrival &b) {
    return std::pair(a.time, a.saved) < std::pair(b.time, b.saved);
  }

  const std::vector<BlockEntry> &tableOf(workload::BlockIndex block) {
    return tables.table(block, setting, 0, kernels);
  }

  static double parametersOf(const BlockEntry &entry) {
    SharedParameters all = parametersOfUnit(entry.costs);
    return double(all.dense) + double(all.expert);
  }

  std::vector<Arrival> extend(const std::vector<Arrival> &arrivals,
                              const workload::Segment &segment,
                              bool splitWeights) {
    const std::vector<BlockEntry> &table = tableOf(segment.block);
    double most = std::numeric_limits<double>::infinity();
    // Biases and norms do not count as weights.
    constexpr double smallPart = 1.02;
    if (splitWeights)
      for (const BlockEntry &entry : table)
        most = std::min(most, parametersOf(entry) * smallPart);
    std::vector<Arrival> extended;
    for (const Arrival &arrival : arrivals)
      for (const BlockEntry &entry : table) {
        if (!arrival.isStart && arrival.border != entry.inputs)
          continue;
        if (parametersOf(entry) > most)
          continue;
        Arrival next = arrival;
        next.entries.resize(workload.blocks.size());
        const BlockEntry *&chosen = next.entries[segment.block];
        // A block has one layout wherever it occurs.
        if (chosen && chosen != &entry)
          continue;
        chosen = &entry;
        next.isStart = false;
        next.border = entry.outputs;
        const UnitCosts &costs = entry.costs;
        Nanoseconds unit = costs.time(recompute);
        next.time += unit * segment.count;
        next.saved += costs.saved[size_t(recompute)] * segment.count;
        keep(extended, std::move(next));
      }
    return extended;
  }

  /// One arrival per border is enough, unless blocks recur.
  static void keep(std::vector<Arrival> &arrivals, Arrival next) {
    for (Arrival &other : arrivals) {
      if (other.border != next.border)
        continue;
      if (isBetter(next, other))
        other = std::move(next);
      return;
    }
    arrivals.push_back(std::move(next));
  }

  const workload::Workload &workload;
  Recompute recompute;
  CollectiveTimes collectives;
  KernelTimes kernels;
  BlockTables tables;
  UnitSetting setting;
};

Strategy outerOf(const FixedPlan &plan) {
  Strategy strategy;
  static_cast<Degrees &>(strategy) = plan;
  strategy.zeroStage = plan.zeroStage;
  strategy.zeroGroup = plan.zeroGroup;
  strategy.microBatch = plan.microBatch;
  if (plan.virtualStages > 1)
    strategy.schedule = ScheduleFamily::Interleaved;
  return strategy;
}

/// Layers recompute; embedding and head have nothing to gain.
std::vector<Stage> stagesOf(const workload::Workload &workload,
                            const std::vector<int64_t> &begins,
                            const FixedPlan &plan) {
  std::vector<Stage> stages;
  int64_t layer = 0;
  for (size_t i = 0; i + 1 < begins.size(); ++i) {
    Stage &stage = stages.emplace_back();
    stage.begin = begins[i];
    stage.end = begins[i + 1];
    for (int64_t unit = stage.begin; unit < stage.end; ++unit) {
      const workload::Segment &segment =
          workload.segments[workload.segmentOf(unit)];
      bool repeats = segment.count > 1 || workload.segments.size() == 1;
      bool recomputes = repeats && layer++ % plan.recomputeEvery == 0;
      stage.recompute.push_back(recomputes ? plan.recompute : Recompute::None);
    }
  }
  return stages;
}

} // namespace

std::optional<Strategy> strategyOf(const CostContext &context,
                                   const FixedPlan &plan, std::string &error) {
  Strategy strategy = outerOf(plan);
  int64_t stages =
      checkedMultiply(plan.pipeline, plan.virtualStages).value_or(0);
  if (stages < 1 || plan.recomputeEvery < 1) {
    error = "pipeline, virtual stages and recompute-every must be at least 1";
    return std::nullopt;
  }
  std::vector<int64_t> begins = equalStages(context.workload, stages);
  if (begins.empty()) {
    error = fmt::format("{} stages for {} units of the model", stages,
                        context.workload.unitCount());
    return std::nullopt;
  }
  strategy.stages = stagesOf(context.workload, begins, plan);
  // Layouts last; they need the rest, and everything else is checked before.
  for (const workload::Block &block : context.workload.blocks)
    strategy.layouts.push_back(
        {std::vector<OpSplit>(block.ops.size()),
         std::vector<TensorLayout>(block.tensors.size())});
  error = strategy.verify(context.workload);
  if (!error.empty())
    return std::nullopt;
  int64_t devices = context.topology.deviceCount();
  if (strategy.rankCount() > devices) {
    error = fmt::format("{} ranks, but the cluster has {} devices",
                        strategy.rankCount(), devices);
    return std::nullopt;
  }
  auto layouts = LayoutChain(context, strategy, plan).solve();
  if (!layouts) {
    error = fmt::format("the model's blocks have no layouts that fit together "
                        "with tensor={}",
                        plan.tensor);
    return std::nullopt;
  }
  strategy.layouts = std::move(*layouts);
  return strategy;
}

} // namespace shardsmith

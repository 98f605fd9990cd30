// SPDX-License-Identifier: Apache-2.0

#include "Decisions.h"

#include "shardsmith/Cost/Paths/AxisPaths.h"
#include "shardsmith/Schedule/Families.h"
#include "shardsmith/Schedule/ScheduleTable.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardsmith::emit {

namespace {

/// The levels of so many neighbours from `first` on, or nothing if they do not
/// fill their domains evenly, or some are not connected.
std::optional<std::vector<PathLevel>>
evenLevels(const ClusterTopology &topology, int64_t first, int64_t ranks) {
  GroupPath path = topology.path(1, ranks, first, ranks);
  if (!path.isConnected())
    return std::nullopt;
  int64_t devices = 1;
  for (size_t level = 0; level < path.levels.size(); ++level) {
    devices *= path.levels[level].fanout;
    // As many neighbours, wherever they begin, need no link further out.
    if (ranks % devices != 0 ||
        topology.path(1, devices, first, ranks).levels.size() != level + 1)
      return std::nullopt;
  }
  if (devices != ranks)
    return std::nullopt;
  return path.levels;
}

} // namespace

std::optional<Transformer>
Refusals::requireTransformer(const EmitInput &input) {
  std::string why;
  std::optional<Transformer> chain = Transformer::of(input.workload, why);
  if (!chain)
    add(transformerObstacle(input.workload));
  return chain;
}

void Refusals::requireOneKind(const EmitInput &input) {
  const Strategy &strategy = input.strategy();
  std::string problem = verifyPlacement(input.topology, strategy);
  if (!problem.empty())
    return add(problem);
  unsigned pool = strategy.stages.front().pool;
  bool isMixed = !strategy.dataShares.empty() ||
                 std::ranges::any_of(strategy.stages, [&](const Stage &stage) {
                   return stage.pool != pool;
                 });
  if (isMixed)
    add("ranks on devices of several kinds", "a cluster of one kind of device");
}

std::optional<std::vector<PathLevel>>
Refusals::requireEvenLevels(const EmitInput &input) {
  int64_t ranks = input.strategy().rankCount();
  unsigned pool = input.strategy().stages.front().pool;
  int64_t first = input.topology.pools()[pool].begin;
  auto levels = evenLevels(input.topology, first, ranks);
  if (!levels)
    add(fmt::format("{} ranks that do not fill each level of the network "
                    "evenly",
                    ranks),
        "as many ranks as whole nodes have");
  return levels;
}

std::optional<StreamedFile> Refusals::requireTable(const EmitInput &input,
                                                   std::string_view name) {
  const Strategy &strategy = input.strategy();
  std::string error;
  auto schedule = schedule::makeSchedule(
      strategy.schedule,
      {strategy.pipeline, strategy.virtualStages, microBatchesOf(input)},
      error);
  if (schedule)
    return StreamedFile{std::string(name), [schedule = std::move(*schedule)](
                                               const TextSink &sink) {
                          sink(schedule::toTable(schedule));
                        }};
  add(fmt::format("schedule={}: {}", nameOf(strategy.schedule), error));
  return std::nullopt;
}

void Refusals::requireOrder(const Strategy &strategy,
                            std::span<const std::vector<PlanAxis>> orders) {
  std::vector<PlanAxis> used = usedOrder(strategy.deviceOrder, strategy);
  for (const std::vector<PlanAxis> &order : orders)
    if (usedOrder(order, strategy) == used)
      return;
  add(fmt::format("the device order {}", textOf(strategy.deviceOrder)),
      fmt::format("order={}", textOf(orders.front())));
}

void Refusals::requireOnly(std::initializer_list<Degree> known,
                           const Strategy &strategy) {
  for (const DegreeTraits &traits : allDegrees()) {
    bool hasRanks = traits.axis || traits.degree == Degree::Expert;
    if (hasRanks && std::ranges::find(known, traits.degree) == known.end())
      requireNo(traits.degree, strategy);
  }
}

void Refusals::requireNo(Degree degree, const Strategy &strategy) {
  const DegreeTraits &traits = allDegrees()[size_t(degree)];
  if (strategy[degree] > 1)
    add(fmt::format("{}={}", traits.name, strategy[degree]),
        fmt::format("{}=1", traits.abbreviation));
}

void Refusals::requireNoRecompute(const Strategy &strategy) {
  bool recomputes =
      std::ranges::any_of(strategy.stages, [](const Stage &stage) {
        return std::ranges::any_of(stage.recompute, [](Recompute choice) {
          return choice != Recompute::None;
        });
      });
  if (recomputes)
    add("recompute, which is the model's own code there", "recompute=none");
}

void Refusals::requireEvenBatch(const EmitInput &input) {
  const Strategy &strategy = input.strategy();
  if (!strategy.dataShares.empty())
    add("micro-batches that differ between data ranks",
        "a cluster of one kind of device");
  else if (input.workload.globalBatch % (strategy.data * strategy.microBatch))
    add(fmt::format("data={} with micro-batch={}, which do not divide the {} "
                    "sequences of a step",
                    strategy.data, strategy.microBatch,
                    input.workload.globalBatch),
        "dp and mbs whose product divides the global batch");
}

void Refusals::requireOneZeroGroup(const Strategy &strategy) {
  int64_t ranks = strategy.replicas();
  if (strategy.zeroStage > 0 && zeroRanks(strategy) != ranks)
    add(fmt::format("zero={} in groups of {} of the {} ranks",
                    strategy.zeroStage, zeroRanks(strategy), ranks),
        fmt::format("zero={}", strategy.zeroStage));
}

int64_t microBatchesOf(const EmitInput &input) {
  return input.strategy().microBatchCount(input.workload.globalBatch);
}

int64_t zeroRanks(const Strategy &strategy) {
  if (strategy.zeroStage == 0)
    return 1;
  return strategy.zeroGroup ? strategy.zeroGroup : strategy.replicas();
}

std::optional<Recompute> commonRecompute(const Strategy &strategy,
                                         const Transformer &chain) {
  std::optional<Recompute> common;
  for (const Stage &stage : strategy.stages)
    for (int64_t unit = stage.begin; unit < stage.end; ++unit) {
      Recompute choice = stage.recompute[size_t(unit - stage.begin)];
      if (!chain.isLayer(unit))
        continue;
      if (common && *common != choice)
        return std::nullopt;
      common = choice;
    }
  return common;
}

bool splitsPositions(const EmitInput &input) {
  const Strategy &strategy = input.strategy();
  if (strategy.tensor == 1)
    return false;
  for (size_t i = 0; i < input.workload.blocks.size(); ++i) {
    const workload::Block &block = input.workload.blocks[i];
    if (!hasAttention(block))
      continue;
    for (workload::TensorIndex tensor : block.inputs)
      if (strategy.layouts[i].tensors[tensor].kind == TensorLayout::Kind::Split)
        return true;
  }
  return false;
}

std::optional<bool> splitsExperts(const EmitInput &input) {
  std::optional<bool> common;
  for (size_t i = 0; i < input.workload.blocks.size(); ++i) {
    const workload::Block &block = input.workload.blocks[i];
    for (workload::TensorIndex tensor : block.parameters) {
      bool hasExperts = false;
      for (size_t dim = 0; dim < block.tensors[tensor].shape.size(); ++dim)
        hasExperts |= block.runsOverExperts(tensor, dim);
      if (!hasExperts)
        continue;
      bool splits = input.strategy().layouts[i].tensors[tensor].kind ==
                    TensorLayout::Kind::Split;
      if (common && *common != splits)
        return std::nullopt;
      common = splits;
    }
  }
  return common;
}

} // namespace shardsmith::emit

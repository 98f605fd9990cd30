// SPDX-License-Identifier: Apache-2.0

#include "MegatronPlan.h"

#include "RuntimeLayouts.h"

#include <array>
#include <fmt/format.h>

namespace shardsmith::emit {
namespace {

/// The number of layers that each stage computes again if those are its first
/// ones, as many on every stage that has so many.
std::optional<int64_t> recomputedOfEach(const EmitInput &input,
                                        const Transformer &chain) {
  std::optional<int64_t> common;
  int64_t most = 0;
  std::vector<std::pair<int64_t, int64_t>> shortStages;
  for (const Stage &stage : input.strategy().stages) {
    int64_t layers = 0, recomputed = 0;
    for (int64_t unit = stage.begin; unit < stage.end; ++unit) {
      if (!chain.isLayer(unit))
        continue;
      Recompute choice = stage.recompute[size_t(unit - stage.begin)];
      if (choice == Recompute::Selective)
        return std::nullopt;
      if (choice == Recompute::Full && recomputed != layers)
        return std::nullopt;
      recomputed += choice == Recompute::Full;
      ++layers;
    }
    most = std::max(most, recomputed);
    if (recomputed == layers)
      continue; // As many as it has; others say how many are asked for.
    if (common && *common != recomputed)
      return std::nullopt;
    common = recomputed;
  }
  return common && most <= *common ? common : std::nullopt;
}

void checkSchedule(const EmitInput &input, Refusals &refusals) {
  const Strategy &strategy = input.strategy();
  if (strategy.pipeline == 1)
    return;
  bool isInterleaved = strategy.schedule == ScheduleFamily::Interleaved;
  if (!isInterleaved &&
      strategy.schedule != ScheduleFamily::OneForwardOneBackward)
    refusals.add(
        fmt::format("schedule={}", nameOf(strategy.schedule)),
        strategy.virtualStages > 1
            ? fmt::format("schedule=interleaved,vpp={}", strategy.virtualStages)
            : "schedule=1f1b");
  // Longer rounds come last there, and first in our order.
  int64_t count = microBatchesOf(input);
  if (isInterleaved && strategy.virtualStages > 1 && count % strategy.pipeline)
    refusals.add(fmt::format("schedule=interleaved with {} micro-batches, no "
                             "multiple of pipeline={}",
                             count, strategy.pipeline),
                 "schedule=1f1b");
}

/// Sequence parallelism takes equally many positions on every rank.
void checkPositions(const EmitInput &input, const MegatronPlan &plan,
                    Refusals &refusals) {
  const Strategy &strategy = input.strategy();
  int64_t positions = input.workload.sequenceLength;
  if (plan.sequenceParallel && positions % strategy.unitRanks() != 0)
    refusals.add(fmt::format("{} positions split over the tensor={} ranks, "
                             "with context={}",
                             positions, strategy.tensor, strategy.context),
                 "sp=off");
}

void checkExperts(const EmitInput &input, MegatronPlan &plan,
                  Refusals &refusals) {
  const Strategy &strategy = input.strategy();
  if (strategy.expert == 1)
    return;
  std::optional<bool> splits = splitsExperts(input);
  if (strategy.tensor == 1 || splits == true)
    plan.expertTensor = strategy.tensor;
  else
    refusals.add(fmt::format("expert={} over data ranks with experts whole on "
                             "the tensor={} ranks; without expert tensor "
                             "parallelism expert ranks lie on tensor ranks",
                             strategy.expert, strategy.tensor),
                 "tp=1");
}

void checkRecompute(const EmitInput &input, const Transformer &chain,
                    MegatronPlan &plan, Refusals &refusals) {
  if (auto common = commonRecompute(input.strategy(), chain)) {
    plan.recompute = *common;
    if (*common == Recompute::Selective && input.profile.selectiveKeepsProducts)
      refusals.add(fmt::format("recompute=selective as profile \"{}\" has it, "
                               "which keeps every second product",
                               input.profile.name),
                   "recompute=full");
    return;
  }
  plan.recompute = Recompute::Full;
  plan.recomputedLayers = recomputedOfEach(input, chain);
  if (!plan.recomputedLayers)
    refusals.add("recompute that differs between layers, other than as many "
                 "first layers of every stage",
                 "recompute=full");
}

} // namespace

std::string_view megatronSharding(int zeroStage) {
  constexpr std::array<std::string_view, 4> names = {
      "no_shard", "optim", "optim_grads", "optim_grads_params"};
  return names[size_t(zeroStage)];
}

MegatronPlan megatronPlan(const EmitInput &input, Refusals &refusals) {
  const Strategy &strategy = input.strategy();
  MegatronPlan plan;
  std::optional<Transformer> chain = refusals.requireTransformer(input);
  if (!chain)
    return plan;
  requireLayouts({}, input, refusals);
  plan.sequenceParallel = splitsPositions(input);
  checkPositions(input, plan, refusals);
  const std::array orders = {usualDeviceOrder(),
                             std::vector{PlanAxis::Tensor, PlanAxis::Context,
                                         PlanAxis::Pipeline, PlanAxis::Data}};
  refusals.requireOrder(strategy, orders);
  plan.pipelineBeforeData = usedOrder(strategy.deviceOrder, strategy) !=
                            usedOrder(orders[0], strategy);
  refusals.requireOnly({Degree::Tensor, Degree::Context, Degree::Data,
                        Degree::Pipeline, Degree::Expert},
                       strategy);
  refusals.requireEvenBatch(input);
  checkSchedule(input, refusals);
  plan.allToAllContext =
      strategy.context > 1 && strategy.contextMethod == ContextMethod::AllToAll;
  checkExperts(input, plan, refusals);
  checkRecompute(input, *chain, plan, refusals);
  if (strategy.zeroStage > 0)
    plan.optimizerInstances = strategy.replicas() / zeroRanks(strategy);
  if (strategy.pipeline > 1) {
    if (auto stages = chain->contents(strategy.stages))
      plan.layout = megatronLayout(*stages);
    else
      refusals.add("a stage that begins inside of embedding or head");
  }
  return plan;
}

} // namespace shardsmith::emit

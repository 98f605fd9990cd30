// SPDX-License-Identifier: Apache-2.0

#include "PlayedStages.h"

#include "../Scale.h"

namespace shardsmith {

using schedule::StageDurations;

namespace {

StageDurations durationsOf(const CostContext &context, const StepModel &model,
                           unsigned pool, const StageWork &work) {
  RankTimes times = model.times(pool, work, {});
  StageDurations each;
  each.forward = work.forward;
  each.backwardInput = work.backwardInput;
  each.backwardWeight = work.backwardWeight;
  each.recompute = work.recompute;
  Nanoseconds before(times.gather.count() / 2);
  each.forwardCommunication = work.forwardCommunication.sum() + before;
  each.backwardCommunication =
      work.backwardCommunication.sum() + (times.gather - before);
  each.reduce = times.data;
  each.update = times.optimizer;
  each.savedUntilWeight = scaled(work.saved, context.profile.activationFactor);
  return each;
}

} // namespace

std::vector<StageDurations>
playedStages(const CostContext &context, const Strategy &strategy,
             const StepModel &model, const PipelineLinks &links,
             std::span<const unsigned> pools,
             const std::vector<std::vector<UnitCosts>> &unitsOfPool) {
  std::vector<StageDurations> stages;
  // Most stages do the same work as the one before.
  StageWork before;
  unsigned poolBefore = 0;
  StageDurations ofWork;
  for (size_t s = 0; s < strategy.stages.size(); ++s) {
    auto rank = size_t(
        pipelineRankOf(strategy.schedule, strategy.pipeline, int64_t(s)));
    unsigned pool = pools[rank];
    StageWork work =
        workOf(context.workload, strategy.stages[s], unitsOfPool[pool]);
    if (s == 0 || pool != poolBefore || work != before) {
      ofWork = durationsOf(context, model, pool, work);
      poolBefore = pool;
      before = work;
    }
    StageDurations each = ofWork;
    // Gradients are as large as the activations that they belong to.
    if (s > 0)
      each.sendBackward = stages.back().sendForward;
    if (s + 1 < strategy.stages.size())
      each.sendForward =
          model.messageTime({work.outputBytes, links.ofStage(s)});
    stages.push_back(each);
  }
  // Once a rank has all its sums, with all that it holds together with others.
  std::vector<RankWork> ranks =
      workOfRanks(context.workload, strategy, pools, links, unitsOfPool);
  std::vector<bool> isSeen(ranks.size());
  for (size_t s = 0; s < stages.size(); ++s) {
    auto rank = size_t(
        pipelineRankOf(strategy.schedule, strategy.pipeline, int64_t(s)));
    if (!isSeen[rank])
      stages[s].update +=
          model.sharedExchange(ranks[rank].sum, links.slowest());
    isSeen[rank] = true;
  }
  return stages;
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Schedule/StrategySimulation.h"

#include "shardsmith/Cost/StepModel.h"
#include "shardsmith/Schedule/Families.h"

#include <algorithm>

namespace shardsmith::schedule {
namespace {

class StrategyPlayer {
public:
  StrategyPlayer(const CostContext &context, const Strategy &strategy)
      : context(context), strategy(strategy),
        collectives(context.topology.cluster(), context.profile),
        model(context, strategy) {
    for (unsigned pool = 0; pool < context.topology.pools().size(); ++pool)
      unitsOfPool.push_back(unitPrices(context, strategy, pool));
  }

  /// `pools`: of each pipeline rank.
  std::optional<StrategySimulation> play(const std::vector<unsigned> &pools,
                                         int64_t microBatches,
                                         std::string &error) const {
    StrategySimulation played;
    PipelineLinks links(context.topology, strategy, pools);
    for (size_t s = 0; s < strategy.stages.size(); ++s) {
      auto rank = size_t(
          pipelineRankOf(strategy.schedule, strategy.pipeline, int64_t(s)));
      bool isLast = s + 1 == strategy.stages.size();
      played.stages.push_back(durations(strategy.stages[s], pools[rank],
                                        isLast ? nullptr : links.ofStage(s)));
    }
    // Gradients are as large as the activations they belong to, which the
    // stage before has sent.
    for (size_t s = 1; s < played.stages.size(); ++s)
      played.stages[s].sendBackward = played.stages[s - 1].sendForward;
    PipelineShape shape{strategy.pipeline, strategy.virtualStages,
                        microBatches};
    std::optional<Schedule> compute =
        makeSchedule(strategy.schedule, shape, error);
    if (!compute)
      return std::nullopt;
    CommunicationOptions written;
    written.reduceGradients = written.update = true;
    played.schedule = addCommunication(*compute, written);
    std::optional<Simulation> simulation =
        simulate(played.schedule, played.stages, error,
                 {std::max(context.profile.overlapSlowdown, 1.0)});
    if (!simulation)
      return std::nullopt;
    played.simulation = std::move(*simulation);
    StepModel::Totals totals;
    totals.perMicroBatch = played.simulation.period();
    played.step = model.step(totals, 1);
    return played;
  }

private:
  /// `path`: to the next stage, if there is one.
  StageDurations durations(const Stage &stage, unsigned pool,
                           const GroupPath *path) const {
    StageWork work = workOf(context.workload, stage, unitsOfPool[pool]);
    RankTimes times = model.times(pool, work, {});
    StageDurations each;
    each.forward = work.forward;
    each.backwardInput = work.backwardInput;
    each.backwardWeight = work.backwardWeight;
    each.recompute = work.recompute;
    // ZeRO's gathers come before either pass.
    Nanoseconds before(times.gather.count() / 2);
    each.forwardCommunication = work.forwardCommunication.total() + before;
    each.backwardCommunication =
        work.backwardCommunication.total() + (times.gather - before);
    if (path && path->members > 1 && work.outputBytes.count() > 0)
      each.sendForward =
          collectives.time(CollectiveOp::SendReceive, *path, work.outputBytes)
              .time;
    each.reduce = times.data;
    each.update = times.optimizer;
    double kept = static_cast<double>(work.saved.count()) *
                  context.profile.activationFactor;
    each.savedUntilWeight =
        kept < 9e18 ? Bytes(static_cast<int64_t>(kept)) : Bytes::saturated();
    return each;
  }

  const CostContext &context;
  const Strategy &strategy;
  CollectiveTimes collectives;
  StepModel model;
  std::vector<std::vector<UnitCosts>> unitsOfPool;
};

} // namespace

std::optional<StrategySimulation> simulateStrategy(const CostContext &context,
                                                   const Strategy &strategy,
                                                   std::string &error) {
  StrategyPlayer player(context, strategy);
  if (strategy.dataShares.empty())
    return player.play(poolsOfRanks(strategy),
                       strategy.microBatchCount(context.workload.globalBatch),
                       error);
  std::optional<StrategySimulation> longest;
  for (auto [pool, microBatches] : strategy.microBatchesOnPools()) {
    std::optional<StrategySimulation> played =
        player.play(std::vector<unsigned>(size_t(strategy.pipeline), pool),
                    microBatches, error);
    if (!played)
      return std::nullopt;
    if (!longest || played->step > longest->step)
      longest = std::move(played);
  }
  return longest;
}

} // namespace shardsmith::schedule

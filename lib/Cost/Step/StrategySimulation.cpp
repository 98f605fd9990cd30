// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Step/StrategySimulation.h"

#include "PlayedStages.h"
#include "shardsmith/Cost/Step/StepModel.h"
#include "shardsmith/Schedule/Families.h"

#include <algorithm>

namespace shardsmith {

using namespace schedule;

namespace {

class StrategyPlayer {
public:
  StrategyPlayer(const CostContext &context, const Strategy &strategy)
      : context(context), strategy(strategy), model(context, strategy) {
    for (unsigned pool = 0; pool < context.topology.pools().size(); ++pool)
      unitsOfPool.push_back(unitPrices(context, strategy, pool));
  }

  /// `pools`: of each pipeline rank.
  std::optional<StrategySimulation> play(const std::vector<unsigned> &pools,
                                         int64_t microBatches,
                                         std::string &error) const {
    StrategySimulation played;
    PipelineLinks links(context.topology, strategy, pools);
    played.stages =
        playedStages(context, strategy, model, links, pools, unitsOfPool);
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
  const CostContext &context;
  const Strategy &strategy;
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

} // namespace shardsmith

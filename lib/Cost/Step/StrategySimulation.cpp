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
    PipelineShape shape{strategy.pipeline, strategy.virtualStages,
                        microBatches};
    std::optional<Schedule> compute =
        makeSchedule(strategy.schedule, shape, error);
    if (!compute)
      return std::nullopt;
    return play(pools, *compute, error);
  }

  std::optional<StrategySimulation> play(const std::vector<unsigned> &pools,
                                         const Schedule &schedule,
                                         std::string &error) const {
    StrategySimulation played;
    played.stages = stagesOn(pools);
    CommunicationOptions written;
    written.reduceGradients = written.update = true;
    played.schedule = addCommunication(schedule, written);
    std::optional<Simulation> simulation =
        simulate(played.schedule, played.stages, error, options());
    if (!simulation)
      return std::nullopt;
    played.simulation = std::move(*simulation);
    StepModel::Totals totals;
    totals.perMicroBatch = played.simulation.period();
    played.step = model.step(totals, 1);
    return played;
  }

  std::vector<StageDurations>
  stagesOn(const std::vector<unsigned> &pools) const {
    PipelineLinks links(context.topology, strategy, pools);
    return playedStages(context, strategy, model, links, pools, unitsOfPool);
  }
  SimulationOptions options() const {
    return {std::max(context.profile.overlapSlowdown, 1.0)};
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
  for (auto [pool, microBatches] : strategy.slotsOnPools()) {
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

namespace {

/// A table is for one number of micro-batches.
bool isOnePipeline(const Strategy &strategy, std::string &error) {
  if (strategy.dataShares.empty())
    return true;
  error = "data ranks on several kinds of device run different numbers of "
          "micro-batches; a schedule of one's own is for one number";
  return false;
}

} // namespace

std::optional<StrategySimulation> simulateStrategy(const CostContext &context,
                                                   const Strategy &strategy,
                                                   const Schedule &schedule,
                                                   std::string &error) {
  if (!isOnePipeline(strategy, error))
    return std::nullopt;
  return StrategyPlayer(context, strategy)
      .play(poolsOfRanks(strategy), schedule, error);
}

std::optional<PipelineProblem> pipelineProblem(const CostContext &context,
                                               const Strategy &strategy,
                                               std::string &error) {
  if (!isOnePipeline(strategy, error))
    return std::nullopt;
  StrategyPlayer player(context, strategy);
  PipelineProblem problem;
  problem.stages = player.stagesOn(poolsOfRanks(strategy));
  problem.ranks = strategy.pipeline;
  problem.microBatches = strategy.microBatchCount(context.workload.globalBatch);
  problem.simulation = player.options();
  for (size_t stage = 0; stage < problem.stages.size(); ++stage)
    problem.rankOfStage.push_back(
        pipelineRankOf(strategy.schedule, strategy.pipeline, int64_t(stage)));
  StepEstimate estimate = estimateStep(context, strategy);
  for (const StageEstimate &rank : estimate.ranks)
    problem.memoryLimits.push_back(
        rank.memoryLimit - (rank.memory.total() - rank.memory.activations));
  return problem;
}

} // namespace shardsmith

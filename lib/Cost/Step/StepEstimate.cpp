// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Step/StepEstimate.h"

#include "PlayedStages.h"
#include "shardsmith/Cost/Step/StepModel.h"
#include "shardsmith/Schedule/PlayedPeriod.h"

#include <algorithm>

namespace shardsmith {

namespace {

/// One line of stages: with pipeline ranks on pools of their own there is one,
/// with data ranks on different pools there is one per pool.
struct Pipeline {
  /// The pool of every pipeline rank.
  std::vector<unsigned> pools;
  /// Those that it goes through, which may be more than it has.
  int64_t microBatches = 1;
};

std::vector<Pipeline> pipelinesOf(const CostContext &context,
                                  const Strategy &strategy) {
  std::vector<Pipeline> pipelines;
  if (strategy.dataShares.empty())
    return {{poolsOfRanks(strategy),
             strategy.microBatchCount(context.workload.globalBatch)}};
  for (auto [pool, microBatches] : strategy.slotsOnPools())
    pipelines.push_back(
        {std::vector(size_t(strategy.pipeline), pool), microBatches});
  return pipelines;
}

/// The time that the schedule takes when it is played; 0 if there is no
/// pipeline, or if the schedule cannot be written down.
Nanoseconds playedWork(const CostContext &context, const Strategy &strategy,
                       const StepModel &model, const Pipeline &pipeline,
                       const PipelineLinks &links,
                       const std::vector<std::vector<UnitCosts>> &unitsOfPool) {
  schedule::PipelineShape shape{strategy.pipeline, strategy.virtualStages,
                                pipeline.microBatches};
  if (shape.stageCount() == 1 ||
      !schedule::obstacle(strategy.schedule, shape).empty())
    return {};
  Nanoseconds played =
      schedule::playedPeriod(strategy.schedule, shape,
                             playedStages(context, strategy, model, links,
                                          pipeline.pools, unitsOfPool),
                             std::max(context.profile.overlapSlowdown, 1.0));
  return played.isSaturated() ? Nanoseconds() : played;
}

/// Whole pipelines, rank by rank.
struct PipelineEstimate {
  TimeSplit time;
  std::vector<StageEstimate> ranks;
};

bool takeTheSame(const RankWork &a, const RankWork &b) {
  auto isSame = [](const PipelineMessage &one, const PipelineMessage &other) {
    return one.bytes == other.bytes && *one.path == *other.path;
  };
  return a.pool == b.pool && a.sum == b.sum &&
         std::ranges::equal(a.messages, b.messages, isSame);
}

PipelineEstimate
estimatePipeline(const CostContext &context, const Strategy &strategy,
                 const StepModel &model, const Pipeline &pipeline,
                 const std::vector<std::vector<UnitCosts>> &unitsOfPool) {
  PipelineEstimate estimate;
  StepModel filled = model.filledBy(pipeline.microBatches);
  PipelineLinks links(context.topology, strategy, pipeline.pools);
  std::vector<RankTimes> times;
  std::vector<RankWork> ranks = workOfRanks(context.workload, strategy,
                                            pipeline.pools, links, unitsOfPool);
  for (size_t number = 0; number < ranks.size(); ++number) {
    const RankWork &rank = ranks[number];
    // Most ranks do the same as the one before.
    if (number > 0 && takeTheSame(ranks[number - 1], rank)) {
      times.push_back(times.back());
    } else {
      times.push_back(filled.times(rank.pool, rank.sum, rank.messages));
      times.back().shared = model.sharedExchange(rank.sum, links.slowest());
    }
    estimate.ranks.push_back(
        model.memory(int64_t(number), rank.pool, rank.sum));
  }
  Nanoseconds played =
      playedWork(context, strategy, model, pipeline, links, unitsOfPool);
  estimate.time = model.split(times, pipeline.microBatches, played);
  return estimate;
}

/// Free memory as a fraction of the limit; negative where it does not fit.
double room(const StageEstimate &rank) {
  double limit = double(std::max<int64_t>(rank.memoryLimit.count(), 1));
  return 1 - double(rank.memory.total().count()) / limit;
}

} // namespace

Nanoseconds TimeSplit::total() const {
  return compute + recompute + sum() + data + pipeline + bubble + optimizer +
         straggler + fixed;
}

Bytes MemorySplit::total() const {
  return parameters + gradients + optimizerState + activations + workspace +
         communication + overhead;
}

bool StepEstimate::fits() const {
  return std::ranges::all_of(ranks, [](const StageEstimate &rank) {
    return rank.memory.total() <= rank.memoryLimit;
  });
}

UnitSetting unitSetting(const Strategy &strategy) {
  UnitSetting setting;
  setting.microBatch = strategy.microBatch;
  static_cast<UnitDegrees &>(setting) = strategy.unit();
  return setting;
}

UnitSetting unitSetting(const CostContext &context, const Strategy &strategy,
                        unsigned pool) {
  AxisPaths paths(context.topology, strategy);
  UnitSetting setting = unitSetting(strategy);
  setting.paths = paths.ofUnit(pool).map(
      [](const GroupPath &path) { return PathChoice(path); });
  return setting;
}

namespace {

/// Calls `visit` with the model and the layout of each block.
template <typename Visit>
void eachBlock(const CostContext &context, const Strategy &strategy,
               unsigned pool, Visit visit) {
  CollectiveTimes collectives(context.topology.cluster(), context.profile);
  KernelTimes kernels(context.topology.deviceType(pool), context.profile);
  UnitSetting setting = unitSetting(context, strategy, pool);
  workload::ParameterSharing sharing =
      workload::sharedParameters(context.workload);
  auto exchanges = std::make_shared<ExchangeCache>();
  for (workload::BlockIndex block = 0; block < context.workload.blocks.size();
       ++block)
    visit(UnitCostModel(std::make_shared<PricedBlock>(context.workload, block,
                                                      sharing, kernels),
                        setting, collectives, exchanges),
          strategy.layouts[block]);
}

} // namespace

std::vector<UnitCosts> unitPrices(const CostContext &context,
                                  const Strategy &strategy, unsigned pool) {
  std::vector<UnitCosts> units;
  eachBlock(context, strategy, pool,
            [&](const UnitCostModel &model, const BlockLayout &layout) {
              units.push_back(model.price(layout));
            });
  return units;
}

std::vector<UnitExchanges> unitExchanges(const CostContext &context,
                                         const Strategy &strategy,
                                         unsigned pool) {
  std::vector<UnitExchanges> units;
  eachBlock(context, strategy, pool,
            [&](const UnitCostModel &model, const BlockLayout &layout) {
              units.push_back(model.exchangesOf(layout));
            });
  return units;
}

StepEstimate
estimateStep(const CostContext &context, const Strategy &strategy,
             const std::vector<std::vector<UnitCosts>> &unitsOfPool) {
  StepModel model(context, strategy);
  StepEstimate estimate;
  estimate.uncertainty = context.profile.uncertainty;
  estimate.provenance = context.profile.provenance;
  for (const Pipeline &pipeline : pipelinesOf(context, strategy)) {
    PipelineEstimate each =
        estimatePipeline(context, strategy, model, pipeline, unitsOfPool);
    if (each.time.total() > estimate.time.total())
      estimate.time = each.time;
    if (estimate.ranks.empty())
      estimate.ranks = each.ranks;
    for (size_t rank = 0; rank < each.ranks.size(); ++rank)
      if (room(each.ranks[rank]) < room(estimate.ranks[rank]))
        estimate.ranks[rank] = each.ranks[rank];
  }
  for (size_t rank = 0; rank < estimate.ranks.size(); ++rank)
    if (room(estimate.ranks[rank]) < room(estimate.ranks[estimate.fullestRank]))
      estimate.fullestRank = rank;
  return estimate;
}

Nanoseconds
estimateReplica(const CostContext &context, const Strategy &strategy,
                const StepModel &model, unsigned pool, int64_t microBatches,
                const std::vector<std::vector<UnitCosts>> &unitsOfPool) {
  Pipeline pipeline{std::vector(size_t(strategy.pipeline), pool), microBatches};
  return estimatePipeline(context, strategy, model, pipeline, unitsOfPool)
      .time.total();
}

StepEstimate estimateStep(const CostContext &context,
                          const Strategy &strategy) {
  std::vector<std::vector<UnitCosts>> unitsOfPool;
  for (unsigned pool = 0; pool < context.topology.pools().size(); ++pool)
    unitsOfPool.push_back(unitPrices(context, strategy, pool));
  return estimateStep(context, strategy, unitsOfPool);
}

int64_t playedPasses(int64_t stages, int64_t microBatches) {
  return std::min(stages * microBatches, schedule::longestPlay);
}

} // namespace shardsmith

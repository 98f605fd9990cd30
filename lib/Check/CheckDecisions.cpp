// SPDX-License-Identifier: Apache-2.0

#include "Axes.h"
#include "Groups.h"
#include "Legality.h"
#include "Rounding.h"
#include "shardsmith/Schedule/Families.h"
#include "shardsmith/Schedule/Replay.h"

#include <algorithm>

namespace shardsmith::check {
namespace {

using namespace workload;

class DecisionCheck {
public:
  DecisionCheck(const CheckInputs &inputs, const ClusterTopology &topology,
                const Strategy &strategy, Findings &findings)
      : workload(inputs.workload), topology(topology), strategy(strategy),
        findings(findings) {}

  /// Later checks divide by what earlier ones have found to be right.
  void run() {
    degrees();
    order();
    if (!findings.empty())
      return;
    zero();
    experts();
    batch();
    stages();
    if (!findings.empty())
      return;
    pools();
    schedule();
  }

private:
  void degrees() {
    for (const AxisRow &row : axisRows())
      if (strategy[row.degree] < 1)
        findings.broken(fmt::format("/strategy/degrees/{}", row.key),
                        "a degree is at least 1, this is {}",
                        strategy[row.degree]);
    if (strategy.microBatch < 1)
      findings.broken("/strategy/micro_batch",
                      "a micro-batch has at least one sequence, this has {}",
                      strategy.microBatch);
    if (!findings.empty())
      return;
    int64_t ranks = ranksOf(strategy);
    if (ranks > topology.deviceCount())
      findings.broken("/strategy/degrees",
                      "they multiply to {} ranks, but the cluster has {} "
                      "devices",
                      ranks, topology.deviceCount());
    for (const AxisRow &row : axisRows())
      if (row.most && strategy[row.degree] > row.most(workload))
        findings.broken(fmt::format("/strategy/degrees/{}", row.key),
                        "{} ranks cannot share the {} {}", strategy[row.degree],
                        row.most(workload), row.shared);
  }

  void order() {
    for (PlanAxis axis : meshAxes())
      if (std::count(strategy.deviceOrder.begin(), strategy.deviceOrder.end(),
                     axis) != 1)
        findings.broken("/strategy/device_order", "names axis {} {} times",
                        nameOf(axis),
                        std::count(strategy.deviceOrder.begin(),
                                   strategy.deviceOrder.end(), axis));
  }

  void zero() {
    int64_t replicas = replicasOf(strategy);
    if (strategy.zeroStage > 3)
      findings.broken("/strategy/zero/stage", "there is no ZeRO-{}",
                      strategy.zeroStage);
    bool divides =
        strategy.zeroGroup >= 0 &&
        (strategy.zeroGroup == 0 || replicas % strategy.zeroGroup == 0);
    if (!divides)
      findings.broken("/strategy/zero/group",
                      "{} does not divide the {} data × context ranks",
                      strategy.zeroGroup, replicas);
  }

  void experts() {
    int64_t replicas = replicasOf(strategy);
    if (replicas % strategy.expert != 0)
      findings.broken("/strategy/degrees/expert",
                      "{} does not divide the {} data × context ranks",
                      strategy.expert, replicas);
    std::optional<int64_t> fewest = workload.fewestExperts();
    if (strategy.expert > 1 && !fewest)
      findings.broken("/strategy/degrees/expert",
                      "{} ranks share experts, but the model has none",
                      strategy.expert);
    else if (fewest && strategy.expert > *fewest)
      findings.broken("/strategy/degrees/expert",
                      "{} ranks cannot share {} experts", strategy.expert,
                      *fewest);
  }

  /// Of data ranks on several kinds of devices.
  void shares() {
    int64_t ranks = 0, sequences = 0;
    unsigned last = 0;
    for (size_t i = 0; i < strategy.dataShares.size(); ++i) {
      const DataShare &share = strategy.dataShares[i];
      std::string where = fmt::format("/strategy/data_shares/{}", i);
      if (share.ranks < 1 || share.microBatches < 1)
        findings.broken(where, "{} data ranks with {} micro-batches",
                        share.ranks, share.microBatches);
      if (share.pool >= topology.pools().size())
        findings.broken(where + "/pool", "pool {} of {} does not exist",
                        share.pool, topology.pools().size());
      if (share.pool < last)
        findings.broken(where + "/pool", "pool {} comes after pool {}",
                        share.pool, last);
      last = share.pool;
      ranks = added(ranks, std::max<int64_t>(0, share.ranks));
      int64_t passes = multiplied(std::max<int64_t>(0, share.ranks),
                                  std::max<int64_t>(0, share.microBatches));
      sequences = added(sequences, multiplied(passes, strategy.microBatch));
    }
    if (ranks != strategy.data)
      findings.broken("/strategy/data_shares",
                      "they are those of {} data ranks, there are {}", ranks,
                      strategy.data);
    if (sequences < workload.globalBatch)
      findings.broken("/strategy/data_shares",
                      "all together take {} of the {} sequences of a step",
                      sequences, workload.globalBatch);
  }

  void batch() {
    if (!strategy.dataShares.empty())
      shares();
    int64_t perRank = ceilDivide(workload.globalBatch, strategy.data);
    if (strategy.dataShares.empty() && strategy.microBatch > perRank)
      findings.broken("/strategy/micro_batch",
                      "{} sequences, but a data rank has only {}",
                      strategy.microBatch, perRank);
    int64_t passes = strategy.microBatchCount(workload.globalBatch);
    if (passes > 1 && !workload.microBatchObstacle.empty())
      findings.broken("/strategy/micro_batch",
                      "{} micro-batches, but the batch must stay whole: {}",
                      passes, workload.microBatchObstacle);
  }

  void stages() {
    int64_t wanted = multiplied(strategy.pipeline, strategy.virtualStages);
    if (static_cast<int64_t>(strategy.stages.size()) != wanted) {
      findings.broken("/strategy/stages",
                      "{} stages; {} pipeline ranks with {} each make {}",
                      strategy.stages.size(), strategy.pipeline,
                      strategy.virtualStages, wanted);
      return;
    }
    int64_t covered = 0;
    for (size_t i = 0; i < strategy.stages.size(); ++i) {
      const Stage &stage = strategy.stages[i];
      if (stage.begin != covered || stage.end <= stage.begin)
        findings.broken(fmt::format("/strategy/stages/{}/units", i),
                        "[{}, {}) does not continue the chain at unit {}",
                        stage.begin, stage.end, covered);
      if (static_cast<int64_t>(stage.recompute.size()) !=
          stage.end - stage.begin)
        findings.broken(fmt::format("/strategy/stages/{}/recompute", i),
                        "choices for {} units, the stage has {}",
                        stage.recompute.size(), stage.end - stage.begin);
      if (stage.pool >= topology.pools().size())
        findings.broken(fmt::format("/strategy/stages/{}/pool", i),
                        "pool {} of {} does not exist", stage.pool,
                        topology.pools().size());
      covered = stage.end;
    }
    if (covered != workload.unitCount())
      findings.broken("/strategy/stages",
                      "they cover {} of the chain's {} units", covered,
                      workload.unitCount());
  }

  /// Of the axes that have ranks.
  bool isOutermost(PlanAxis axis) const {
    bool isLast = true;
    for (PlanAxis each : strategy.deviceOrder) {
      if (strategy.degree(each) > 1)
        isLast = each == axis;
    }
    return isLast || strategy.degree(axis) == 1;
  }

  /// Ranks that work in step fit on the devices of their kind.
  void pools() {
    if (topology.pools().size() == 1)
      return;
    Groups groups(topology, strategy);
    if (!strategy.dataShares.empty()) {
      if (!isOutermost(PlanAxis::Data))
        findings.broken("/strategy/device_order",
                        "data ranks on several kinds of devices need the data "
                        "axis last");
      for (unsigned pool = 0; pool < topology.pools().size(); ++pool)
        if (groups.dataRanksOn(pool) > groups.blocksOn(pool))
          findings.broken("/strategy/data_shares",
                          "{} data ranks of {} devices each on pool {}, which "
                          "has {} devices",
                          groups.dataRanksOn(pool), groups.blockSize(), pool,
                          topology.pools()[pool].count());
      return;
    }
    std::vector<std::optional<unsigned>> poolOfRank(
        static_cast<size_t>(strategy.pipeline));
    std::vector<int64_t> used(topology.pools().size());
    for (size_t i = 0; i < strategy.stages.size(); ++i) {
      auto &pool = poolOfRank[static_cast<size_t>(pipelineRankOf(
          strategy.schedule, strategy.pipeline, static_cast<int64_t>(i)))];
      if (!pool)
        ++used[strategy.stages[i].pool];
      else if (*pool != strategy.stages[i].pool)
        findings.broken(fmt::format("/strategy/stages/{}/pool", i),
                        "its pipeline rank has another stage on pool {}",
                        *pool);
      pool = strategy.stages[i].pool;
    }
    if (!isOutermost(PlanAxis::Pipeline)) {
      // All ranks are one block.
      if (std::count(used.begin(), used.end(), 0) + 1 <
          static_cast<std::ptrdiff_t>(used.size()))
        findings.broken("/strategy/device_order",
                        "stages on several kinds of devices need the pipeline "
                        "axis last");
      for (int64_t &ranks : used)
        ranks = std::min<int64_t>(ranks, 1);
    }
    for (unsigned pool = 0; pool < used.size(); ++pool)
      if (used[pool] > groups.blocksOn(pool))
        findings.broken("/strategy/stages",
                        "{} pipeline ranks of {} devices each on pool {}, "
                        "which has {} devices",
                        used[pool], groups.blockSize(), pool,
                        topology.pools()[pool].count());
  }

  /// Long steps repeat one pattern between filling and draining the pipeline.
  static int64_t enoughToReplay(const schedule::PipelineShape &shape) {
    constexpr int64_t passes = int64_t(1) << 19;
    return std::max(8 * shape.stageCount(), passes / shape.stageCount());
  }

  void schedule() {
    std::vector<int64_t> counts;
    for (const DataShare &share : strategy.dataShares)
      counts.push_back(share.microBatches);
    if (counts.empty())
      counts.push_back(strategy.microBatchCount(workload.globalBatch));
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    for (int64_t count : counts) {
      schedule::PipelineShape shape{strategy.pipeline, strategy.virtualStages,
                                    count};
      std::string problem = schedule::obstacle(strategy.schedule, shape);
      if (!problem.empty()) {
        findings.broken("/strategy/schedule", "{}", problem);
        return;
      }
      shape.microBatches = std::min(count, enoughToReplay(shape));
      auto order = schedule::makeSchedule(strategy.schedule, shape, problem);
      if (!order) {
        findings.broken("/strategy/schedule", "{}", problem);
        return;
      }
      for (const std::string &sentence :
           schedule::replay(schedule::addCommunication(*order), 3))
        findings.broken("/strategy/schedule", "{}", sentence);
      for (size_t i = 0; i < strategy.stages.size(); ++i) {
        int64_t expected = pipelineRankOf(strategy.schedule, strategy.pipeline,
                                          static_cast<int64_t>(i));
        if (order->rankOfStage()[i] != expected)
          findings.differs("/strategy/schedule", expected,
                           order->rankOfStage()[i],
                           fmt::format("pipeline rank of stage {}", i));
      }
    }
  }

  const Workload &workload;
  const ClusterTopology &topology;
  const Strategy &strategy;
  Findings &findings;
};

} // namespace

void checkDecisions(const CheckInputs &inputs, const ClusterTopology &topology,
                    const Strategy &strategy, Findings &findings) {
  DecisionCheck(inputs, topology, strategy, findings).run();
}

} // namespace shardsmith::check

// SPDX-License-Identifier: Apache-2.0
//
// docs/step-time.md and docs/check.md have the formulas.

#include "StepFigures.h"

#include "Axes.h"
#include "PlayedLine.h"
#include "RankCosts.h"
#include "Rounding.h"
#include "Schedules.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith::check {
namespace {

/// One line of stages. There are several where data ranks of different kinds
/// have their own micro-batch counts.
struct Line {
  std::vector<unsigned> poolOfStage;
  int64_t microBatches = 1;
};

class StepDerivation {
public:
  StepDerivation(const CheckInputs &inputs, const ClusterTopology &topology,
                 const Strategy &strategy, double memoryMargin)
      : workload(inputs.workload), profile(inputs.profile), topology(topology),
        strategy(strategy), groups(topology, strategy),
        costs(inputs, topology, strategy, memoryMargin) {}

  std::optional<StepFigures> derive(std::string &problem) {
    if (!deriveUnits(problem))
      return std::nullopt;
    for (const Line &line : lines())
      deriveLine(line);
    size_t fullest = 0;
    for (size_t rank = 0; rank < fillings.size(); ++rank) {
      if (fillings[rank] > 1)
        result.overfull.push_back(static_cast<int64_t>(rank));
      if (fillings[rank] > fillings[fullest])
        fullest = rank;
    }
    result.figures["/prediction/fullest_rank"] = static_cast<int64_t>(fullest);
    result.figures["/prediction/step_ns"] = result.step.count();
    return std::move(result);
  }

private:
  bool deriveUnits(std::string &problem) {
    for (unsigned pool = 0; pool < topology.pools().size(); ++pool) {
      UnitSetting setting = costs.unitSetting(pool);
      std::vector<UnitWork> &units = unitsOfPool.emplace_back();
      for (workload::BlockIndex block = 0; block < workload.blocks.size();
           ++block) {
        std::optional<UnitWork> unit = deriveUnit(setting, block, problem);
        if (!unit)
          return false;
        units.push_back(std::move(*unit));
      }
    }
    return true;
  }

  std::vector<Line> lines() const {
    std::vector<Line> all;
    if (strategy.dataShares.empty()) {
      Line &line = all.emplace_back();
      line.microBatches = strategy.microBatchCount(workload.globalBatch);
      for (const Stage &stage : strategy.stages)
        line.poolOfStage.push_back(stage.pool);
      return all;
    }
    // A line per pool, as busy as its busiest data ranks, or those of any pool
    // if all exchange with every micro-batch.
    int64_t ofBusiest = 1;
    for (const DataShare &share : strategy.dataShares)
      ofBusiest = std::max(ofBusiest, share.microBatches);
    for (const DataShare &share : strategy.dataShares) {
      if (all.empty() || all.back().poolOfStage.front() != share.pool)
        all.push_back(
            {std::vector<unsigned>(strategy.stages.size(), share.pool),
             share.microBatches});
      Line &line = all.back();
      line.microBatches = waitPerMicroBatch(strategy)
                              ? ofBusiest
                              : std::max(line.microBatches, share.microBatches);
    }
    return all;
  }

  void deriveLine(const Line &line) {
    std::vector<RankWork> ranks = sumStages(line);
    std::vector<RankTimes> each;
    each.reserve(ranks.size());
    for (const RankWork &rank : ranks)
      each.push_back(costs.timesOf(rank, line.microBatches));
    PlayedLine played = playLine(strategy, profile, costs, stagesOf(line),
                                 jointOfStages(each), line.microBatches);
    addTime(line, ranks, each, played);
    for (size_t rank = 0; rank < ranks.size(); ++rank)
      addMemory(rank, ranks[rank]);
    if (result.collectives.empty())
      for (const RankWork &rank : ranks)
        result.collectives.push_back(collectivesOf(rank, line.microBatches));
  }

  int64_t rankOf(size_t stage) const {
    return pipelineRankOf(strategy.schedule, strategy.pipeline,
                          static_cast<int64_t>(stage));
  }
  std::vector<unsigned> poolsOf(const Line &line) const {
    std::vector<unsigned> pools(static_cast<size_t>(strategy.pipeline));
    for (size_t s = 0; s < strategy.stages.size(); ++s)
      pools[static_cast<size_t>(rankOf(s))] = line.poolOfStage[s];
    return pools;
  }
  /// Adds what stage `s` does and sends.
  void addStage(const Line &line, const std::vector<unsigned> &pools, size_t s,
                RankWork &work) const {
    const Stage &stage = strategy.stages[s];
    work.pool = line.poolOfStage[s];
    for (int64_t unit = stage.begin; unit < stage.end; ++unit) {
      size_t segment = workload.segmentOf(unit);
      workload::BlockIndex block = workload.segments[segment].block;
      work.add(unitsOfPool[work.pool][block], block,
               stage.recompute[static_cast<size_t>(unit - stage.begin)]);
    }
    if (s + 1 < strategy.stages.size())
      work.sends.push_back(
          {work.handedOn, groups.handingOn(rankOf(s), rankOf(s + 1), pools)});
  }
  /// The slowest link between neighbouring stages.
  static GroupPath farthestOf(const std::vector<RankWork> &ranks) {
    GroupPath farthest;
    for (const RankWork &rank : ranks)
      for (const RankWork::Send &send : rank.sends)
        if (Groups::isSlower(send.path, farthest))
          farthest = send.path;
    return farthest;
  }
  std::vector<RankWork> sumStages(const Line &line) const {
    std::vector<RankWork> ranks(static_cast<size_t>(strategy.pipeline));
    std::vector<unsigned> pools = poolsOf(line);
    for (size_t s = 0; s < strategy.stages.size(); ++s)
      addStage(line, pools, s, ranks[static_cast<size_t>(rankOf(s))]);
    GroupPath farthest = farthestOf(ranks);
    for (RankWork &rank : ranks) {
      rank.addCommon(costs.sharedNames());
      rank.farthest = farthest;
    }
    return ranks;
  }
  std::vector<RankWork> stagesOf(const Line &line) const {
    std::vector<RankWork> stages(strategy.stages.size());
    std::vector<unsigned> pools = poolsOf(line);
    for (size_t s = 0; s < strategy.stages.size(); ++s)
      addStage(line, pools, s, stages[s]);
    for (RankWork &stage : stages)
      stage.addCommon(costs.sharedNames());
    return stages;
  }

  /// Of each rank, with the first of its stages.
  std::vector<Nanoseconds>
  jointOfStages(const std::vector<RankTimes> &each) const {
    std::vector<Nanoseconds> joint(strategy.stages.size());
    std::vector<bool> isSeen(each.size());
    for (size_t s = 0; s < joint.size(); ++s) {
      auto rank = static_cast<size_t>(rankOf(s));
      if (!isSeen[rank])
        joint[s] = each[rank].joint;
      isSeen[rank] = true;
    }
    return joint;
  }

  Nanoseconds bubbleOf(const std::vector<RankTimes> &each) const {
    Nanoseconds idle;
    for (const RankTimes &rank : each)
      idle += rank.idle;
    idle = std::max(idle, Nanoseconds(0));
    if (idle.isSaturated())
      return idle;
    return Nanoseconds(
        ceilDivide(idle.count(), strategy.pipeline * strategy.virtualStages));
  }

  /// Share by which time grows with the number of nodes whose slowest one all
  /// wait for.
  double straggling() const {
    int64_t perNode = 1;
    for (const Group &group : topology.cluster().groups)
      perNode = std::max(perNode, group.node.deviceCount());
    auto nodes = static_cast<double>(ceilDivide(strategy.rankCount(), perNode));
    return profile.stragglerPerDoubling * std::log2(nodes);
  }

  Nanoseconds stepOf(Nanoseconds work) const {
    Nanoseconds fixed(std::llround(profile.fixedMillisecondsPerStep * 1e6));
    return work + times(work, straggling()) + fixed;
  }

  void addTime(const Line &line, const std::vector<RankWork> &ranks,
               const std::vector<RankTimes> &each, const PlayedLine &played) {
    size_t busiest = 0, last = 0;
    for (size_t rank = 1; rank < each.size(); ++rank) {
      if (each[rank].perMicroBatch > each[busiest].perMicroBatch)
        busiest = rank;
      if (each[rank].tail() > each[last].tail())
        last = rank;
    }
    Nanoseconds bubble = bubbleOf(each);
    Nanoseconds work = each[busiest].perMicroBatch * line.microBatches +
                       bubble + each[last].tail();
    const double believed = factsOf(strategy.schedule).believedShare;
    Nanoseconds least(static_cast<int64_t>(
        static_cast<double>(played.walked.count()) / (1 + believed)));
    if (least > work) {
      bubble += least - work;
      work = least;
    }
    if (played.simulated)
      result.simulatedStep =
          std::max(result.simulatedStep.value_or(Nanoseconds()),
                   stepOf(*played.simulated));
    Nanoseconds fixed = stepOf({});
    Nanoseconds step = stepOf(work);
    if (result.step.count() > 0 && step <= result.step)
      return;
    result.step = step;
    const RankWork &rank = ranks[busiest];
    auto set = [&](const char *item, Nanoseconds time) {
      result.figures[fmt::format("/prediction/time_ns/{}", item)] =
          time.count();
    };
    set("compute", rank.kernels() * line.microBatches);
    set("recompute", rank.recompute * line.microBatches);
    for (const AxisRow &row : axisRows())
      if (row.isInUnits)
        set(row.key, rank.exposedOver(row.degree) * line.microBatches);
    set("pipeline", each[busiest].pipeline * line.microBatches);
    set("data", each[busiest].gathers * line.microBatches + each[last].data +
                    each[last].joint);
    set("bubble", bubble);
    set("optimizer", each[last].optimizer);
    set("straggler", step - fixed - work);
    set("fixed", fixed);
  }

  void addMemory(size_t index, const RankWork &rank) {
    RankMemory memory = costs.memoryOf(static_cast<int64_t>(index), rank);
    // Of several lines of stages the fuller one counts.
    if (index < fillings.size() && memory.filled() <= fillings[index])
      return;
    fillings.resize(std::max(fillings.size(), index + 1));
    fillings[index] = memory.filled();
    std::string where = fmt::format("/prediction/ranks/{}/", index);
    Figures &all = result.figures;
    for (const auto &[name, bytes] : memory.items)
      all[where + "memory_bytes/" + name] = bytes.count();
    all[where + "memory_limit_bytes"] = memory.limit.count();
    all[where + "in_flight"] = ceilDivide(memory.passes, memory.stages);
    all[where + "forward_ns"] = (rank.forward + rank.forwardExposed).count();
    all[where + "backward_ns"] = (rank.backwardInput + rank.backwardWeight +
                                  rank.recompute + rank.backwardExposed)
                                     .count();
  }

  std::vector<CollectiveUse> collectivesOf(const RankWork &rank,
                                           int64_t passes) const;

  const workload::Workload &workload;
  const StackProfile &profile;
  const ClusterTopology &topology;
  const Strategy &strategy;
  Groups groups;
  RankCosts costs;
  std::vector<std::vector<UnitWork>> unitsOfPool;
  StepFigures result;
  /// Peak over limit, per pipeline rank.
  std::vector<double> fillings;
};

/// Per step of one rank, by axis and operation.
std::vector<CollectiveUse> StepDerivation::collectivesOf(const RankWork &rank,
                                                         int64_t passes) const {
  std::map<std::pair<Degree, CollectiveOp>, CollectiveUse> uses;
  for (size_t block = 0; block < rank.unitsOfBlock.size(); ++block)
    for (const Message &message : unitsOfPool[rank.pool][block].messages) {
      const AxisRow &row = axisRows()[static_cast<size_t>(message.axis)];
      CollectiveUse &use = uses[{message.axis, message.operation}];
      use.axis = row.key;
      use.operation = nameOf(message.operation);
      use.members = strategy[message.axis];
      int64_t times = multiplied(multiplied(rank.unitsOfBlock[block], passes),
                                 message.rounds);
      use.count = added(use.count, times);
      use.bytes += message.bytes * times;
    }
  std::vector<CollectiveUse> list;
  for (auto &[key, use] : uses)
    if (use.count > 0 && use.members > 1)
      list.push_back(use);
  if (strategy.pipeline == 1)
    return list;
  CollectiveUse send{
      "pipeline", std::string(nameOf(CollectiveOp::SendReceive)), 2, 0, {}};
  for (const RankWork::Send &each : rank.sends) {
    send.count += passes;
    send.bytes += each.bytes * passes;
  }
  for (const RankCosts::JointMessage &message : costs.jointMessages(rank)) {
    send.count = added(send.count, message.count);
    send.bytes += message.bytes * message.count;
  }
  if (send.count > 0)
    list.push_back(send);
  return list;
}

} // namespace

std::optional<StepFigures> recomputeStep(const CheckInputs &inputs,
                                         const ClusterTopology &topology,
                                         const Strategy &strategy,
                                         double memoryMargin,
                                         std::string &problem) {
  return StepDerivation(inputs, topology, strategy, memoryMargin)
      .derive(problem);
}

} // namespace shardsmith::check

// SPDX-License-Identifier: Apache-2.0

#include "MicroBatchBalancing.h"
#include "../Space/PoolSequences.h"

#include <algorithm>
#include <map>
#include <memory>

namespace shardsmith::search {

namespace {

/// The most micro-batches that a replica of the group can run within `time`; 0
/// if it can run none.
int64_t mostWithin(const ReplicaGroup &kind, int64_t total, Nanoseconds time) {
  int64_t within = 0, above = std::min(total, kind.most) + 1;
  while (above - within > 1) {
    int64_t middle = within + (above - within) / 2;
    (kind.step(middle) <= time ? within : above) = middle;
  }
  while (within > 0 && !kind.canRun(within))
    --within;
  return within;
}

/// The most micro-batches per group that its replicas can run within `time`;
/// empty if they are too few for the step.
std::vector<int64_t> within(const std::vector<ReplicaGroup> &kinds,
                            int64_t total, Nanoseconds time) {
  std::vector<int64_t> each;
  Quantity<struct BatchesUnit> sum(0);
  for (const ReplicaGroup &kind : kinds) {
    int64_t most = mostWithin(kind, total, time);
    if (most == 0)
      return {};
    sum += Quantity<BatchesUnit>(most) * kind.ranks;
    each.push_back(most);
  }
  return sum.count() < total ? std::vector<int64_t>() : each;
}

} // namespace

// Within a time every kind has a largest number of micro-batches, and the sum
// of these rises with the time: the least time at which it suffices is found
// by halving.
std::vector<int64_t> balanceMicroBatches(const std::vector<ReplicaGroup> &kinds,
                                         int64_t total) {
  int64_t tooLittle = -1, enough = 0;
  for (const ReplicaGroup &kind : kinds) {
    if (kind.most < 1)
      return {};
    Nanoseconds all = kind.step(std::min(total, kind.most));
    if (all.isSaturated())
      return {};
    enough = std::max(enough, all.count());
  }
  if (within(kinds, total, Nanoseconds(enough)).empty())
    return {};
  while (enough - tooLittle > 1) {
    int64_t middle = tooLittle + (enough - tooLittle) / 2;
    bool suffices = !within(kinds, total, Nanoseconds(middle)).empty();
    (suffices ? enough : tooLittle) = middle;
  }

  std::vector<int64_t> most = within(kinds, total, Nanoseconds(enough));
  std::vector<int64_t> counts;
  std::vector<const ReplicaGroup *> kindOf;
  int64_t spare = -total;
  for (size_t kind = 0; kind < kinds.size(); ++kind) {
    counts.insert(counts.end(), size_t(kinds[kind].ranks), most[kind]);
    kindOf.insert(kindOf.end(), size_t(kinds[kind].ranks), &kinds[kind]);
    spare += kinds[kind].ranks * most[kind];
  }
  // No replica runs micro-batches beyond the batch: the surplus is taken from
  // the last replicas.
  for (bool isTaken = true; spare > 0 && isTaken;) {
    isTaken = false;
    for (size_t rank = counts.size(); rank-- > 0 && spare > 0;) {
      if (counts[rank] == 1 || !kindOf[rank]->canRun(counts[rank] - 1))
        continue;
      --counts[rank];
      --spare;
      isTaken = true;
    }
  }
  return counts;
}

namespace {

/// The device kind that takes longest for a product of ordinary size.
std::string slowestType(const CostContext &context) {
  constexpr int64_t size = 4096;
  std::string slowest;
  Nanoseconds longest;
  for (const DevicePool &pool : context.topology.pools()) {
    KernelTimes kernels(context.topology.cluster().deviceTypes.at(pool.type),
                        context.profile);
    Nanoseconds time =
        kernels.matmul(1, size, size, size, context.workload.computeType);
    if (slowest.empty() || time > longest) {
      slowest = pool.type;
      longest = time;
    }
  }
  return slowest;
}

Cluster withAlikeDevices(const CostContext &context) {
  Cluster cluster = context.topology.cluster();
  std::string name = slowestType(context);
  DeviceType &type = cluster.deviceTypes.at(name);
  Bytes least = type.memory - type.reserved;
  for (const DevicePool &pool : context.topology.pools()) {
    const DeviceType &other = cluster.deviceTypes.at(pool.type);
    least = std::min(least, other.memory - other.reserved);
  }
  type.memory = type.reserved + least;
  for (Group &group : cluster.groups)
    for (DeviceSlot &slot : group.node.devices)
      slot.type = name;
  return cluster;
}

} // namespace

UniformCluster::UniformCluster(const CostContext &context)
    : cluster(withAlikeDevices(context)), topology(cluster),
      alike{context.workload, topology, context.profile, context.options} {}

namespace {

/// A plan whose replicas lie on several device kinds, while its micro-batches
/// are balanced.
class Spread {
public:
  Spread(const CostContext &context, Strategy plan,
         const std::vector<int64_t> &ranksOnPools)
      : context(context), strategy(std::move(plan)),
        ranksOnPools(ranksOnPools) {
    // Every stage lies on all of these kinds.
    for (Stage &stage : strategy.stages)
      stage.pool = 0;
  }

  std::optional<Candidate> deal() {
    int64_t batches =
        ceilDivide(context.workload.globalBatch, strategy.microBatch);
    // Only whether this is one matters until the shares are known.
    strategy.dataShares =
        evenShares(ranksOnPools, ceilDivide(batches, strategy.data));
    StepModel model(context, strategy);
    for (unsigned pool = 0; pool < ranksOnPools.size(); ++pool)
      unitsOfPool.push_back(unitPrices(context, strategy, pool));
    for (unsigned pool = 0; pool < ranksOnPools.size(); ++pool)
      if (ranksOnPools[pool] > 0)
        pipelines[pool] =
            std::make_unique<Pipeline>(context, strategy, pool, unitsOfPool);
    int64_t most = mostThatFit(batches);
    std::vector<ReplicaGroup> kinds;
    for (unsigned pool = 0; pool < ranksOnPools.size(); ++pool) {
      if (ranksOnPools[pool] == 0)
        continue;
      kinds.push_back(
          {ranksOnPools[pool],
           [this, &model, pool](int64_t count) {
             return strategy.waitsPerMicroBatch() ? slowestStep(model, count)
                                                  : stepOn(model, pool, count);
           },
           [this](int64_t count) {
             return canRun(strategy.schedule, strategy.pipeline, count);
           },
           most});
    }
    std::vector<int64_t> counts = balanceMicroBatches(kinds, batches);
    if (counts.empty())
      return std::nullopt;
    setShares(counts);
    if (!strategy.verify(context.workload).empty())
      return std::nullopt;
    StepEstimate estimate = estimateStep(context, strategy, unitsOfPool);
    if (!estimate.fits() || estimate.step().isSaturated())
      return std::nullopt;
    return Candidate{strategy, estimate.step()};
  }

private:
  /// The replicas on one pool.
  struct Pipeline {
    PipelineLinks links;
    std::vector<RankWork> ranks;

    Pipeline(const CostContext &context, const Strategy &strategy,
             unsigned pool,
             const std::vector<std::vector<UnitCosts>> &unitsOfPool)
        : Pipeline(context, strategy,
                   std::vector<unsigned>(size_t(strategy.pipeline), pool),
                   unitsOfPool) {}
    Pipeline(const CostContext &context, const Strategy &strategy,
             const std::vector<unsigned> &pools,
             const std::vector<std::vector<UnitCosts>> &unitsOfPool)
        : links(context.topology, strategy, pools),
          ranks(workOfRanks(context.workload, strategy, pools, links,
                            unitsOfPool)) {}
    Pipeline(const Pipeline &) = delete;
    Pipeline &operator=(const Pipeline &) = delete;
  };

  /// `counts` has the micro-batches of every replica.
  void setShares(const std::vector<int64_t> &counts) {
    strategy.dataShares.clear();
    size_t next = 0;
    for (unsigned pool = 0; pool < ranksOnPools.size(); ++pool)
      for (int64_t rank = 0; rank < ranksOnPools[pool]; ++rank, ++next) {
        if (rank == 0 ||
            strategy.dataShares.back().microBatches != counts[next])
          strategy.dataShares.push_back({pool, 0, counts[next]});
        ++strategy.dataShares.back().ranks;
      }
  }

  /// So many micro-batches at most, of `total`, have room on all ranks. The
  /// more there are, the more of them may be in flight on ranks of all kinds.
  int64_t mostThatFit(int64_t total) const {
    auto fits = [&](int64_t count) {
      while (count > 0 && !canRun(strategy.schedule, strategy.pipeline, count))
        --count;
      if (count == 0)
        return true;
      Strategy each = strategy;
      each.dataShares = evenShares(ranksOnPools, count);
      StepModel model(context, each);
      for (const auto &[pool, pipeline] : pipelines)
        for (size_t rank = 0; rank < pipeline->ranks.size(); ++rank)
          if (model.memory(int64_t(rank), pool, pipeline->ranks[rank].sum)
                  .memory.total() > model.memoryLimit(pool))
            return false;
      return true;
    };
    if (fits(total))
      return total;
    int64_t fitting = 0, tooMany = total;
    while (tooMany - fitting > 1) {
      int64_t middle = fitting + (tooMany - fitting) / 2;
      (fits(middle) ? fitting : tooMany) = middle;
    }
    return fitting;
  }

  /// The step of a replica with its schedule played, as the plan will be
  /// priced. If the schedule cannot run `count` micro-batches, the step is at
  /// least that of the most it can run below, so that steps grow with the
  /// count.
  Nanoseconds stepOn(const StepModel &model, unsigned pool, int64_t count) {
    auto [known, isNew] = steps.try_emplace({pool, count});
    if (!isNew)
      return known->second;
    Nanoseconds step =
        estimateReplica(context, strategy, model, pool, count, unitsOfPool);
    int64_t runnable = count;
    while (runnable > 0 &&
           !canRun(strategy.schedule, strategy.pipeline, runnable))
      --runnable;
    if (runnable > 0 && runnable < count)
      step = std::max(step, stepOn(model, pool, runnable));
    return known->second = step;
  }

  /// The step of replicas that wait for each other with every micro-batch, if
  /// one of them has `count`: all go through as many.
  Nanoseconds slowestStep(const StepModel &model, int64_t count) {
    Nanoseconds slowest;
    for (const auto &[pool, pipeline] : pipelines)
      slowest = std::max(slowest, stepOn(model, pool, count));
    return slowest;
  }

  const CostContext &context;
  Strategy strategy;
  const std::vector<int64_t> &ranksOnPools;
  std::vector<std::vector<UnitCosts>> unitsOfPool;
  /// By pool, of those in use.
  std::map<unsigned, std::unique_ptr<const Pipeline>> pipelines;
  /// By pool and number of micro-batches.
  std::map<std::pair<unsigned, int64_t>, Nanoseconds> steps;
};

/// Brings the data axis outermost; false if the user has decided otherwise.
bool putDataOutermost(Strategy &strategy,
                      const SearchConstraints &constraints) {
  std::vector<PlanAxis> order = strategy.deviceOrder;
  std::erase(order, PlanAxis::Data);
  order.push_back(PlanAxis::Data);
  if (constraints.deviceOrder) {
    auto data = std::ranges::find(*constraints.deviceOrder, PlanAxis::Data);
    for (auto axis = data; axis != constraints.deviceOrder->end(); ++axis)
      if (*axis != PlanAxis::Data && strategy.degree(*axis) > 1)
        return false;
    order = *constraints.deviceOrder;
  }
  strategy.deviceOrder = std::move(order);
  return true;
}

} // namespace

std::optional<Candidate>
placeReplicas(const CostContext &context, const Strategy &plan,
              const std::vector<int64_t> &ranksOnPools) {
  return Spread(context, plan, ranksOnPools).deal();
}

std::vector<Candidate> balancedPlans(const CostContext &context,
                                     const SearchConstraints &constraints,
                                     const Strategy &plan) {
  std::vector<Candidate> candidates;
  Strategy strategy = plan;
  if (strategy.data == 1 || !putDataOutermost(strategy, constraints))
    return candidates;
  std::vector<std::vector<int64_t>> ways =
      replicaPlacements(context.topology, strategy);
  for (; strategy.microBatch >= 1; strategy.microBatch /= 2) {
    if (!constraints.microBatch.contains(strategy.microBatch))
      continue;
    for (const std::vector<int64_t> &ranksOnPools : ways)
      if (auto candidate = placeReplicas(context, strategy, ranksOnPools))
        candidates.push_back(std::move(*candidate));
  }
  return candidates;
}

} // namespace shardsmith::search

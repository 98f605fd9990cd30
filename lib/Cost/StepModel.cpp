// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/StepModel.h"
#include "Scale.h"

#include <algorithm>
#include <cmath>

namespace shardsmith {

namespace {

Bytes bytesOf(int64_t count, double bytesEach) {
  double product = std::ceil(double(count) * bytesEach);
  if (!(product < 9.2e18))
    return Bytes::saturated();
  return Bytes(int64_t(product));
}

/// `amount` · numerator ÷ denominator, rounded up.
template <typename Unit>
Quantity<Unit> share(Quantity<Unit> amount, int64_t numerator,
                     int64_t denominator) {
  Quantity<Unit> product = amount * numerator;
  if (product.isSaturated())
    return product;
  return Quantity<Unit>(ceilDivide(product.count(), denominator));
}

/// How long the other ranks wait, in the times of one micro-batch on one rank;
/// the rows of docs/schedules.md with b = i + w.
struct IdleWeights {
  int64_t forward, backwardInput, backwardWeight;
};

IdleWeights idleWeights(ScheduleFamily family) {
  switch (family) {
  case ScheduleFamily::GPipe:
  case ScheduleFamily::OneForwardOneBackward:
  case ScheduleFamily::EagerOneForwardOneBackward:
  case ScheduleFamily::Interleaved:
    return {1, 1, 1};
  case ScheduleFamily::ZeroBubbleH1:
    return {1, 1, -1};
  case ScheduleFamily::ZeroBubbleH2:
  case ScheduleFamily::ZeroBubbleV:
    return {1, 1, -2};
  case ScheduleFamily::DualPipeV:
    return {1, 2, -1};
  }
  return {1, 1, 1};
}

/// What a rank holds at its peak of what its stages save per micro-batch:
/// `chunks` ÷ `stages` micro-batches.
struct InFlight {
  int64_t chunks, stages;
};

InFlight inFlight(const Strategy &strategy, int64_t rank, int64_t batches) {
  int64_t behind = strategy.pipeline - rank;
  switch (strategy.schedule) {
  case ScheduleFamily::GPipe:
    return {batches, 1};
  case ScheduleFamily::OneForwardOneBackward:
    return {std::min(behind, batches), 1};
  case ScheduleFamily::EagerOneForwardOneBackward:
    return {std::min(2 * behind - 1, batches), 1};
  // Gradients of parameters, which need what was saved, come late: most so on
  // the last ranks, where forward passes are fewest.
  case ScheduleFamily::ZeroBubbleH1:
    return {std::min(strategy.pipeline, batches), 1};
  case ScheduleFamily::ZeroBubbleH2:
    return {std::min(2 * strategy.pipeline, batches), 1};
  case ScheduleFamily::Interleaved: {
    int64_t stages = strategy.virtualStages;
    int64_t round = batches / std::max<int64_t>(1, batches / strategy.pipeline);
    int64_t warmUp = (stages - 1) * round + 2 * (behind - 1) + 1;
    return {std::min(stages * batches, warmUp), stages};
  }
  case ScheduleFamily::ZeroBubbleV:
    return {std::min(2 * strategy.pipeline, 2 * batches), 2};
  case ScheduleFamily::DualPipeV:
    return {std::min(2 * strategy.pipeline + 1, 2 * batches), 2};
  }
  return {batches, 1};
}

/// Training with products of 8 bits or fewer keeps parameters in 16.
double parameterBytes(const CostContext &context) {
  int64_t bits = workload::bitsOf(context.workload.computeType);
  return double(std::max<int64_t>(bits, 16)) / 8;
}

/// Parameters of 32 bits need no copy in 32 bits among the state.
double stateBytes(const CostContext &context) {
  constexpr double copy = 4;
  double bytes = context.profile.stateBytesPerParameter;
  bool isCopied = workload::bitsOf(context.workload.computeType) < 32;
  return isCopied ? bytes : std::max(bytes - copy, 0.0);
}

} // namespace

StepOverhead::StepOverhead(const CostContext &context, int64_t ranks)
    : fixed(std::llround(context.profile.fixedMillisecondsPerStep * 1e6)) {
  int64_t perNode = 1;
  for (const Group &group : context.topology.cluster().groups)
    perNode = std::max(perNode, group.node.deviceCount());
  double nodes = double(ceilDivide(ranks, perNode));
  waiting = context.profile.stragglerPerDoubling * std::log2(nodes);
}

Nanoseconds StepOverhead::step(Nanoseconds work) const {
  return work + scaled(work, waiting) + fixed;
}

Nanoseconds StepOverhead::longestWork(Nanoseconds limit) const {
  if (limit.isSaturated())
    return limit;
  // A guess, and as far from it as rounding may be.
  Nanoseconds work(int64_t(double((limit - fixed).count()) / (1 + waiting)));
  while (step(work) > limit)
    work = work - Nanoseconds(1 + std::abs(work.count()) / (int64_t(1) << 50));
  while (step(work + Nanoseconds(1)) <= limit)
    work += Nanoseconds(1);
  return work;
}

namespace {

Bytes memoryLimitOf(const CostContext &context, unsigned pool) {
  const DeviceType &device = context.topology.deviceType(pool);
  double usable = double((device.memory - device.reserved).count()) *
                  (1 - context.options.memoryMargin);
  return Bytes(int64_t(std::max(usable, 0.0)));
}

/// Of all micro-batches in flight.
Bytes activationBytes(Bytes saved, InFlight flight, double factor) {
  return bytesOf(share(saved, flight.chunks, flight.stages).count(), factor);
}

} // namespace

StepModel::StepModel(const CostContext &context, const Strategy &outer)
    : context(context), outer(outer),
      collectives(context.topology.cluster(), context.profile),
      microBatchCount(outer.microBatchCount(context.workload.globalBatch)),
      overhead(context, outer.rankCount()) {
  AxisPaths paths(context.topology, outer);
  int64_t replicas = outer.data * outer.context;
  int64_t shards = outer.zeroGroup == 0 ? replicas : outer.zeroGroup;
  // Ranks that share the experts hold different parameters; what is left of a
  // ZeRO group are the ranks `expert` places apart.
  int64_t expertReplicas = replicas / outer.expert;
  int64_t expertShards =
      std::min(expertReplicas, std::max<int64_t>(1, shards / outer.expert));
  while (expertReplicas % expertShards != 0)
    --expertShards;
  auto prices = std::make_shared<std::vector<PoolPrices>>();
  for (unsigned pool = 0; pool < context.topology.pools().size(); ++pool) {
    auto replicaPaths = [&](int64_t inner, int64_t count, int64_t split) {
      return ReplicaPaths{paths.replicas(inner, split, pool),
                          paths.replicas(inner * split, count / split, pool),
                          paths.replicas(inner, count, pool)};
    };
    prices->push_back(
        {KernelTimes(context.topology.deviceType(pool), context.profile),
         memoryLimitOf(context, pool), paths.axis(PlanAxis::Tensor, pool),
         paths.axis(PlanAxis::Pipeline, pool),
         replicaPaths(1, replicas, shards),
         replicaPaths(outer.expert, expertReplicas, expertShards)});
  }
  pools = std::move(prices);
}

StepModel::StepModel(const StepModel &other, const Strategy &outer)
    : context(other.context), outer(outer), collectives(other.collectives),
      pools(other.pools), microBatchCount(other.microBatchCount),
      overhead(other.overhead) {}

Nanoseconds StepModel::collective(CollectiveOp op, const GroupPath &path,
                                  Bytes bytes) const {
  if (path.members == 1 || bytes.count() == 0)
    return {};
  return collectives.time(op, path, bytes).time;
}

/// ZeRO-0 sums gradients over all replicas at the end of the step; ZeRO-1
/// scatters the sums and gathers new parameters; ZeRO-2 scatters the gradients
/// of every micro-batch, so that no rank holds them whole; ZeRO-3 gathers
/// parameters before each pass as well.
void StepModel::addReplicaTraffic(const ReplicaPaths &paths, int64_t parameters,
                                  RankTimes &times) const {
  if (parameters == 0 || paths.all.members == 1)
    return;
  const StackProfile &profile = context.profile;
  Bytes gradients = bytesOf(parameters, profile.gradientMessageBytes);
  Bytes weights = bytesOf(parameters, parameterBytes(context));
  double exposure = microBatchCount == 1 ? 1 : profile.dataExposure;
  if (outer.zeroStage == 0) {
    times.data += scaled(
        collective(CollectiveOp::AllReduce, paths.all, gradients), exposure);
    return;
  }

  Nanoseconds scatter =
      collective(CollectiveOp::ReduceScatter, paths.shards, gradients);
  Nanoseconds gather =
      collective(CollectiveOp::AllGather, paths.shards, weights);
  Nanoseconds once = collective(CollectiveOp::AllReduce, paths.copies,
                                share(gradients, 1, paths.shards.members));
  Nanoseconds each;
  (outer.zeroStage == 1 ? once : each) += scatter;
  if (outer.zeroStage == 3)
    each += gather * 2;
  else
    once += gather;
  times.exchange += each;
  times.data += scaled(once, exposure) +
                Nanoseconds(std::llround(profile.zeroMicrosecondsPerRank * 1e3 *
                                         double(paths.shards.members)));
}

RankTimes StepModel::times(unsigned pool, const StageWork &work,
                           std::span<const Bytes> messages) const {
  const PoolPrices &prices = (*pools)[pool];
  const UnitCommunication &forward = work.forwardCommunication;
  const UnitCommunication &backward = work.backwardCommunication;
  RankTimes times;
  times.compute = work.forward + work.backwardInput + work.backwardWeight;
  times.tensor = forward.tensor + backward.tensor;
  times.context = forward.context + backward.context;
  times.expert = forward.expert + backward.expert;
  // Activations go forward, their gradients come back.
  if (outer.schedule != ScheduleFamily::EagerOneForwardOneBackward)
    for (Bytes message : messages)
      times.pipeline += scaled(
          collective(CollectiveOp::SendReceive, prices.pipeline, message) * 2,
          context.profile.pipelineExposure);

  times.data += collective(
      CollectiveOp::AllReduce, prices.tensor,
      bytesOf(work.partialParameters, context.profile.gradientMessageBytes));
  addReplicaTraffic(prices.dense, work.denseParameters, times);
  addReplicaTraffic(prices.expert, work.expertParameters, times);
  int64_t denseShards = outer.zeroStage > 0 ? prices.dense.shards.members : 1;
  int64_t expertShards = outer.zeroStage > 0 ? prices.expert.shards.members : 1;
  times.optimizer = prices.kernels.memoryBound(
      bytesOf(ceilDivide(work.denseParameters, denseShards),
              context.profile.optimizerBytesPerParameter) +
      bytesOf(ceilDivide(work.expertParameters, expertShards),
              context.profile.optimizerBytesPerParameter));
  setRecompute(times, work, work.recompute);
  return times;
}

void StepModel::setRecompute(RankTimes &times, StageWork work,
                             Nanoseconds recompute) const {
  work.recompute = recompute;
  times.recompute = recompute;
  times.idle = idle(work);
  times.gather =
      std::max(scaled(times.exchange, context.profile.parameterGatherExposure),
               times.exchange - times.compute - recompute);
}

StageEstimate StepModel::memory(int64_t rank, unsigned pool,
                                const StageWork &work) const {
  const PoolPrices &prices = (*pools)[pool];
  const StackProfile &profile = context.profile;
  double weightBytes = parameterBytes(context);
  // Of what ZeRO splits from `zeroStage` on, `bytesEach` per parameter.
  auto kept = [&](int zeroStage, double bytesEach) {
    bool isSplit = outer.zeroStage >= zeroStage;
    int64_t dense = isSplit ? prices.dense.shards.members : 1;
    int64_t expert = isSplit ? prices.expert.shards.members : 1;
    return bytesOf(ceilDivide(work.denseParameters, dense), bytesEach) +
           bytesOf(ceilDivide(work.expertParameters, expert), bytesEach);
  };

  StageEstimate estimate;
  estimate.forward = work.forward + work.forwardCommunication.total();
  estimate.backward = work.backwardInput + work.backwardWeight +
                      work.recompute + work.backwardCommunication.total();
  MemorySplit &memory = estimate.memory;
  memory.parameters = kept(3, weightBytes);
  memory.gradients = kept(2, profile.gradientBytesPerParameter);
  memory.optimizerState = kept(1, stateBytes(context));
  InFlight flight = inFlight(outer, rank, microBatchCount);
  estimate.inFlight = ceilDivide(flight.chunks, flight.stages);
  memory.activations =
      activationBytes(work.saved, flight, profile.activationFactor);
  memory.workspace = work.transient;
  // While one unit's parameters are in use those of the next arrive.
  if (outer.zeroStage == 3)
    memory.workspace += bytesOf(work.largestUnitParameters, 2 * weightBytes);
  if (outer.zeroStage >= 2)
    memory.workspace +=
        bytesOf(work.largestUnitParameters, profile.gradientBytesPerParameter);
  if (outer.pipeline > 1)
    memory.communication = work.outputBytes * 2;
  memory.overhead = bytesOf(1 << 30, profile.constantGib);
  estimate.memoryLimit = memoryLimit(pool);
  return estimate;
}

std::optional<Bytes> StepModel::savedBudget(int64_t rank, unsigned pool,
                                            StageWork work) const {
  work.saved = {};
  StageEstimate rest = this->memory(rank, pool, work);
  Bytes room = rest.memoryLimit - rest.memory.total();
  if (room < Bytes(0))
    return std::nullopt;
  InFlight flight = inFlight(outer, rank, microBatchCount);
  double factor = context.profile.activationFactor;
  double each = factor * double(flight.chunks) / double(flight.stages);
  // A guess, and as far from it as rounding may be.
  if (!(double(room.count()) < 9e18 * each))
    return Bytes::saturated();
  Bytes budget(int64_t(double(room.count()) / each));
  while (activationBytes(budget + Bytes(1), flight, factor) <= room)
    budget += Bytes(1);
  while (activationBytes(budget, flight, factor) > room)
    budget = budget - Bytes(1);
  return budget;
}

Nanoseconds StepModel::idle(const StageWork &work) const {
  IdleWeights weights = idleWeights(outer.schedule);
  return (work.forward + work.forwardCommunication.total()) * weights.forward +
         (work.backwardInput + work.recompute +
          work.backwardCommunication.total()) *
             weights.backwardInput +
         work.backwardWeight * weights.backwardWeight;
}

Nanoseconds StepModel::bubble(Nanoseconds idle) const {
  return share(std::max(idle, Nanoseconds()), outer.pipeline - 1,
               outer.pipeline * outer.virtualStages);
}

Nanoseconds StepModel::step(const Totals &totals, int64_t microBatches) const {
  return overhead.step(work(totals, microBatches));
}

TimeSplit StepModel::split(std::span<const RankTimes> ranks,
                           int64_t microBatches) const {
  Totals totals;
  const RankTimes *busiest = &ranks.front(), *last = &ranks.front();
  for (const RankTimes &rank : ranks) {
    totals.idle += rank.idle;
    if (rank.perMicroBatch() > busiest->perMicroBatch())
      busiest = &rank;
    if (rank.tail() > last->tail())
      last = &rank;
  }
  totals.perMicroBatch = busiest->perMicroBatch();
  totals.tail = last->tail();

  TimeSplit split;
  split.compute = busiest->compute * microBatches;
  split.recompute = busiest->recompute * microBatches;
  split.tensor = busiest->tensor * microBatches;
  split.context = busiest->context * microBatches;
  split.expert = busiest->expert * microBatches;
  split.pipeline = busiest->pipeline * microBatches;
  split.data = busiest->gather * microBatches + last->data;
  split.bubble = bubble(totals.idle);
  split.optimizer = last->optimizer;
  split.fixed =
      Nanoseconds(std::llround(context.profile.fixedMillisecondsPerStep * 1e6));
  split.straggler = step(totals, microBatches) - split.total();
  return split;
}

} // namespace shardsmith

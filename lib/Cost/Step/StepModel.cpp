// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Step/StepModel.h"
#include "../Scale.h"
#include "shardsmith/Strategy/ScheduleTraits.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace shardsmith {

IdleWeights idleWeights(ScheduleFamily family, int64_t ranks,
                        int64_t virtualStages, int64_t microBatches) {
  IdlePasses passes =
      traitsOf(family).idle({ranks, virtualStages, microBatches});
  return {passes.forward, passes.backwardInput, passes.backwardWeight};
}

int64_t gapsFilled(ScheduleFamily family, int64_t ranks, int64_t microBatches) {
  return traitsOf(family).gapsFilled(ranks, microBatches);
}

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

Bytes usableMemory(const DeviceType &device, double margin) {
  double usable =
      double((device.memory - device.reserved).count()) * (1 - margin);
  return Bytes(int64_t(std::max(usable, 0.0)));
}

Bytes usableMemory(const CostContext &context, unsigned pool) {
  return usableMemory(context.topology.deviceType(pool),
                      context.options.memoryMargin);
}

namespace {

ReplicaSubsets groupsOf(int64_t inner, int64_t count, int64_t split) {
  return {{inner, split}, {inner * split, count / split}, {inner, count}};
}

int64_t zeroShards(const Strategy &outer) {
  return outer.zeroGroup == 0 ? outer.replicas() : outer.zeroGroup;
}

} // namespace

ReplicaSubsets denseGroups(const Strategy &outer) {
  return groupsOf(1, outer.replicas(), zeroShards(outer));
}

// Ranks that share the experts hold different parameters; what is left of a
// ZeRO group are the ranks `expert` places apart.
ReplicaSubsets expertGroups(const Strategy &outer) {
  int64_t replicas = outer.replicas() / outer.expert;
  int64_t shards = std::min(
      replicas, std::max<int64_t>(1, zeroShards(outer) / outer.expert));
  while (replicas % shards != 0)
    --shards;
  return groupsOf(outer.expert, replicas, shards);
}

StepModel::StepModel(const CostContext &context, const Strategy &outer,
                     Links links)
    : context(context), outer(outer),
      collectives(context.topology.cluster(), context.profile),
      microBatchCount(outer.microBatchCount(context.workload.globalBatch)),
      fillingMicroBatches(microBatchCount), hidesReduction(microBatchCount > 1),
      areLinksFree(links == Links::Free), overhead(context, outer.rankCount()) {
  AxisPaths paths(context.topology, outer);
  auto prices = std::make_shared<std::vector<PoolPrices>>();
  for (unsigned pool = 0; pool < context.topology.pools().size(); ++pool) {
    auto pathsOf = [&](const ReplicaSubsets &groups) {
      auto path = [&](const ReplicaSubset &group) {
        return paths.replicas(group.inner, group.size, pool);
      };
      return ReplicaPaths{path(groups.shards), path(groups.copies),
                          path(groups.all)};
    };
    prices->push_back(
        {KernelTimes(context.topology.deviceType(pool), context.profile),
         usableMemory(context, pool), paths.axis(PlanAxis::Tensor, pool),
         context.topology.pools().size() == 1
             ? paths.axis(PlanAxis::Pipeline, pool)
             : GroupPath(),
         pathsOf(denseGroups(outer)), pathsOf(expertGroups(outer))});
  }
  pools = std::move(prices);
}

StepModel::StepModel(const StepModel &other, const Strategy &outer)
    : context(other.context), outer(outer), collectives(other.collectives),
      pools(other.pools), microBatchCount(other.microBatchCount),
      fillingMicroBatches(other.fillingMicroBatches),
      hidesReduction(other.hidesReduction), areLinksFree(other.areLinksFree),
      overhead(other.overhead) {}

void StepModel::limitMemory(Bytes most) {
  auto limited = std::make_shared<std::vector<PoolPrices>>(*pools);
  for (PoolPrices &pool : *limited)
    pool.memoryLimit = std::min(pool.memoryLimit, most);
  pools = std::move(limited);
}

/// Training with products of 8 bits or fewer keeps parameters in 16.
double StepModel::parameterBytes(const CostContext &context) {
  int64_t bits = workload::bitsOf(context.workload.computeType);
  return double(std::max<int64_t>(bits, 16)) / 8;
}

Nanoseconds StepModel::collective(CollectiveOp op, const GroupPath &path,
                                  Bytes bytes) const {
  if (areLinksFree || path.members == 1 || bytes.count() == 0)
    return {};
  return collectives.time(op, path, bytes).time;
}

/// ZeRO-0 sums gradients over all replicas at the end of the step; ZeRO-1
/// scatters the sums and gathers new parameters; ZeRO-2 scatters the gradients
/// of every micro-batch, so that no rank holds them whole; ZeRO-3 gathers
/// parameters before each pass as well.
template <typename Sink>
void StepModel::eachReplicaExchange(const ReplicaPaths &paths,
                                    int64_t parameters, int64_t uses,
                                    Sink sink) const {
  if (areLinksFree || parameters == 0 || paths.all.members == 1)
    return;
  using When = StepExchange::When;
  const StackProfile &profile = context.profile;
  auto give = [&](CollectiveOp op, std::initializer_list<When> times,
                  const GroupPath &path, Bytes bytes) {
    StepExchange exchange;
    exchange.op = op;
    exchange.bytes = bytes;
    exchange.time = collective(op, path, bytes);
    for (When when : times) {
      exchange.when = when;
      sink(exchange, path);
    }
  };
  Bytes gradients = bytesOf(parameters, profile.gradientMessageBytes);
  if (outer.zeroStage == 0)
    return give(CollectiveOp::AllReduce, {When::BeforeUpdate}, paths.all,
                gradients);
  auto scatter = [&](When when, int64_t elements) {
    give(CollectiveOp::ReduceScatter, {when}, paths.shards,
         bytesOf(elements, profile.gradientMessageBytes));
  };
  auto gather = [&](std::initializer_list<When> times, int64_t elements) {
    give(CollectiveOp::AllGather, times, paths.shards,
         bytesOf(elements, parameterBytes(context)));
  };
  if (outer.zeroStage == 3)
    gather({When::BeforeForward, When::BeforeBackward}, uses);
  if (outer.zeroStage == 1)
    scatter(When::BeforeUpdate, parameters);
  else
    scatter(When::BehindBackward, uses);
  give(CollectiveOp::AllReduce, {When::BeforeUpdate}, paths.copies,
       share(gradients, 1, paths.shards.members));
  if (outer.zeroStage < 3)
    gather({When::BehindUpdate}, parameters);
}

void StepModel::addReplicaTraffic(const ReplicaPaths &paths, int64_t parameters,
                                  int64_t uses, RankTimes &times) const {
  if (areLinksFree || parameters == 0 || paths.all.members == 1)
    return;
  const StackProfile &profile = context.profile;
  Nanoseconds once;
  eachReplicaExchange(paths, parameters, uses,
                      [&](const StepExchange &exchange, const GroupPath &) {
                        (exchange.isPerMicroBatch() ? times.exchange : once) +=
                            exchange.time;
                      });
  times.data += scaled(once, hidesReduction ? profile.dataExposure : 1);
  if (outer.zeroStage > 0)
    times.data += Nanoseconds(std::llround(profile.zeroMicrosecondsPerRank *
                                           1e3 * double(paths.shards.members)));
}

StepExchange StepModel::partialSum(unsigned pool, const StageWork &work) const {
  StepExchange sum;
  sum.bytes =
      bytesOf(work.partialParameters, context.profile.gradientMessageBytes);
  sum.time = collective(sum.op, (*pools)[pool].tensor, sum.bytes);
  return sum;
}

std::vector<StepExchange> StepModel::exchanges(unsigned pool,
                                               const StageWork &work) const {
  std::vector<StepExchange> all;
  if (StepExchange sum = partialSum(pool, work);
      sum.bytes.count() > 0 && outer.tensor > 1)
    all.push_back(sum);
  const PoolPrices &prices = (*pools)[pool];
  bool byUse = exchangesUses();
  auto list = [&](const ReplicaPaths &paths, const ReplicaSubsets &groups,
                  int64_t parameters, int64_t uses) {
    eachReplicaExchange(paths, parameters, byUse ? uses : parameters,
                        [&](StepExchange exchange, const GroupPath &path) {
                          if (path.members == 1)
                            return;
                          exchange.group = &path == &paths.all ? groups.all
                                           : &path == &paths.shards
                                               ? groups.shards
                                               : groups.copies;
                          all.push_back(exchange);
                        });
  };
  list(prices.dense, denseGroups(outer), work.denseParameters, work.denseUses);
  list(prices.expert, expertGroups(outer), work.expertParameters,
       work.expertUses);
  return all;
}

StepModel::SharedBytes StepModel::sharedBytes(const SharedHolding &held) const {
  // All ranks that share have the same degrees, on whatever device kind.
  const PoolPrices &prices = pools->front();
  auto bytes = [&](int zeroStage, double bytesEach) {
    auto part = [&](int64_t parameters, const ReplicaPaths &paths) {
      int64_t shards = outer.zeroStage >= zeroStage ? paths.shards.members : 1;
      return bytesOf(ceilDivide(parameters, shards), bytesEach);
    };
    return part(held.dense, prices.dense) + part(held.expert, prices.expert);
  };
  return {bytes(2, context.profile.gradientMessageBytes),
          bytes(3, parameterBytes(context))};
}

// Gradients of parameters that k stages hold go around a ring of these, in
// parts of one k-th; or to one of them, which sends back the new values.
Nanoseconds StepModel::sharedExchange(const StageWork &work,
                                      const GroupPath &path) const {
  if (outer.pipeline == 1)
    return {};
  const StackProfile &profile = context.profile;
  std::map<int64_t, SharedHolding> heldByRanks;
  for (const SharedHolding &each : work.heldWithOthers()) {
    SharedHolding &held = heldByRanks[std::min(outer.pipeline, each.uses)];
    addParameters(held.dense, each.dense);
    addParameters(held.expert, each.expert);
  }
  Nanoseconds sum;
  for (const auto &[ranks, held] : heldByRanks) {
    auto message = [&](Bytes size) {
      return collective(CollectiveOp::SendReceive, path, size);
    };
    auto [gradients, values] = sharedBytes(held);
    if (profile.sharedUpdatesOnce)
      sum += (message(gradients) + message(values)) * (ranks - 1);
    else
      sum += message(share(gradients, 1, ranks)) * (2 * (ranks - 1));
  }
  return sum;
}

Nanoseconds StepModel::bothWays(const PipelineMessage &message) const {
  return scaled(
      collective(CollectiveOp::SendReceive, *message.path, message.bytes) * 2,
      context.profile.pipelineExposure);
}

Nanoseconds StepModel::time(const PipelineMessage &message) const {
  return hidesMessages() ? Nanoseconds() : bothWays(message);
}

Nanoseconds StepModel::messageTime(const PipelineMessage &message) const {
  return scaled(
      collective(CollectiveOp::SendReceive, *message.path, message.bytes),
      context.profile.pipelineExposure);
}

Nanoseconds StepModel::leastMessage(Bytes bytes) const {
  return time({bytes, &pools->front().pipeline});
}

RankTimes StepModel::times(unsigned pool, const StageWork &work,
                           std::span<const PipelineMessage> messages) const {
  const PoolPrices &prices = (*pools)[pool];
  const UnitCommunication &forward = work.forwardCommunication;
  const UnitCommunication &backward = work.backwardCommunication;
  RankTimes times;
  times.compute = work.forward + work.backwardInput + work.backwardWeight;
  times.exchanges += forward;
  times.exchanges += backward;
  for (const PipelineMessage &each : messages)
    times.messages += bothWays(each);

  times.data += partialSum(pool, work).time;
  bool byUse = exchangesUses();
  addReplicaTraffic(prices.dense, work.denseParameters,
                    byUse ? work.denseUses : work.denseParameters, times);
  addReplicaTraffic(prices.expert, work.expertParameters,
                    byUse ? work.expertUses : work.expertParameters, times);
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
  // Messages and exposed exchanges delay every micro-batch on its way through
  // the ranks, so they count as idle time where forward passes do.
  Nanoseconds alsoWaited =
      times.messages +
      scaled(times.exchange, context.profile.parameterGatherExposure);
  times.idle = idle(work) + alsoWaited * idleWeights().forward;
  times.gather =
      std::max(scaled(times.exchange, context.profile.parameterGatherExposure),
               times.exchange - times.compute - recompute);
  times.pipeline = times.messages;
  // Twice as many micro-batches are under way as ranks work on: the messages of
  // one travel while the other is worked on, if they are no longer than that.
  if (hidesMessages()) {
    times.pipeline = {};
    times.pipeline =
        std::max(Nanoseconds(), times.messages - times.perMicroBatch());
  }
}

double StepModel::mostBubble() const {
  auto inPasses = double(std::max<int64_t>(idleWeights().backwardInput, 0));
  return (hidesMessages() ? 2 : 1) * inPasses / double(outer.virtualStages);
}

bool StepModel::hidesMessages() const {
  return traitsOf(outer.schedule).hidesMessages;
}

IdleWeights StepModel::idleWeights() const {
  return shardsmith::idleWeights(outer.schedule, outer.pipeline,
                                 outer.virtualStages, fillingMicroBatches);
}

Nanoseconds StepModel::idle(const StageWork &work) const {
  IdleWeights weights = idleWeights();
  return (work.forward + work.forwardCommunication.sum()) * weights.forward +
         (work.backwardInput + work.recompute +
          work.backwardCommunication.sum()) *
             weights.backwardInput +
         work.backwardWeight * weights.backwardWeight;
}

Nanoseconds StepModel::bubble(Nanoseconds idle) const {
  return share(std::max(idle, Nanoseconds()), 1,
               outer.pipeline * outer.virtualStages);
}

Nanoseconds StepModel::step(const Totals &totals, int64_t microBatches) const {
  return overhead.step(work(totals, microBatches));
}

TimeSplit StepModel::split(std::span<const RankTimes> ranks,
                           int64_t microBatches, Nanoseconds played) const {
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
  static_cast<UnitCommunication &>(split) = busiest->exchanges.map(
      [&](Nanoseconds time) { return time * microBatches; });
  split.pipeline = busiest->pipeline * microBatches;
  split.data = busiest->gather * microBatches + last->data + last->shared;
  split.bubble = bubble(totals.idle);
  split.optimizer = last->optimizer;
  split.fixed =
      Nanoseconds(std::llround(context.profile.fixedMillisecondsPerStep * 1e6));
  Nanoseconds work = this->work(totals, microBatches);
  double tolerance = traitsOf(outer.schedule).playedTolerance;
  Nanoseconds least(int64_t(double(played.count()) / (1 + tolerance)));
  if (least > work) {
    split.bubble += least - work;
    work = least;
  }
  split.straggler = step(work) - split.total();
  return split;
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0
//
// docs/step-time.md has the formulas, docs/check.md says what is derived how.

#include "RankCosts.h"

#include "Axes.h"
#include "Rounding.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace shardsmith::check {

RankCosts::RankCosts(const CheckInputs &inputs, const ClusterTopology &topology,
                     const Strategy &strategy, double memoryMargin)
    : workload(inputs.workload), shared(workload), profile(inputs.profile),
      topology(topology), strategy(strategy), memoryMargin(memoryMargin),
      groups(topology, strategy),
      collectives(topology.cluster(), inputs.profile),
      microBatches(strategy.microBatchCount(inputs.workload.globalBatch)) {
  for (unsigned pool = 0; pool < topology.pools().size(); ++pool)
    kernels.emplace_back(topology.deviceType(pool), profile);
}

UnitSetting RankCosts::unitSetting(unsigned pool) const {
  return {groups.ofUnit(pool), workload,   shared, strategy,
          kernels[pool],       collectives};
}

Nanoseconds RankCosts::collective(CollectiveOp operation, const GroupPath &path,
                                  Bytes bytes) const {
  if (path.members == 1 || bytes.count() == 0)
    return {};
  return collectives.time(operation, path, bytes).time;
}

Replicas RankCosts::replicas(bool ofExperts, unsigned pool) const {
  int64_t all = replicasOf(strategy);
  int64_t shards = strategy.zeroGroup == 0 ? all : strategy.zeroGroup;
  int64_t apart = 1;
  if (ofExperts) {
    // Neighbours hold different experts; the same ones are `expert` apart.
    apart = strategy.expert;
    all /= apart;
    shards = std::min(all, std::max<int64_t>(1, shards / apart));
    while (all % shards != 0)
      --shards;
  }
  return {groups.ofReplicas(apart, shards, pool),
          groups.ofReplicas(apart * shards, all / shards, pool),
          groups.ofReplicas(apart, all, pool)};
}

/// Training in 8 bits keeps parameters in 16.
double RankCosts::parameterBytes() const {
  int64_t bits = workload::bitsOf(workload.computeType);
  return static_cast<double>(std::max<int64_t>(16, bits)) / 8;
}

/// The state of 16-bit training contains the parameters in 32 bits.
double RankCosts::stateBytes() const {
  int64_t parameterBits = bitsOf(workload.computeType);
  double bytes = profile.stateBytesPerParameter;
  return parameterBits < 32 ? bytes : std::max(0.0, bytes - 4);
}

/// Exchanges of gradients and parameters among replicas: once per step, and
/// with ZeRO-2 and ZeRO-3 in every micro-batch. Stages of one rank run one
/// after the other, and each then exchanges what its units use.
void RankCosts::exchange(const Replicas &group, int64_t parameters,
                         int64_t uses, Nanoseconds &once,
                         Nanoseconds &perMicroBatch) const {
  if (parameters == 0 || group.all.members == 1)
    return;
  int64_t each = strategy.virtualStages > 1 ? uses : parameters;
  Bytes gradients = bytesFor(parameters, profile.gradientMessageBytes);
  double share = microBatches == 1 ? 1 : profile.dataExposure;
  if (strategy.zeroStage == 0) {
    once +=
        times(collective(CollectiveOp::AllReduce, group.all, gradients), share);
    return;
  }
  Nanoseconds scatter = collective(
      CollectiveOp::ReduceScatter, group.shards,
      strategy.zeroStage == 1 ? gradients
                              : bytesFor(each, profile.gradientMessageBytes));
  Nanoseconds gather = collective(
      CollectiveOp::AllGather, group.shards,
      bytesFor(strategy.zeroStage == 3 ? each : parameters, parameterBytes()));
  Bytes shard(ceilDivide(gradients.count(), group.shards.members));
  Nanoseconds atEnd = collective(CollectiveOp::AllReduce, group.copies, shard);
  (strategy.zeroStage == 1 ? atEnd : perMicroBatch) += scatter;
  if (strategy.zeroStage == 3)
    perMicroBatch += gather * 2;
  else
    atEnd += gather;
  once += times(atEnd, share);
  double perRank = profile.zeroMicrosecondsPerRank * 1000;
  once += Nanoseconds(
      std::llround(perRank * static_cast<double>(group.shards.members)));
}

/// What the rank idles while the pipeline fills and drains, docs/schedules.md.
/// `exposed`: messages and exchanges of a micro-batch that are on its way.
Nanoseconds RankCosts::idle(const RankWork &rank, Nanoseconds exposed,
                            int64_t microBatches) const {
  Passes passes = {.forward = rank.forward + rank.forwardExposed + exposed,
                   .backwardInput = rank.backwardInput + rank.recompute +
                                    rank.backwardExposed,
                   .backwardWeight = rank.backwardWeight};
  return factsOf(strategy.schedule).idle(pipelineSize(microBatches), passes);
}

PipelineSize RankCosts::pipelineSize(int64_t microBatches) const {
  return {strategy.pipeline, strategy.virtualStages, microBatches};
}

/// Gradients go to one of the ranks, and new values come back from it; or parts
/// of the gradients go around twice, as in any ring. What as many ranks hold
/// goes together.
std::vector<RankCosts::JointMessage>
RankCosts::jointMessages(const RankWork &rank) const {
  std::vector<JointMessage> all;
  if (strategy.pipeline == 1)
    return all;
  Replicas dense = replicas(false, 0), expert = replicas(true, 0);
  std::map<int64_t, Elements> elementsOfOthers;
  for (const RankWork::Joint &joint : rank.joint)
    elementsOfOthers[std::min(joint.ranks, strategy.pipeline) - 1].add(
        joint.elements);
  for (const auto &entry : elementsOfOthers) {
    const int64_t others = entry.first;
    const Elements &elements = entry.second;
    auto size = [&](bool isCut, double bytesEach) {
      int64_t a = isCut ? dense.shards.members : 1;
      int64_t b = isCut ? expert.shards.members : 1;
      return bytesFor(ceilDivide(elements.dense, a), bytesEach) +
             bytesFor(ceilDivide(elements.expert, b), bytesEach);
    };
    Bytes gradients =
        size(strategy.zeroStage > 1, profile.gradientMessageBytes);
    if (!profile.sharedUpdatesOnce) {
      all.push_back(
          {Bytes(ceilDivide(gradients.count(), others + 1)), 2 * others});
      continue;
    }
    all.push_back({gradients, others});
    all.push_back({size(strategy.zeroStage > 2, parameterBytes()), others});
  }
  return all;
}

RankTimes RankCosts::timesOf(const RankWork &rank, int64_t microBatches) const {
  RankTimes each;
  Nanoseconds messages;
  for (const RankWork::Send &send : rank.sends)
    messages += times(message(send) * 2, profile.pipelineExposure);
  each.data = collective(
      CollectiveOp::AllReduce, groups.of(PlanAxis::Tensor, rank.pool),
      bytesFor(rank.parameters.sharedGradients, profile.gradientMessageBytes));
  Replicas dense = replicas(false, rank.pool);
  Replicas expert = replicas(true, rank.pool);
  Nanoseconds inside;
  exchange(dense, rank.parameters.dense, rank.uses.dense, each.data, inside);
  exchange(expert, rank.parameters.expert, rank.uses.expert, each.data, inside);
  for (const JointMessage &message : jointMessages(rank))
    each.joint +=
        collective(CollectiveOp::SendReceive, rank.farthest, message.bytes) *
        message.count;
  each.gathers = std::max(times(inside, profile.parameterGatherExposure),
                          inside - rank.kernels() - rank.recompute);
  each.optimizer = kernels[rank.pool].memoryBound(
      held(rank, dense, expert, 1, profile.optimizerBytesPerParameter));
  each.idle =
      idle(rank, messages + times(inside, profile.parameterGatherExposure),
           microBatches);
  Nanoseconds rest =
      rank.kernels() + rank.recompute + rank.exchanges() + each.gathers;
  each.pipeline = factsOf(strategy.schedule).sendsBesideWork
                      ? std::max(messages - rest, Nanoseconds(0))
                      : messages;
  each.perMicroBatch = rest + each.pipeline;
  return each;
}

/// `bytesEach` for every parameter of a rank, of its shard if the ZeRO stage
/// is at least `fromStage`.
Bytes RankCosts::held(const RankWork &rank, const Replicas &dense,
                      const Replicas &expert, int fromStage,
                      double bytesEach) const {
  bool cut = strategy.zeroStage >= fromStage;
  auto part = [&](int64_t parameters, const Replicas &group) {
    return bytesFor(ceilDivide(parameters, cut ? group.shards.members : 1),
                    bytesEach);
  };
  return part(rank.parameters.dense, dense) +
         part(rank.parameters.expert, expert);
}

Bytes RankCosts::limitOf(unsigned pool) const {
  const DeviceType &device = topology.deviceType(pool);
  double usable =
      static_cast<double>((device.memory - device.reserved).count()) *
      (1 - memoryMargin);
  return Bytes(static_cast<int64_t>(std::max(0.0, usable)));
}

RankMemory RankCosts::memoryOf(int64_t index, const RankWork &rank) const {
  Replicas dense = replicas(false, rank.pool);
  Replicas expert = replicas(true, rank.pool);
  RankMemory memory;
  std::tie(memory.passes, memory.stages) =
      factsOf(strategy.schedule).inFlight(pipelineSize(microBatches), index);
  Bytes saved = rank.saved * memory.passes;
  if (!saved.isSaturated())
    saved = Bytes(ceilDivide(saved.count(), memory.stages));
  Bytes workspace = rank.workingSet;
  if (strategy.zeroStage == 3)
    // The unit at work and the next one.
    workspace += bytesFor(rank.largestUnitParameters, 2 * parameterBytes());
  if (strategy.zeroStage >= 2)
    workspace +=
        bytesFor(rank.largestUnitParameters, profile.gradientBytesPerParameter);
  memory.items = {
      {"parameters", held(rank, dense, expert, 3, parameterBytes())},
      {"gradients",
       held(rank, dense, expert, 2, profile.gradientBytesPerParameter)},
      {"optimizer_state", held(rank, dense, expert, 1, stateBytes())},
      {"activations", bytesFor(saved.count(), profile.activationFactor)},
      {"workspace", workspace},
      {"communication", strategy.pipeline > 1 ? rank.handedOn * 2 : Bytes(0)},
      {"overhead", bytesFor(int64_t(1) << 30, profile.constantGib)}};
  memory.limit = limitOf(rank.pool);
  return memory;
}

Bytes RankMemory::peak() const {
  Bytes sum;
  for (const auto &[name, bytes] : items)
    sum += bytes;
  return sum;
}

double RankMemory::filled() const {
  return static_cast<double>(peak().count()) /
         static_cast<double>(std::max<int64_t>(1, limit.count()));
}

} // namespace shardsmith::check

// SPDX-License-Identifier: Apache-2.0

#include "ConfigurationBounds.h"
#include "LayoutBound.h"

#include <algorithm>
#include <limits>

namespace shardsmith::search {

namespace {

int64_t ranksForParameters(const CostContext &context) {
  Bytes room;
  for (unsigned pool = 0; pool < context.topology.pools().size(); ++pool)
    room = std::max(room, usableMemory(context, pool));
  room = room - StepModel::overheadBytes(context);
  Bytes held = StepModel::leastHeld(context);
  constexpr int64_t never = std::numeric_limits<int64_t>::max();
  if (held.isSaturated() || room <= Bytes())
    return never;
  return ceilDivide(held.count(), room.count());
}

} // namespace

ConfigurationBounds::ConfigurationBounds(const CostContext &context,
                                         const SearchConstraints &constraints,
                                         const Chain &chain,
                                         Placements &placements,
                                         UnitBounds &unitBounds)
    : context(context), constraints(constraints), chain(chain),
      placements(placements), unitBounds(unitBounds),
      fewestRanks(ranksForParameters(context)) {}

const std::optional<ConfigurationBounds::OpTimes> &
ConfigurationBounds::ops(const ParallelConfiguration &degrees) {
  return knownOps.of(unitKey(degrees.microBatch, degrees.unit()),
                     [&] { return findOps(degrees); });
}

std::optional<ConfigurationBounds::OpTimes>
ConfigurationBounds::findOps(const ParallelConfiguration &degrees) {
  if (!unitBounds.hasRoom(degrees))
    return std::nullopt;
  size_t blocks = context.workload.blocks.size();
  auto pools = unsigned(context.topology.pools().size());
  std::vector<std::vector<Nanoseconds>> times(
      pools, std::vector(blocks, Nanoseconds::saturated()));
  for (const Strategy &outer :
       withMethods(degrees.strategy(), degrees, constraints)) {
    const Placement &placement = placements.relaxed(outer);
    for (unsigned pool = 0; pool < pools; ++pool)
      for (workload::BlockIndex block = 0; block < blocks; ++block)
        times[pool][block] = std::min(
            times[pool][block], unitBounds.ops(block, pool, outer, placement));
  }
  OpTimes ops;
  for (workload::BlockIndex block = 0; block < blocks; ++block) {
    std::vector<Nanoseconds> onKinds;
    for (const std::vector<Nanoseconds> &onPool : times)
      onKinds.push_back(onPool[block]);
    ops.times.push_back(std::ranges::min(onKinds));
    ops.onKinds.add(chain.unitsOfBlocks()[block], onKinds);
  }
  return ops;
}

// One configuration of each key is enough. Room comes first: it is the same for
// all tensor degrees, whose ops different threads then price.
void ConfigurationBounds::priceOps(
    const std::vector<ParallelConfiguration> &configurations,
    ThreadPool &threads, const std::function<bool()> &mustStop) {
  auto onEach = [&](bool isAlone, auto work) {
    NumberSet<5> seen;
    std::vector<ParallelConfiguration> different;
    std::vector<size_t> shares;
    for (ParallelConfiguration degrees : configurations) {
      if (degrees.ranks() < fewestRanks)
        continue;
      if (isAlone)
        degrees.tensor = 1;
      if (!seen.insert(unitKey(degrees.microBatch, degrees.unit())).second)
        continue;
      different.push_back(degrees);
      shares.push_back(unitBounds.shareOf(degrees));
    }
    threads.shareGroups(shares, [&](size_t i) {
      if (!mustStop())
        work(different[i]);
    });
  };
  onEach(true,
         [&](const ParallelConfiguration &each) { unitBounds.hasRoom(each); });
  onEach(false, [&](const ParallelConfiguration &each) { ops(each); });
}

Nanoseconds ConfigurationBounds::ofOps(const ParallelConfiguration &degrees) {
  if (degrees.ranks() < fewestRanks)
    return Nanoseconds::saturated();
  const std::optional<OpTimes> &known = ops(degrees);
  if (!known)
    return Nanoseconds::saturated();
  return std::max(ofTimes(degrees, known->times), ofCapacity(degrees, *known));
}

Nanoseconds
ConfigurationBounds::ofCapacity(const ParallelConfiguration &degrees,
                                const OpTimes &ops) const {
  const std::vector<DevicePool> &pools = context.topology.pools();
  if (pools.size() == 1)
    return {};
  std::vector<int64_t> devices;
  for (const DevicePool &pool : pools)
    devices.push_back(pool.count());
  // Ranks of a tensor and context group do each unit together.
  double time =
      ops.onKinds.sharedBy(degrees.ranks(), devices) *
      double(ceilDivide(context.workload.globalBatch, degrees.microBatch)) *
      double(degrees.unitRanks());
  if (!(time < 9e18))
    return Nanoseconds::saturated();
  return StepOverhead(context, degrees.ranks())
      .step(Nanoseconds(int64_t(time)));
}

Nanoseconds
ConfigurationBounds::ofTimes(const ParallelConfiguration &degrees,
                             const std::vector<Nanoseconds> &unitTimes) const {
  auto timeOf = [&](size_t segment) {
    return unitTimes[chain.blockOf(segment)];
  };
  Nanoseconds perMicroBatch = evenShareBound(chain, timeOf, degrees.pipeline);
  if (perMicroBatch.isSaturated())
    return perMicroBatch;
  int64_t batches = degrees.microBatchCount(context.workload.globalBatch);
  return StepOverhead(context, degrees.ranks()).step(perMicroBatch * batches);
}

Nanoseconds ConfigurationBounds::ofIdeal(const Strategy &outer,
                                         const ChainSums &sums) const {
  Bytes budget = savedBudget(outer, sums);
  if (sums.leastSaved > budget)
    return Nanoseconds::saturated();
  Nanoseconds time = sums.time;
  if (sums.savedThen > budget)
    time += leastRecompute(sums.groups, constraints.recompute, budget) -
            sums.leastRecompute;
  if (time.isSaturated())
    return time;
  Nanoseconds perMicroBatch =
      std::max(evenShareBound(chain, bySegment(sums.unitTimes), outer.pipeline),
               Nanoseconds(ceilDivide(time.count(), outer.pipeline)));
  int64_t batches = outer.microBatchCount(context.workload.globalBatch);
  return StepOverhead(context, outer.rankCount()).step(perMicroBatch * batches);
}

// Rank r of p holds p - r of M micro-batches under 1F1B, or M if that is less;
// no schedule holds fewer on any rank. Each rank needs what some unit needs
// while it runs.
Bytes ConfigurationBounds::savedBudget(const Strategy &outer,
                                       const ChainSums &sums) const {
  double factor = context.profile.activationFactor;
  Bytes running = Bytes::saturated();
  for (const UnitGroup &group : sums.groups)
    running = std::min(
        running,
        workingMemory(*group.unit, constraints.recompute, factor >= 1).least());
  Bytes room = usableMemory(context, 0) - running;
  if (room < Bytes())
    return room;
  int64_t batches = outer.microBatchCount(context.workload.globalBatch);
  double shares = 0;
  for (int64_t rank = 0; rank < outer.pipeline; ++rank)
    shares += 1 / double(std::min(outer.pipeline - rank, batches));
  constexpr double slack = 1 + 1e-9;
  double bytes = double(room.count()) * shares / factor * slack;
  return bytes < 9e18 ? Bytes(int64_t(bytes) + 1) : Bytes::saturated();
}

} // namespace shardsmith::search

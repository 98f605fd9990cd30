// SPDX-License-Identifier: Apache-2.0
//
// What must hold of the best plans of any two clusters of which one has more,
// or the same in other words. On random instances; SHARDSMITH_TEST_SEED sets
// the first one.

#include "../../FirstSeed.h"
#include "../PlayedNoise.h"
#include "../RandomInstance.h"

#include "shardsmith/Cost/Step/IdleWeights.h"

#include <gtest/gtest.h>

#include <map>

namespace shardsmith {
namespace {

using testing_search::RandomInstance;
using testing_search::withNoise;

/// The step of the best plan; saturated if nothing fits. No plan is faster than
/// `bound`, which is the same but for a few plans whose data ranks lie on
/// several kinds of device, or whose schedules take longer when they are
/// played.
struct Best {
  Nanoseconds step = Nanoseconds::saturated();
  Nanoseconds bound = Nanoseconds::saturated();
};
Best bestOn(const RandomInstance &instance, const Cluster &cluster) {
  ClusterTopology topology(cluster);
  CostContext context{instance.workload, topology, instance.profile};
  SearchOptions options;
  options.planCount = 1;
  options.constraints = instance.constraints;
  SearchResult result = searchStrategies(context, options);
  if (result.plans.empty())
    return {};
  const RankedPlan &plan = result.plans.front();
  Best best{plan.estimate.step(), Nanoseconds(result.lowerBound)};
  EXPECT_LE(best.bound, best.step);
  return best;
}

/// Memory of which the best plan may need more than there is.
void limitMemory(RandomInstance &instance) {
  double gib = std::pow(2.0, instance.between(-7, 4));
  for (auto &[name, type] : instance.cluster.deviceTypes)
    type.memory =
        type.reserved + Bytes(int64_t(gib * double(int64_t(1) << 30)));
}

/// Calls `visit` with instances of all kinds.
template <typename Visit> void eachInstance(size_t count, Visit visit) {
  uint64_t first = test::firstSeed();
  for (uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("SHARDSMITH_TEST_SEED=" + std::to_string(seed));
    RandomInstance instance(
        seed, seed % 2 == 0,
        {.experts = seed % 3 == 1, .attention = seed % 3 == 2});
    limitMemory(instance);
    visit(instance);
    if (testing::Test::HasFailure())
      return;
  }
}

TEST(PlanProperties, FasterClustersNeverTakeLonger) {
  std::map<std::string, size_t> faster;
  size_t infeasible = 0;
  eachInstance(600, [&](RandomInstance &instance) {
    // Where gradients of parameters fill gaps, shorter ones on a rank that is
    // not the busiest fill less.
    auto &schedules = instance.constraints.schedules;
    for (size_t family = 0; family < schedules.size(); ++family)
      if (idleWeights(ScheduleFamily(family), 2, 1, 4).differ())
        schedules[family] = false;
    schedules[size_t(ScheduleFamily::OneForwardOneBackward)] = true;
    Cluster better = instance.cluster;
    double factor = instance.between(1, 4);
    std::string change;
    switch (instance.below(5)) {
    case 0:
      change = "bandwidth of links";
      for (auto &[name, link] : better.linkTypes) {
        link.bytesPerSecond *= factor;
        for (CollectiveFit &fit : link.collectiveFits)
          fit.bytesPerSecond *= factor;
      }
      break;
    case 1:
      change = "latency";
      for (auto &[name, link] : better.linkTypes) {
        link.latencySeconds /= factor;
        link.messageSeconds /= factor;
        for (CollectiveFit &fit : link.collectiveFits)
          fit.latencySeconds /= factor;
      }
      break;
    case 2:
      change = "operations";
      for (auto &[name, type] : better.deviceTypes)
        for (auto &[number, rate] : type.flopsPerSecond)
          rate *= factor;
      break;
    case 3:
      change = "bandwidth of memory";
      for (auto &[name, type] : better.deviceTypes)
        type.bytesPerSecond *= factor;
      break;
    default:
      change = "size of memory";
      for (auto &[name, type] : better.deviceTypes)
        type.memory += type.memory;
    }
    Best before = bestOn(instance, instance.cluster);
    Best after = bestOn(instance, better);
    EXPECT_LE(after.bound, withNoise(before.step)) << change;
    faster[change] += after.step < before.step;
    infeasible += before.step.isSaturated();
  });
  EXPECT_EQ(faster.size(), 5u);
  for (auto &[change, count] : faster)
    EXPECT_GT(count, 0u) << change;
  EXPECT_LT(infeasible, 500u);
}

TEST(PlanProperties, MoreDevicesNeverTakeLonger) {
  size_t faster = 0;
  eachInstance(1'000, [&](RandomInstance &instance) {
    // Where devices differ, the links of all ranks of a pool are as slow as
    // those of the worst block that it has room for: another node with an odd
    // number of devices may bring one.
    if (instance.cluster.groups.size() > 1)
      return;
    Cluster larger = instance.cluster;
    Group &group =
        larger.groups[size_t(instance.below(int64_t(larger.groups.size())))];
    // Another node, or where no network would join it, another device.
    if (!group.network.link.empty())
      ++group.node.count;
    else if (group.node.count == 1)
      ++group.node.devices.front().count;
    else
      return;
    Best before = bestOn(instance, instance.cluster);
    Best after = bestOn(instance, larger);
    EXPECT_LE(after.bound, withNoise(before.step));
    faster += after.step < before.step;
  });
  EXPECT_GT(faster, 50u);
}

TEST(PlanProperties, OtherNamesAndOrdersChangeNothing) {
  size_t feasible = 0, reordered = 0, unproved = 0;
  eachInstance(500, [&](RandomInstance &instance) {
    Cluster other = instance.cluster;
    other.name = "renamed";
    std::ranges::reverse(other.groups);
    std::map<std::string, DeviceType> types;
    for (auto &[name, type] : other.deviceTypes)
      types["z" + name] = type;
    other.deviceTypes = types;
    for (Group &group : other.groups) {
      group.name = "other-" + group.name;
      for (DeviceSlot &slot : group.node.devices)
        slot.type = "z" + slot.type;
    }
    for (Interconnect &each : other.interconnects) {
      std::swap(each.first, each.second);
      each.first = "other-" + each.first;
      each.second = "other-" + each.second;
    }
    Best before = bestOn(instance, instance.cluster);
    Best after = bestOn(instance, other);
    EXPECT_LE(after.bound, withNoise(before.step));
    EXPECT_LE(before.bound, withNoise(after.step));
    unproved += before.bound < before.step || after.bound < after.step;
    feasible += !before.step.isSaturated();
    reordered += other.groups.size() > 1;
  });
  EXPECT_GT(feasible, 50u);
  EXPECT_GT(reordered, 50u);
  EXPECT_LT(unproved, 10u);
}

} // namespace
} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0
//
// Tables for schedules that tell the passes apart, against enumeration.

#include "shardsmith/Plan/Blocks/IdleTable.h"
#include "../../FirstSeed.h"
#include "BlockEnumeration.h"
#include "RandomBlock.h"
#include "shardsmith/Cluster/ClusterReader.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace shardsmith {
namespace {

/// What of a layout decides whether it is wanted, and how good it is.
struct Measured {
  double time, share;
  /// Of those by which layouts are compared, idle with each way of recomputing
  /// that is allowed in the end.
  Numbers numbers;
};

Measured measured(const UnitCostModel &model, const IdleMeasure &measure,
                  const BlockLayout &layout) {
  UnitCosts costs = model.price(layout);
  Nanoseconds forward = costs.forward + costs.forwardCommunication.sum();
  Nanoseconds least = Nanoseconds::saturated();
  Measured result;
  result.numbers = numbersOf(model, layout);
  for (size_t choice = 0; choice < recomputeChoices; ++choice) {
    Nanoseconds time = forward + costs.backward(Recompute(choice));
    if (!measure.recompute[choice]) {
      // Without recomputation kernels hide the exchange of parameters.
      if (choice > 0)
        result.numbers[choice] = 0;
      continue;
    }
    least = std::min(least, time);
    const IdleWeights &weights = measure.weights;
    result.numbers.push_back(
        (forward * weights.forward +
         (time - forward - costs.backwardWeight) * weights.backwardInput +
         costs.backwardWeight * weights.backwardWeight)
            .count());
  }
  if (measure.countsCommunication)
    result.numbers.push_back(
        (costs.forwardCommunication.sum() + costs.backwardCommunication.sum())
            .count());
  result.time = double(least.count());
  result.share =
      result.time -
      measure.shares.backwardWeight * double(costs.backwardWeight.count()) -
      measure.shares.forward * double(forward.count());
  return result;
}

struct Instance {
  explicit Instance(RandomBlock &random)
      : workload(random.make()), cluster(*findCluster("8xh100").cluster),
        topology(cluster) {
    profile.fusedAttention = random.below(2);
    profile.recomputeStopsEarly = random.below(2);
    profile.selectiveKeepsProducts = random.below(2);
    profile.layerForwardMicroseconds = double(random.below(3)) * 40;
    setting.tensor = 2 + int64_t(random.below(3));
    setting.paths.tensor = topology.path(1, setting.tensor);
    setting.microBatch = 1 + int64_t(random.below(2));
    auto family =
        ScheduleFamily(size_t(ScheduleFamily::ZeroBubbleH1) + random.below(4));
    if (random.below(4) == 0)
      family = ScheduleFamily::OneForwardOneBackward;
    int64_t ranks = 1 + int64_t(random.below(5));
    int64_t batches = 2 * ranks + int64_t(random.below(6));
    measure.weights = idleWeights(family, ranks, 1, batches);
    measure.shares = IdleShares::of(measure.weights, double(batches));
    for (bool &allowed : measure.recompute)
      allowed = random.below(2);
    measure.recompute[random.below(recomputeChoices)] = true;
    measure.countsCommunication = random.below(2);
  }

  Workload workload;
  Cluster cluster;
  ClusterTopology topology;
  StackProfile profile;
  UnitSetting setting;
  IdleMeasure measure;
};

// For every layout within the limits the table has one that is no worse.
TEST(IdleTable, CoversEnumeration) {
  uint64_t seed = test::firstSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomBlock random(seed);
  size_t compared = 0, left = 0, more = 0;
  while (compared < 1000) {
    Instance instance(random);
    KernelTimes kernels(instance.topology.deviceType(0), instance.profile);
    CollectiveTimes collectives(instance.cluster, instance.profile);
    UnitCostModel model(instance.workload, 0, instance.setting, kernels,
                        collectives);
    Enumeration enumeration(model);
    if (enumeration.count() > 6000)
      continue;
    ++compared;
    IdleTable table({{&model, instance.measure}}, false);
    IdleTable::Amounts least = table.least().front();
    double spread = 1 + double(random.below(40)) / 100;
    double mostTime = least.time * spread;
    double mostShare = least.share * spread;
    std::map<Border, std::vector<Numbers>> covered;
    int64_t effort = int64_t(1) << 40;
    auto entries = table.entries({{mostTime, mostShare}}, effort);
    ASSERT_TRUE(entries);
    // Who stops has all of them or says that they are not all.
    int64_t sameEffort = int64_t(1) << 40;
    auto stopped =
        table.entries({{mostTime, mostShare}}, sameEffort, [] { return true; });
    EXPECT_EQ(stopped.has_value(), sameEffort >= 0);
    if (stopped)
      EXPECT_EQ(stopped->size(), entries->size());
    for (const BlockEntry &entry : *entries)
      covered[{entry.inputs, entry.outputs}].push_back(
          measured(model, instance.measure, entry.layout).numbers);
    for (const auto &[border, entries] : covered)
      more += entries.size();
    for (const BlockEntry &entry : blockTable(model))
      more -= measured(model, instance.measure, entry.layout).time <= mostTime;
    enumeration.each([&](const Border &border, const BlockLayout &layout) {
      Measured each = measured(model, instance.measure, layout);
      EXPECT_GE(each.time, least.time);
      EXPECT_GE(each.share, least.share - 2);
      if (each.time > mostTime || each.share > mostShare)
        return;
      ++left;
      EXPECT_TRUE(std::ranges::any_of(
          covered[border],
          [&](const Numbers &entry) { return noWorse(entry, each.numbers); }))
          << "block " << compared;
    });
    ASSERT_FALSE(HasFailure()) << toJson(instance.workload);
  }
  EXPECT_GT(left, 1000u);
  EXPECT_GT(more, 100u);
}

// What may be within the limits on one kind of device is there, although other
// kinds take longer.
TEST(IdleTable, CoversEnumerationOnSeveralKindsOfDevice) {
  uint64_t seed = test::firstSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomBlock random(seed);
  Cluster other = *findCluster("4x4xl40s").cluster;
  ClusterTopology otherTopology(other);
  size_t compared = 0, left = 0, onOneOnly = 0;
  while (compared < 300) {
    Instance instance(random);
    KernelTimes kernels(instance.topology.deviceType(0), instance.profile),
        otherKernels(otherTopology.deviceType(0), instance.profile);
    CollectiveTimes collectives(instance.cluster, instance.profile),
        otherCollectives(other, instance.profile);
    UnitSetting otherSetting = instance.setting;
    otherSetting.paths.tensor = otherTopology.path(1, otherSetting.tensor);
    UnitCostModel model(instance.workload, 0, instance.setting, kernels,
                        collectives),
        otherModel(instance.workload, 0, otherSetting, otherKernels,
                   otherCollectives);
    Enumeration enumeration(model);
    if (enumeration.count() > 3000)
      continue;
    ++compared;
    IdleMeasure otherMeasure = instance.measure;
    otherMeasure.shares =
        IdleShares::of(instance.measure.weights, 1 + double(random.below(20)));
    std::vector<IdleTable::Kind> kinds = {{&model, instance.measure},
                                          {&otherModel, otherMeasure}};
    IdleTable table(kinds, false);
    std::vector<IdleTable::Amounts> least = table.least(), most = least;
    for (IdleTable::Amounts &amounts : most) {
      double spread = 1 + double(random.below(40)) / 100;
      amounts.time *= spread;
      amounts.share += std::abs(amounts.share) * (spread - 1);
    }
    int64_t effort = int64_t(1) << 40;
    auto entries = table.entries(most, effort);
    ASSERT_TRUE(entries);
    auto numbersOf = [&](const BlockLayout &layout) {
      Numbers all;
      for (const IdleTable::Kind &kind : kinds) {
        Numbers own = measured(*kind.model, kind.measure, layout).numbers;
        all.insert(all.end(), own.begin(), own.end());
      }
      return all;
    };
    std::map<Border, std::vector<Numbers>> covered;
    for (const BlockEntry &entry : *entries)
      covered[{entry.inputs, entry.outputs}].push_back(numbersOf(entry.layout));
    enumeration.each([&](const Border &border, const BlockLayout &layout) {
      size_t fast = 0, little = 0;
      for (size_t kind = 0; kind < kinds.size(); ++kind) {
        Measured each =
            measured(*kinds[kind].model, kinds[kind].measure, layout);
        EXPECT_GE(each.time, least[kind].time);
        EXPECT_GE(each.share, least[kind].share - 2);
        fast += each.time <= most[kind].time;
        little += each.share <= most[kind].share;
      }
      if (fast == 0 || little == 0)
        return;
      ++left;
      onOneOnly += fast + little < 2 * kinds.size();
      Numbers numbers = numbersOf(layout);
      EXPECT_TRUE(std::ranges::any_of(
          covered[border],
          [&](const Numbers &entry) { return noWorse(entry, numbers); }))
          << "block " << compared;
    });
    ASSERT_FALSE(HasFailure()) << toJson(instance.workload);
  }
  EXPECT_GT(left, 1000u);
  EXPECT_GT(onOneOnly, 100u);
}

} // namespace
} // namespace shardsmith

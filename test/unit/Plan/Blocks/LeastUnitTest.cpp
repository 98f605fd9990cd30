// SPDX-License-Identifier: Apache-2.0
//
// Bounds of a block's layouts against its table, and against all layouts.

#include "BlockEnumeration.h"
#include "RandomBlock.h"
#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Plan/BlockFloors.h"
#include "shardsmith/Plan/BlockTable.h"

#include <gtest/gtest.h>

#include <random>

namespace shardsmith {
namespace {

using namespace workload;

Nanoseconds timeOf(const UnitCosts &unit, Recompute choice) {
  return unit.forward + unit.forwardCommunication.total() +
         unit.backward(choice);
}

/// No number of `least` is larger. Only sums of times are compared: how a unit
/// shares the wait for its launches between its passes differs by layout.
void expectLeast(const UnitCosts &least, const UnitCosts &unit) {
  for (size_t choice = 0; choice < recomputeChoices; ++choice) {
    EXPECT_LE(timeOf(least, Recompute(choice)), timeOf(unit, Recompute(choice)))
        << "recompute " << choice;
    EXPECT_LE(least.saved[choice], unit.saved[choice])
        << "recompute " << choice;
  }
  EXPECT_LE(least.backwardWeight, unit.backwardWeight);
  EXPECT_LE(least.forwardCommunication.total(),
            unit.forwardCommunication.total());
  EXPECT_LE(least.backwardCommunication.total(),
            unit.backwardCommunication.total());
  EXPECT_LE(least.denseParameters, unit.denseParameters);
  EXPECT_LE(least.expertParameters, unit.expertParameters);
  EXPECT_LE(least.partialParameters, unit.partialParameters);
  EXPECT_LE(least.outputBytes, unit.outputBytes);
  EXPECT_LE(least.transient, unit.transient);
}

/// Random blocks and launch floors on one node.
class LeastUnit : public testing::Test {
protected:
  uint64_t seed = std::random_device()();
  testing::ScopedTrace trace{__FILE__, __LINE__,
                             "seed " + std::to_string(seed)};
  RandomBlock random{seed};
  Cluster cluster = *findCluster("8xh100").cluster;
  ClusterTopology topology{cluster};
  CollectiveTimes collectives{cluster, StackProfile()};

  StackProfile randomProfile() {
    StackProfile profile;
    profile.layerForwardMicroseconds = double(random.below(3)) * 40;
    return profile;
  }
  UnitSetting settingOf(int64_t tensor) const {
    UnitSetting setting;
    setting.tensor = tensor;
    setting.tensorPath = topology.path(1, tensor);
    return setting;
  }
};

TEST_F(LeastUnit, IsBelowEveryLayout) {
  size_t single = 0;
  for (int i = 0; i < 2000 && !HasFailure(); ++i) {
    Workload workload = random.make();
    StackProfile profile = randomProfile();
    profile.recomputeStopsEarly = random.below(2);
    profile.selectiveKeepsProducts = random.below(2);
    KernelTimes kernels(topology.deviceType(0), profile);
    UnitSetting setting = settingOf(1 + int64_t(random.below(4)));
    setting.context = 1 + int64_t(random.below(2));
    setting.contextPath = topology.path(setting.tensor, setting.context);
    setting.microBatch = 1 + int64_t(random.below(2));
    UnitCostModel model(workload, 0, setting, kernels, collectives);
    std::vector<BlockEntry> table = blockTable(model);
    BlockFloors floors(false);
    UnitCosts least = floors.least(model).costs;
    Nanoseconds ops = model.finished(model.leastOps());
    for (const BlockEntry &entry : table) {
      expectLeast(least, entry.costs);
      EXPECT_LE(ops, timeOf(entry.costs, Recompute::None));
      // Nothing is split, so nothing else is exchanged.
      if (setting.tensor == 1)
        EXPECT_EQ(ops, timeOf(entry.costs, Recompute::None));
    }
    for (size_t choice = 0; choice < recomputeChoices; ++choice) {
      Nanoseconds fastest = Nanoseconds::saturated();
      for (const BlockEntry &entry : table)
        fastest = std::min(fastest, timeOf(entry.costs, Recompute(choice)));
      EXPECT_EQ(floors.fastest(model, Recompute(choice)), fastest);
    }
    // With one layout the least numbers are its own.
    if (table.size() == 1 && setting.tensor == 1) {
      ++single;
      EXPECT_EQ(least.saved, table[0].costs.saved);
      EXPECT_EQ(least.backwardWeight, table[0].costs.backwardWeight);
      EXPECT_EQ(least.denseParameters, table[0].costs.denseParameters);
      EXPECT_EQ(least.outputBytes, table[0].costs.outputBytes);
      EXPECT_EQ(least.transient, table[0].costs.transient);
    }
  }
  EXPECT_GT(single, 100u);
}

/// Without the launch floor the bound is the least itself where it is known,
/// but for a few nanoseconds.
TEST_F(LeastUnit, LeavesNoLessTimeUnfilledThanAnyLayout) {
  size_t differing = 0;
  for (int i = 0; i < 600 && !HasFailure(); ++i) {
    Workload workload = random.make();
    StackProfile profile = randomProfile();
    KernelTimes kernels(topology.deviceType(0), profile);
    UnitCostModel model(workload, 0, settingOf(2 + int64_t(random.below(3))),
                        kernels, collectives);
    Enumeration enumeration(model);
    if (enumeration.count() > 2e4)
      continue;
    std::vector<double> shares = {double(random.below(1000)) / 1000};
    for (size_t point = 0; point < UnfilledTime::points; ++point)
      shares.push_back(UnfilledTime::shareAt(point));
    std::vector<double> least(shares.size(), 1e18);
    std::set<Nanoseconds> weights;
    enumeration.each([&](const Border &, const BlockLayout &layout) {
      UnitCosts costs = model.price(layout);
      double time(timeOf(costs, Recompute::None).count());
      double weight(costs.backwardWeight.count());
      weights.insert(costs.backwardWeight);
      for (size_t i = 0; i < shares.size(); ++i)
        least[i] = std::min(least[i], time - shares[i] * weight);
    });
    differing += weights.size() > 1;
    BlockFloors floors(false);
    UnfilledTime unfilled = floors.least(model).unfilled;
    for (size_t i = 0; i < shares.size(); ++i)
      EXPECT_LE(unfilled.at(shares[i]), least[i]) << "share " << shares[i];
    for (size_t i = 1; i < shares.size(); ++i)
      if (profile.layerForwardMicroseconds == 0)
        EXPECT_GE(unfilled.at(shares[i]), least[i] - 8)
            << "share " << shares[i];
  }
  EXPECT_GT(differing, 50u);
}

} // namespace
} // namespace shardsmith

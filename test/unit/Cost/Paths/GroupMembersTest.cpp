// SPDX-License-Identifier: Apache-2.0
//
// Groups of ranks, against a table of all ranks by their places on the axes.

#include "shardsmith/Cost/Paths/GroupMembers.h"
#include "../../FirstSeed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace shardsmith {
namespace {

using Group = std::vector<int64_t>;

/// A strategy of few ranks in any order of devices.
Strategy draw(std::mt19937_64 &random) {
  auto below = [&](int64_t bound) {
    return std::uniform_int_distribution<int64_t>(0, bound - 1)(random);
  };
  Strategy strategy;
  strategy.tensor = 1 + below(3);
  strategy.context = 1 << below(3);
  strategy.data = 1 + below(4);
  strategy.pipeline = 1 + below(3);
  strategy.expert = strategy.context * (below(2) ? strategy.data : 1);
  std::ranges::shuffle(strategy.deviceOrder, random);
  return strategy;
}

/// Places of a rank in the order of devices, by counting through them.
std::vector<std::map<PlanAxis, int64_t>> placesOf(const Strategy &strategy) {
  std::vector<std::map<PlanAxis, int64_t>> places = {{}};
  // The first axis is the fastest.
  for (PlanAxis axis : strategy.deviceOrder) {
    std::vector<std::map<PlanAxis, int64_t>> more;
    for (int64_t place = 0; place < strategy.degree(axis); ++place)
      for (auto each : places) {
        each[axis] = place;
        more.push_back(each);
      }
    places = more;
  }
  return places;
}

void expectPartition(int64_t ranks, auto groupOf, int64_t size) {
  for (int64_t rank = 0; rank < ranks; ++rank) {
    Group group = groupOf(rank);
    ASSERT_EQ(int64_t(group.size()), size);
    EXPECT_EQ(std::ranges::count(group, rank), 1);
    for (int64_t member : group)
      EXPECT_EQ(groupOf(member), group);
  }
}

TEST(GroupMembersTest, GroupsOfAnAxisDifferInItsPlaceAlone) {
  std::mt19937_64 random(test::firstSeed());
  for (int drawn = 0; drawn < 200; ++drawn) {
    Strategy strategy = draw(random);
    GroupMembers members(strategy);
    auto places = placesOf(strategy);
    for (PlanAxis axis : usualDeviceOrder()) {
      expectPartition(
          strategy.rankCount(),
          [&](int64_t rank) { return members.axis(rank, axis); },
          strategy.degree(axis));
      for (int64_t rank = 0; rank < strategy.rankCount(); ++rank) {
        EXPECT_EQ(members.place(rank, axis), places[size_t(rank)][axis]);
        Group group = members.axis(rank, axis);
        for (size_t i = 0; i < group.size(); ++i) {
          auto expected = places[size_t(rank)];
          expected[axis] = int64_t(i);
          EXPECT_EQ(places[size_t(group[i])], expected);
        }
      }
    }
  }
}

TEST(GroupMembersTest, ReplicasAreCountedFromNeighboursOn) {
  std::mt19937_64 random(test::firstSeed());
  for (int drawn = 0; drawn < 200; ++drawn) {
    Strategy strategy = draw(random);
    GroupMembers members(strategy);
    auto places = placesOf(strategy);
    bool contextFirst =
        std::ranges::find(strategy.deviceOrder, PlanAxis::Context) <
        std::ranges::find(strategy.deviceOrder, PlanAxis::Data);
    auto replicaOf = [&](int64_t rank) {
      auto place = places[size_t(rank)];
      int64_t context = place[PlanAxis::Context], data = place[PlanAxis::Data];
      return contextFirst ? context + data * strategy.context
                          : data + context * strategy.data;
    };
    for (int64_t size = 1; size <= strategy.replicas(); ++size)
      for (int64_t inner = 1; inner * size <= strategy.replicas(); ++inner) {
        if (strategy.replicas() % (inner * size) != 0)
          continue;
        expectPartition(
            strategy.rankCount(),
            [&](int64_t rank) { return members.replicas(rank, inner, size); },
            size);
        for (int64_t rank = 0; rank < strategy.rankCount(); ++rank) {
          Group group = members.replicas(rank, inner, size);
          for (int64_t member : group) {
            auto one = places[size_t(rank)], other = places[size_t(member)];
            EXPECT_EQ(one[PlanAxis::Tensor], other[PlanAxis::Tensor]);
            EXPECT_EQ(one[PlanAxis::Pipeline], other[PlanAxis::Pipeline]);
          }
          for (size_t i = 1; i < group.size(); ++i)
            EXPECT_EQ(replicaOf(group[i]) - replicaOf(group[i - 1]), inner);
          EXPECT_EQ(replicaOf(group[0]) / inner % size, 0);
        }
      }
    for (int64_t rank = 0; rank < strategy.rankCount(); ++rank)
      EXPECT_EQ(members.ofUnit(rank, UnitAxis::Expert),
                members.replicas(rank, 1, strategy.expert));
  }
}

} // namespace
} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0
//
// Random neighbourhoods: what every shard gets is compared with what its
// positions read, counted one by one.

#include "shardsmith/Sharding/HaloExchange.h"

#include "../FirstSeed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace shardsmith;

namespace {

int64_t ceilOf(int64_t count, int64_t parts) {
  return (count + parts - 1) / parts;
}

/// Elements that a position reads, by definition; those that do not exist too.
std::set<int64_t> readBy(const Reach &reach, int64_t position) {
  std::set<int64_t> elements;
  for (int64_t i = 0; i < reach.extent; ++i) {
    int64_t place = reach.first + position * reach.step + i;
    if (place % reach.dilation == 0)
      elements.insert(place / reach.dilation);
  }
  return elements;
}

struct Case {
  Neighbourhood neighbourhood;
  FactorKind kind = FactorKind::Permutation;
  int64_t shards = 1;
};

Case drawCase(std::mt19937_64 &random) {
  auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  Case drawn;
  drawn.shards = draw(1, 9);
  drawn.kind = draw(0, 3) ? FactorKind::Permutation : FactorKind::Reduction;
  drawn.neighbourhood.positions = draw(1, 30);
  drawn.neighbourhood.elements = draw(1, 30);
  drawn.neighbourhood.reach = {.first = draw(-8, 30),
                               .step = draw(0, 2) ? draw(1, 3) : -draw(1, 2),
                               .extent = draw(1, 6),
                               .dilation = draw(0, 2) ? 1 : draw(2, 3)};
  return drawn;
}

void check(const Case &drawn) {
  const Neighbourhood &neighbourhood = drawn.neighbourhood;
  int64_t shards = drawn.shards;
  int64_t perShard = ceilOf(neighbourhood.positions, shards);
  int64_t counted = drawn.kind == FactorKind::Reduction
                        ? perShard * shards
                        : neighbourhood.positions;
  HaloExchange exchange =
      planHaloExchange(neighbourhood, drawn.kind, drawn.shards);
  ASSERT_EQ(exchange.shardSize, ceilOf(neighbourhood.elements, shards));
  EXPECT_LE(exchange.countSent(), (shards - 1) * exchange.shardSize);

  // The elements that every shard has in its range, by place.
  std::vector<std::map<int64_t, int64_t>> ranges(shards);
  for (const HaloMessage &message : exchange.messages) {
    std::set<int64_t> sources, targets;
    ASSERT_GE(message.begin, 0);
    ASSERT_GT(message.size, 0);
    ASSERT_LE(message.begin + message.size, exchange.shardSize);
    for (int64_t shard = 0; shard < shards && !message.communicates; ++shard)
      EXPECT_EQ(exchange.first[shard] + exchange.placeOf(message, shard),
                shard * exchange.shardSize + message.begin);
    for (auto [source, target] : message.shards) {
      EXPECT_TRUE(sources.insert(source).second);
      EXPECT_TRUE(targets.insert(target).second);
      for (int64_t i = 0; i < message.size; ++i) {
        int64_t place = exchange.placeOf(message, target) + i;
        int64_t element = source * exchange.shardSize + message.begin + i;
        EXPECT_EQ(exchange.first[target] + place, element);
        ranges[target].emplace(place, element);
      }
    }
  }

  bool reachesBelow = false, reachesAbove = false;
  for (int64_t shard = 0; shard < shards; ++shard)
    for (int64_t position = shard * perShard;
         position < std::min((shard + 1) * perShard, counted); ++position)
      for (int64_t element : readBy(neighbourhood.reach, position)) {
        reachesBelow |= element < 0;
        reachesAbove |= element >= neighbourhood.elements;
        int64_t place = element - exchange.first[shard];
        ASSERT_GE(place, 0);
        ASSERT_LT(place, exchange.size);
        if (element < 0 || element >= neighbourhood.elements ||
            exchange.gathers)
          continue;
        auto found = ranges[shard].find(place);
        ASSERT_NE(found, ranges[shard].end());
        EXPECT_EQ(found->second, element);
      }
  if (neighbourhood.reach.extent >= neighbourhood.reach.dilation) {
    EXPECT_EQ(exchange.reachesBelow, reachesBelow);
    EXPECT_EQ(exchange.reachesAbove, reachesAbove);
  }
}

TEST(HaloExchange, BringsWhatPositionsRead) {
  uint64_t seed = test::firstSeed();
  for (uint64_t trial = 0; trial < 4000; ++trial) {
    SCOPED_TRACE(testing::Message() << "SHARDSMITH_TEST_SEED=" << seed + trial);
    std::mt19937_64 random(seed + trial);
    check(drawCase(random));
    if (testing::Test::HasFailure())
      return;
  }
}

HaloExchange planWindow(int64_t elements, int64_t window, int64_t shards) {
  return planHaloExchange({.positions = elements,
                           .elements = elements,
                           .reach = {.first = -(window / 2), .extent = window}},
                          FactorKind::Permutation, shards);
}

TEST(HaloExchange, SendsOneRowToEachSide) {
  HaloExchange exchange = planWindow(16, 3, 4);
  EXPECT_TRUE(exchange.isUniform);
  EXPECT_TRUE(exchange.isAligned);
  EXPECT_EQ(exchange.size, 6);
  EXPECT_EQ(exchange.countSent(), 2);
  ASSERT_EQ(exchange.messages.size(), 3u);
  EXPECT_EQ(exchange.messages[0].distance, -1);
  EXPECT_EQ(exchange.messages[0].begin, 3);
  EXPECT_FALSE(exchange.messages[1].communicates);
}

TEST(HaloExchange, ReachesOverSeveralShards) {
  HaloExchange exchange = planWindow(16, 7, 8);
  EXPECT_EQ(exchange.messages.size(), 5u);
  EXPECT_EQ(exchange.countSent(), 6);
}

TEST(HaloExchange, GathersWhereMessagesWouldSendMore) {
  EXPECT_FALSE(planWindow(16, 9, 4).gathers);
  // Two distances of messages to each side, of whole shards, and there is but
  // one other shard.
  EXPECT_TRUE(planWindow(16, 31, 2).gathers);
  EXPECT_TRUE(planWindow(4096, 4001, 64).gathers);
}

TEST(HaloExchange, TurnsAroundInOneMessage) {
  HaloExchange exchange = planHaloExchange(
      {.positions = 12, .elements = 12, .reach = {.first = 11, .step = -1}},
      FactorKind::Permutation, 4);
  EXPECT_TRUE(exchange.isUniform);
  ASSERT_EQ(exchange.messages.size(), 1u);
  EXPECT_EQ(exchange.messages[0].size, 3);
  EXPECT_EQ(exchange.messages[0].shards.front(),
            (std::pair<int64_t, int64_t>(3, 0)));
}

} // namespace

// SPDX-License-Identifier: Apache-2.0
//
// Bounds on pipelines over several kinds of device, against every way to give
// whole units to ranks and treat them.

#include "../../../../lib/Plan/Bounds/PipelineMakespanBound.h"
#include "../../../../lib/Plan/Bounds/DeviceKindWeights.h"
#include "../../FirstSeed.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <random>

namespace shardsmith {
namespace {

using namespace search;

constexpr double never = std::numeric_limits<double>::infinity();

/// Up to three segments of up to three units, and two ranks on one kind of
/// device or on two, or a single rank; each kind may be the better one for some
/// units.
class RandomPipeline {
  // The first member: the others are drawn from it.
  std::mt19937_64 random;

public:
  explicit RandomPipeline(uint64_t seed) : random(seed) {
    allowed[size_t(below(recomputeChoices))] = true;
    for (bool &each : allowed)
      each |= below(2) != 0;
    size_t kinds = 1 + size_t(below(2));
    ranksOn.resize(kinds);
    for (RankBudgets &budgets : ranksOn)
      for (int64_t rank = 0, ranks = 1 + below(3 - int64_t(kinds));
           rank < ranks; ++rank)
        budgets.push_back({Bytes(below(100'000)), 1});
    int64_t left = 5;
    for (int64_t segment = 0, count = 1 + below(3); segment < count;
         ++segment) {
      SharedSegment shared;
      shared.units =
          1 + below(std::min<int64_t>(3, left - (count - segment - 1)));
      left -= shared.units;
      segments.push_back(shared);
    }
    for (size_t i = 0; i < segments.size() * kinds; ++i)
      units.push_back(unit());
    for (size_t kind = 0; kind < kinds; ++kind) {
      Bytes room(10'000 + below(50'000));
      for (size_t segment = 0; segment < segments.size(); ++segment) {
        DeviceKindCapacity ranks;
        ranks.unit = &units[segment * kinds + kind];
        ranks.budgets = ranksOn[kind];
        ranks.room = room;
        ranks.held = Bytes(below(20'000)) * segments[segment].units;
        ranks.running = {Bytes(below(5'000)), Bytes(below(5'000))};
        segments[segment].kinds.push_back(ranks);
        segments[segment].costs.push_back(double(below(2'000)) - 500);
      }
    }
  }

  int64_t below(int64_t bound) {
    return std::uniform_int_distribution<int64_t>(0, bound - 1)(random);
  }

  /// Of the slowest rank, of those that fit; and the costs of all units.
  struct Assignment {
    double busiest, cost;
  };
  void
  eachThatFits(const std::function<void(const Assignment &)> &visit) const {
    std::vector<Rank> ranks;
    for (size_t kind = 0; kind < ranksOn.size(); ++kind)
      for (const RankBudget &each : ranksOn[kind])
        ranks.push_back({kind, double(each.budget.count())});
    place(0, 0, 0, ranks, visit);
  }

  /// The least of each, by any assignment; costs of those within `atMost`.
  Assignment least(Nanoseconds atMost) const {
    Assignment least{never, never};
    eachThatFits([&](const Assignment &each) {
      least.busiest = std::min(least.busiest, each.busiest);
      if (each.busiest <= double(atMost.count()))
        least.cost = std::min(least.cost, each.cost);
    });
    return least;
  }

  std::vector<RankBudgets> ranksOn;
  std::vector<SharedSegment> segments;
  RecomputeMask allowed = {};

private:
  struct Rank {
    size_t kind;
    double budget;
    double time = 0, saved = 0, held = 0, running = 0;
  };

  UnitCosts unit() {
    UnitCosts unit;
    unit.forward = Nanoseconds(1 + below(1'000));
    unit.backwardInput = Nanoseconds(below(1'000));
    unit.backwardWeight = Nanoseconds(below(1'000));
    unit.forwardCommunication.tensor = Nanoseconds(below(100));
    for (int choice = 1; choice < recomputeChoices; ++choice)
      unit.recompute[size_t(choice)] = Nanoseconds(below(1'000));
    for (Bytes &saved : unit.saved)
      saved = Bytes(below(40'000));
    return unit;
  }

  /// A rank with units of one kind of treatment each needs what the hungriest
  /// of them needs while it runs.
  void place(size_t segment, int64_t unit, double cost,
             std::vector<Rank> &ranks,
             const std::function<void(const Assignment &)> &visit) const {
    if (segment == segments.size()) {
      double busiest = 0;
      for (const Rank &rank : ranks)
        busiest = std::max(busiest, rank.time);
      visit({busiest, cost});
      return;
    }
    const SharedSegment &shared = segments[segment];
    if (unit == shared.units)
      return place(segment + 1, 0, cost, ranks, visit);
    for (Rank &rank : ranks) {
      const DeviceKindCapacity &here = shared.kinds[rank.kind];
      for (size_t choice = 0; choice < recomputeChoices; ++choice) {
        if (!allowed[choice])
          continue;
        Rank before = rank;
        bool isPlain = Recompute(choice) == Recompute::None;
        Bytes running = isPlain ? here.running.plain : here.running.recomputing;
        auto room = double(here.room.count());
        rank.time += double(here.unit->time(Recompute(choice)).count());
        rank.saved += double(here.unit->saved[choice].count());
        rank.held += double(here.held.count()) / double(shared.units) / room;
        rank.running = std::max(rank.running, double(running.count()) / room);
        if (rank.saved + rank.held * rank.budget <=
            rank.budget * (1 - rank.running))
          place(segment, unit + 1, cost + shared.costs[rank.kind], ranks,
                visit);
        rank = before;
      }
    }
  }

  std::vector<UnitCosts> units;
};

TEST(PipelineMakespanBound, IsNeverAboveWhatRanksTake) {
  constexpr size_t instances = 2'000;
  uint64_t seed = test::firstSeed();
  size_t bounded = 0, elsewhere = 0, close = 0;
  for (size_t i = 0; i < instances; ++i, ++seed) {
    SCOPED_TRACE("SHARDSMITH_TEST_SEED=" + std::to_string(seed));
    RandomPipeline pipeline(seed);
    Nanoseconds atMost(1 + pipeline.below(12'000));
    PipelineBound times = pipelineMakespanBound(
        pipeline.segments, pipeline.allowed, Nanoseconds(), atMost);
    double leastCosts = 0;
    for (const SharedSegment &shared : pipeline.segments)
      leastCosts += double(shared.units) * std::ranges::min(shared.costs);
    auto [shortest, costs] = pipeline.least(atMost);
    if (times.busiest.isSaturated()) {
      ASSERT_GT(shortest, double(atMost.count()));
    } else {
      ASSERT_LE(double(times.busiest.count()), shortest);
      ASSERT_LE(leastCosts + double(times.elsewhere.count()), costs + 1e-6);
      elsewhere += times.elsewhere > Nanoseconds();
    }
    bounded += shortest != never;
    close += shortest != never && !times.busiest.isSaturated() &&
             double(times.busiest.count()) > 0.8 * shortest;
  }
  // Else nothing was on trial.
  EXPECT_GT(bounded, instances / 5);
  EXPECT_GT(elsewhere, instances / 50);
  EXPECT_GT(close, instances / 50);
}

TEST(CrowdedRank, IsNeverAboveWhatRanksTake) {
  constexpr size_t instances = 4'000;
  uint64_t seed = test::firstSeed();
  size_t compared = 0, close = 0, full = 0;
  for (size_t i = 0; i < instances; ++i, ++seed) {
    SCOPED_TRACE("SHARDSMITH_TEST_SEED=" + std::to_string(seed));
    RandomPipeline pipeline(seed);
    if (pipeline.segments.size() > 1)
      continue;
    ++compared;
    const SharedSegment &segment = pipeline.segments.front();
    Nanoseconds atMost(1 + pipeline.below(12'000));
    double shortest = pipeline.least(atMost).busiest;
    std::optional<Nanoseconds> time = segmentMakespanBound(
        segment.kinds, segment.units, pipeline.allowed, Nanoseconds(), atMost);
    if (!time)
      ASSERT_EQ(shortest, never);
    else if (time->isSaturated())
      ASSERT_GT(shortest, double(atMost.count()));
    else
      ASSERT_LE(double(time->count()), shortest);
    full += !time;
    close +=
        time && !time->isSaturated() && double(time->count()) > 0.9 * shortest;
  }
  EXPECT_GT(close, compared / 20);
  EXPECT_GT(full, compared / 20);
}

TEST(PipelineMakespanBound, CountsWhatFastRanksHaveNoRoomFor) {
  // Two fast ranks with room for two units each beside two that take three
  // times as long: of ten units six are left for the slow ones.
  UnitCosts fast, slow;
  fast.forward = Nanoseconds(10);
  slow.forward = Nanoseconds(30);
  fast.saved.fill(Bytes(50));
  slow.saved.fill(Bytes(1));
  RankBudgets budgets = {{Bytes(100), 2}};
  SharedSegment segment{10,
                        {{&fast, budgets, Bytes(1'000), Bytes(), {}},
                         {&slow, budgets, Bytes(1'000), Bytes(), {}}},
                        {10, 30}};
  PipelineBound times = pipelineMakespanBound(
      {&segment, 1}, {true, false, false}, Nanoseconds(), Nanoseconds(1'000));
  EXPECT_NEAR(double(times.busiest.count()), 90, 1);
  EXPECT_NEAR(double(times.elsewhere.count()), 120, 1);
}

TEST(PipelineMakespanBound, EndsWithoutLimit) {
  UnitCosts quick, never;
  quick.forward = Nanoseconds(10);
  never.forward = Nanoseconds::saturated();
  RankBudgets budgets = {{Bytes(100), 2}};
  DeviceKindCapacity ranks{&quick, budgets, Bytes(1'000), Bytes(), {}};
  std::vector<SharedSegment> segments = {{10, {ranks, ranks}, {10, 10}}};
  PipelineBound times = pipelineMakespanBound(
      segments, {true, false, false}, Nanoseconds(), Nanoseconds::saturated());
  // Ten units on four ranks.
  EXPECT_NEAR(double(times.busiest.count()), 25, 1);
  ranks.unit = &never;
  segments.push_back({1, {ranks, ranks}, {0, 0}});
  times = pipelineMakespanBound(segments, {true, false, false}, Nanoseconds(),
                                Nanoseconds::saturated());
  EXPECT_GT(times.busiest, Nanoseconds(int64_t(1) << 60));
}

TEST(DeviceKindWeights, CountRanksByWhatTheyAreSlowIn) {
  // A lookup takes as long on both kinds, layers three times as long on the
  // second. One rank of each: the second counts a third.
  DeviceKindWeights times;
  times.add(1, {Nanoseconds(10), Nanoseconds(10)});
  times.add(100, {Nanoseconds(100), Nanoseconds(300)});
  EXPECT_EQ(times.largest(), 1u);
  DeviceKindWeights::Weights weights = times.weights(1);
  ASSERT_EQ(weights.size(), 2u);
  EXPECT_DOUBLE_EQ(weights[0], 1);
  EXPECT_DOUBLE_EQ(weights[1], 1.0 / 3);
  EXPECT_DOUBLE_EQ(times.value(1, weights), 100);
  EXPECT_NEAR(times.value(weights), 10'000 + 10.0 / 3, 1e-3);
  // By the lookup both would count alike, and the layers least.
  EXPECT_NEAR(times.value(times.weights(0)), 10'010, 1e-3);
}

TEST(DeviceKindWeights, KindsThatCannotRunSomethingStillCount) {
  DeviceKindWeights times;
  times.add(1, {Nanoseconds(10), Nanoseconds::saturated()});
  times.add(1, {Nanoseconds(10), Nanoseconds(10)});
  DeviceKindWeights::Weights weights = times.weights(0);
  EXPECT_GT(weights[1], 0);
  // The second unit may lie on the second kind, where it counts nearly nothing.
  EXPECT_NEAR(times.value(weights), 10, 1e-3);
}

} // namespace
} // namespace shardsmith

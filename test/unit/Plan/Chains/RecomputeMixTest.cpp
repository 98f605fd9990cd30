// SPDX-License-Identifier: Apache-2.0
//
// Recomputation of random groups of units, against enumeration.

#include "../../../../lib/Plan/Chains/RecomputeMix.h"
#include "../../FirstSeed.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <random>

namespace shardsmith {
namespace {

using namespace search;

/// Up to four groups of up to four units, some of which are alike; the first
/// one may have more.
class RandomGroups {
  // The first member: the others are drawn from it.
  std::mt19937_64 random;

public:
  explicit RandomGroups(uint64_t seed, int64_t mostGroups = 4,
                        int64_t mostUnits = 4)
      : random(seed) {
    for (int64_t group = 0, count = 1 + below(mostGroups); group < count;
         ++group) {
      UnitCosts unit;
      for (int choice = 1; choice < recomputeChoices; ++choice)
        unit.recompute[choice] = Nanoseconds(below(most));
      for (Bytes &saved : unit.saved)
        saved = Bytes(below(most));
      units.push_back(unit);
    }
    for (const UnitCosts &unit : units)
      groups.push_back(
          {&unit, 1 + below(groups.empty() ? mostUnits : int64_t(4))});
    allowed[size_t(below(recomputeChoices))] = true;
    for (bool &each : allowed)
      each |= below(3) != 0;
  }

  int64_t below(int64_t bound) {
    return std::uniform_int_distribution<int64_t>(0, bound - 1)(random);
  }

  std::vector<UnitGroup> groups;
  RecomputeMask allowed = {};
  /// Small numbers, so that some choices take or save equally much.
  int64_t most = below(2) == 0 ? 8 : 1'000'000'000;

private:
  std::vector<UnitCosts> units;
};

/// A treatment of all units.
struct Mixture {
  double time = 0, saved = 0;
};

/// Every way to give each group one choice.
std::vector<Mixture> pureMixtures(const RandomGroups &instance,
                                  size_t skipped) {
  std::vector<Mixture> mixtures = {{}};
  for (size_t g = 0; g < instance.groups.size(); ++g) {
    if (g == skipped)
      continue;
    auto [unit, count] = instance.groups[g];
    std::vector<Mixture> longer;
    for (const Mixture &mixture : mixtures)
      for (size_t choice = 0; choice < recomputeChoices; ++choice)
        if (instance.allowed[choice])
          longer.push_back(
              {mixture.time + double((unit->recompute[choice] * count).count()),
               mixture.saved + double((unit->saved[choice] * count).count())});
    mixtures = std::move(longer);
  }
  return mixtures;
}

/// The least time if parts of units may be treated differently. A best mixture
/// splits one group at most, between two choices, and fills the budget then.
double leastByEnumeration(const RandomGroups &instance, double budget) {
  double least = std::numeric_limits<double>::infinity();
  for (size_t split = 0; split < instance.groups.size(); ++split) {
    auto [unit, count] = instance.groups[split];
    for (const Mixture &others : pureMixtures(instance, split))
      for (size_t a = 0; a < recomputeChoices; ++a)
        for (size_t b = 0; b < recomputeChoices; ++b) {
          if (!instance.allowed[a] || !instance.allowed[b])
            continue;
          double units = double(count), left = budget - others.saved;
          double more = units * double(unit->saved[a].count());
          double less = units * double(unit->saved[b].count());
          if (less > left)
            continue;
          double share = more <= left ? 0 : (more - left) / (more - less);
          double time = (1 - share) * double(unit->recompute[a].count()) +
                        share * double(unit->recompute[b].count());
          least = std::min(least, others.time + units * time);
        }
  }
  return least;
}

/// The least time of whole units.
std::optional<Nanoseconds> leastOfWholeUnits(const RandomGroups &instance,
                                             Bytes budget) {
  std::optional<RecomputeMix> mix =
      cheapestMix(instance.groups, instance.allowed,
                  [&](Bytes) { return std::optional<Bytes>(budget); });
  return mix ? std::optional(mix->time) : std::nullopt;
}

TEST(LeastRecompute, EqualsEnumeration) {
  uint64_t seed = test::firstSeed();
  size_t tight = 0;
  for (uint64_t last = seed + 2000; seed < last; ++seed) {
    SCOPED_TRACE("SHARDSMITH_TEST_SEED=" + std::to_string(seed));
    RandomGroups instance(seed);
    Bytes least = leastSaved(instance.groups, instance.allowed), all;
    for (auto [unit, count] : instance.groups)
      all += Bytes(instance.most) * count;
    Bytes budget = least + Bytes(instance.below((all - least).count() + 1));
    Nanoseconds time =
        leastRecompute(instance.groups, instance.allowed, budget);
    double wanted = leastByEnumeration(instance, double(budget.count()));
    // A bound, so rounded down.
    EXPECT_LE(double(time.count()), wanted * (1 + 1e-9));
    EXPECT_GE(double(time.count()), wanted * (1 - 1e-9) - 1);
    if (auto whole = leastOfWholeUnits(instance, budget)) {
      EXPECT_LE(time, *whole);
      tight += time < *whole;
    }
  }
  EXPECT_GT(tight, 0u) << "no instance was short of memory";
}

/// The cheapest of all ways to give every unit a choice, and what it saves.
std::optional<std::pair<int64_t, int64_t>>
cheapestByEnumeration(const RandomGroups &instance, int64_t budget) {
  std::optional<std::pair<int64_t, int64_t>> best;
  std::function<void(size_t, int64_t, int64_t)> add = [&](size_t group,
                                                          int64_t time,
                                                          int64_t saved) {
    if (saved > budget)
      return;
    if (group == instance.groups.size()) {
      best = std::min(best.value_or(std::pair(time, saved)),
                      std::pair(time, saved));
      return;
    }
    auto [unit, count] = instance.groups[group];
    for (int64_t a = 0; a <= count; ++a)
      for (int64_t b = 0; a + b <= count; ++b) {
        std::array<int64_t, recomputeChoices> counts = {a, b, count - a - b};
        int64_t ownTime = 0, ownSaved = 0;
        bool mayBe = true;
        for (size_t choice = 0; choice < recomputeChoices; ++choice) {
          mayBe &= counts[choice] == 0 || instance.allowed[choice];
          ownTime += counts[choice] * unit->recompute[choice].count();
          ownSaved += counts[choice] * unit->saved[choice].count();
        }
        if (mayBe)
          add(group + 1, time + ownTime, saved + ownSaved);
      }
  };
  add(0, 0, 0);
  return best;
}

TEST(CheapestMix, EqualsEnumeration) {
  uint64_t seed = test::firstSeed();
  size_t mixed = 0;
  for (uint64_t last = seed + 2000; seed < last; ++seed) {
    SCOPED_TRACE("SHARDSMITH_TEST_SEED=" + std::to_string(seed));
    RandomGroups instance(seed, /*mostGroups=*/2, /*mostUnits=*/40);
    int64_t budget = 0;
    for (auto [unit, count] : instance.groups)
      budget += instance.below(instance.most * count);
    std::optional<RecomputeMix> mix =
        cheapestMix(instance.groups, instance.allowed,
                    [&](Bytes) { return std::optional(Bytes(budget)); });
    auto wanted = cheapestByEnumeration(instance, budget);
    ASSERT_EQ(mix.has_value(), wanted.has_value());
    if (!mix)
      continue;
    EXPECT_EQ(mix->time.count(), wanted->first);
    EXPECT_EQ(mix->saved.count(), wanted->second);
    // The counts are those of the sums.
    Nanoseconds time;
    Bytes saved;
    for (size_t group = 0; group < instance.groups.size(); ++group) {
      auto [unit, count] = instance.groups[group];
      const RecomputeCounts &counts = mix->counts[group];
      EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), int64_t(0)),
                count);
      for (size_t choice = 0; choice < recomputeChoices; ++choice) {
        time += unit->recompute[choice] * counts[choice];
        saved += unit->saved[choice] * counts[choice];
      }
      mixed += std::ranges::count(counts, 0) == 0;
    }
    EXPECT_EQ(mix->time, time);
    EXPECT_EQ(mix->saved, saved);
  }
  EXPECT_GT(mixed, 0u) << "no instance mixes all choices";
}

} // namespace
} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "SegmentMakespanBound.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace shardsmith::search {

namespace {

/// How many equal units fit one rank, as a real number. A rank that recomputes
/// nothing holds
///
///     n · (saved + parameters) <= budget and n · time <= longest.
///
/// One that recomputes has a smaller budget, for a unit that runs holds
/// everything:
///
///     n · (saved + parameters) <= budget, with the way of recomputing that
///     saves least, and
///     n · time + price · (n · (saved + parameters) - budget)⁺ <= longest, with
///     the fastest way; `price` is what a byte less takes at least.
class UnitRoom {
public:
  UnitRoom(const UnitCosts &unit, RecomputeMask allowed) {
    auto fastest = size_t(fastestChoice(unit, allowed));
    mayBePlain = Recompute(fastest) == Recompute::None;
    time = double(unit.time(Recompute(fastest)).count());
    saved = leastSaved = double(unit.saved[fastest].count());
    for (size_t choice = 0; choice < recomputeChoices; ++choice) {
      double less = saved - double(unit.saved[choice].count());
      if (!allowed[choice] || less <= 0)
        continue;
      Nanoseconds longer = unit.recompute[choice] - unit.recompute[fastest];
      price = std::min(price, double(longer.count()) / less);
      leastSaved = std::min(leastSaved, saved - less);
    }
  }

  double unitTime() const { return time; }

  /// `parameters` are those of one unit, in bytes of the budget.
  double count(double plainBudget, double budget, double parameters,
               double longest) const {
    double count = recomputing(std::max(budget, 0.0), parameters, longest);
    if (mayBePlain)
      count =
          std::max(count, std::min(longest / time, std::max(plainBudget, 0.0) /
                                                       (saved + parameters)));
    return count;
  }

private:
  double recomputing(double budget, double parameters, double longest) const {
    double most = budget / (leastSaved + parameters);
    double kept = budget / (saved + parameters);
    double count = longest / time;
    if (count > kept)
      count = std::isinf(price)
                  ? kept
                  : std::max(kept, (longest + price * budget) /
                                       (time + price * (saved + parameters)));
    return std::min(count, most);
  }

  bool mayBePlain;
  double time, saved, leastSaved;
  double price = std::numeric_limits<double>::infinity();
};

/// The ranks on one device kind, each as full as its memory and the time allow.
class FullRanks {
public:
  /// `units` is the number of all units of the group.
  FullRanks(const DeviceKindCapacity &ranks, int64_t units,
            RecomputeMask allowed)
      : unit(*ranks.unit, allowed), budgets(ranks.budgets) {
    // The parameters of a unit take the same share of the budget as they take
    // of the room.
    auto shareOf = [&](Bytes bytes) {
      return double(bytes.count()) / double(ranks.room.count());
    };
    share = shareOf(ranks.held) / double(units);
    plainShare = 1 - shareOf(ranks.running.plain);
    recomputingShare = 1 - shareOf(ranks.running.recomputing);
  }

  /// How many units per nanosecond the ranks take if memory does not matter.
  double speed() const {
    double ranks = 0;
    for (auto [budget, count] : budgets)
      ranks += double(count);
    return ranks / unit.unitTime();
  }

  /// How many whole units the ranks hold if none of them takes longer than
  /// `longest`.
  double count(double longest) const {
    // A little more than the exact value, so that rounding does not make the
    // bound too large.
    constexpr double slack = 1 + 1e-9;
    double sum = 0;
    for (auto [budget, ranks] : budgets) {
      double bytes = double(budget.count());
      double count =
          unit.count(bytes * slack * plainShare,
                     bytes * slack * recomputingShare, share * bytes, longest);
      sum += double(ranks) * std::floor(count * slack + 1e-6);
    }
    return sum;
  }

private:
  UnitRoom unit;
  std::span<const RankBudget> budgets;
  double share, plainShare, recomputingShare;
};

} // namespace

WorkingMemory workingMemory(const UnitCosts &unit, RecomputeMask allowed,
                            bool savedInFull) {
  WorkingMemory running{Bytes::saturated(), Bytes::saturated()};
  for (size_t choice = 0; choice < recomputeChoices; ++choice) {
    if (!allowed[choice])
      continue;
    Bytes bytes = transientOf(unit, Recompute(choice));
    if (Recompute(choice) == Recompute::None)
      running.plain = bytes;
    else
      running.recomputing = std::min(running.recomputing, bytes);
  }
  if (!savedInFull)
    running.recomputing = std::min(running.recomputing, unit.transient);
  return running;
}

std::optional<Nanoseconds>
segmentMakespanBound(std::span<const DeviceKindCapacity> kinds, int64_t units,
                     RecomputeMask allowed, Nanoseconds atLeast,
                     Nanoseconds atMost) {
  std::vector<FullRanks> ranksOn;
  double speed = 0;
  for (const DeviceKindCapacity &kind : kinds) {
    ranksOn.emplace_back(kind, units, allowed);
    speed += ranksOn.back().speed();
  }
  auto fits = [&](double longest) {
    double fitting = 0;
    for (const FullRanks &ranks : ranksOn)
      fitting += ranks.count(longest);
    return fitting >= double(units);
  };
  if (fits(double(atLeast.count())))
    return Nanoseconds();
  if (!fits(std::numeric_limits<double>::infinity()))
    return std::nullopt;
  if (!fits(double(atMost.count())))
    return Nanoseconds::saturated();
  double above = double(units) / speed;
  if (!(above > 0) || fits(above))
    return Nanoseconds();
  while (!fits(above))
    above *= 2;
  double below = above / 2;
  while (above - below > above / 4096) {
    double middle = (above + below) / 2;
    (fits(middle) ? above : below) = middle;
  }
  return Nanoseconds(int64_t(std::min(below, 9e18)));
}

} // namespace shardsmith::search

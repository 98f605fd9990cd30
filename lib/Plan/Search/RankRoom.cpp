// SPDX-License-Identifier: Apache-2.0

#include "RankRoom.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace shardsmith::search {

namespace {

/// How many equal units fit one rank, as a real number:
///
///     n · (saved + parameters) <= budget, with the way of recomputing that
///     saves least, and
///     n · time + price · (n · (saved + parameters) - budget)⁺ <= longest, with
///     the fastest way; `price` is what a byte less takes at least.
class UnitRoom {
public:
  UnitRoom(const UnitCosts &unit, RecomputeMask allowed) {
    auto fastest = size_t(fastestChoice(unit, allowed));
    time = double((unit.forward + unit.forwardCommunication.total() +
                   unit.backward(Recompute(fastest)))
                      .count());
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

  /// `parameters`: of one unit, in bytes of the budget.
  double count(double budget, double parameters, double longest) const {
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

private:
  double time, saved, leastSaved;
  double price = std::numeric_limits<double>::infinity();
};

} // namespace

std::optional<Nanoseconds> crowdedRank(const UnitGroup &group,
                                       RecomputeMask allowed,
                                       const SavedBudgets &budgets, Bytes room,
                                       Bytes held) {
  UnitRoom unit(*group.unit, allowed);
  double units = double(group.count);
  // Bytes of parameters take the same share of the budget as of the room.
  double share = double(held.count()) / units / double(room.count());
  auto fits = [&](double longest) {
    // A little more than there is, against rounding.
    constexpr double slack = 1 + 1e-9;
    double fitting = 0;
    for (auto [budget, ranks] : budgets) {
      double bytes = double(budget.count());
      double count = unit.count(bytes * slack, share * bytes, longest);
      fitting += double(ranks) * std::floor(count * slack + 1e-6);
    }
    return fitting >= units;
  };
  if (!fits(std::numeric_limits<double>::infinity()))
    return std::nullopt;
  double ranks = 0;
  for (auto [budget, count] : budgets)
    ranks += double(count);
  double above = unit.unitTime() * units / ranks;
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

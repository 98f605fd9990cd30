// SPDX-License-Identifier: Apache-2.0
//
// Give a unit of each segment a value. A rank that takes no longer than T holds
// units of at most some value. If the ranks together hold less than the value
// of all units, T is too short. Every choice of values gives a valid bound;
// those of `DeviceKindWeights` make a rank with enough room worth its weight
// times T.
//
// The greatest value of a rank with x_i units treated in way i is a linear
// program with two constraints,
//
//     max Σ value_i · x_i    Σ time_i · x_i <= T    Σ memory_i · x_i <= room
//
// and is not above that of its dual for any price of time,
//
//     min over a >= 0 of  a · T + room · max over i of
//                                        ((value_i - a · time_i) / memory_i)⁺
//
// a convex function of `a`.

#include "PipelineMakespanBound.h"
#include "DeviceKindWeights.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace shardsmith::search {

namespace {

/// A unit of a segment with one way of recomputing.
struct Treatment {
  double value, time;
  /// The saved bytes, and the share of the budget that the parameters take.
  double saved, held;
};

/// The same for ranks with a given budget: the share of the room that a unit
/// takes, and its value.
class Room {
public:
  Room(const std::vector<Treatment> &ways, double budget, double room)
      : room(std::max(room, 0.0)) {
    for (const Treatment &way : ways) {
      double saved = way.saved > 0 ? way.saved / budget : 0;
      uses.push_back({way.value, way.time, saved + way.held});
      mostPrice = std::max(mostPrice, way.value / way.time);
    }
  }

  /// The dual at prices of time that come ever closer to the best one.
  double mostValue(double longest) const {
    if (uses.empty())
      return 0;
    constexpr double section = 0.6180339887498949;
    constexpr int steps = 12;
    double low = 0, high = mostPrice;
    double a = high - section * (high - low), b = low + section * (high - low);
    double atA = dual(a, longest), atB = dual(b, longest);
    double least = std::min(dual(low, longest), dual(high, longest));
    for (int step = 0; step < steps; ++step) {
      least = std::min({least, atA, atB});
      if (atA <= atB) {
        high = b;
        b = a;
        atB = atA;
        a = high - section * (high - low);
        atA = dual(a, longest);
      } else {
        low = a;
        a = b;
        atA = atB;
        b = low + section * (high - low);
        atB = dual(b, longest);
      }
    }
    return std::min({least, atA, atB});
  }

private:
  struct Use {
    double value, time, memory;
  };

  double dual(double price, double longest) const {
    double ofMemory = 0;
    for (const Use &use : uses) {
      double left = use.value - price * use.time;
      if (left > 0)
        ofMemory = std::max(ofMemory, left / use.memory);
    }
    return price * longest + (room > 0 ? room * ofMemory : 0);
  }

  double room;
  double mostPrice = 0;
  std::vector<Use> uses;
};

/// The ranks on one device kind, with their budgets.
class Ranks {
public:
  Ranks(std::span<const SharedSegment> segments, size_t kind,
        const std::vector<double> &values, RecomputeMask allowed) {
    WorkingMemory running{Bytes::saturated(), Bytes::saturated()};
    std::vector<Treatment> plain, all;
    for (size_t segment = 0; segment < segments.size(); ++segment) {
      const DeviceKindCapacity &ranks = segments[segment].kinds[kind];
      const UnitCosts &unit = *ranks.unit;
      running.plain = std::min(running.plain, ranks.running.plain);
      running.recomputing =
          std::min(running.recomputing, ranks.running.recomputing);
      double held = double(ranks.held.count()) / double(ranks.room.count()) /
                    double(segments[segment].units);
      for (size_t choice = 0; choice < recomputeChoices; ++choice) {
        if (!allowed[choice])
          continue;
        Nanoseconds time = unit.time(Recompute(choice));
        all.push_back(
            {values[segment],
             std::max(double(time.count()), DeviceKindWeights::leastTime),
             double(unit.saved[choice].count()), held});
        if (Recompute(choice) == Recompute::None)
          plain.push_back(all.back());
      }
    }
    const DeviceKindCapacity &any = segments.front().kinds[kind];
    auto left = [&](Bytes bytes) {
      return 1 - double(bytes.count()) / double(any.room.count());
    };
    for (auto [budget, count] : any.budgets) {
      double bytes = double(budget.count());
      full.push_back({double(count), Room(plain, bytes, left(running.plain)),
                      Room(all, bytes, left(running.recomputing))});
    }
  }

  double mostValue(Nanoseconds longest) const {
    // A little more than the exact value, so that rounding does not make the
    // bound too large.
    constexpr double slack = 1 + 1e-9;
    auto most = double(longest.count());
    double sum = 0;
    for (const Full &ranks : full)
      sum += ranks.count * std::max(ranks.plain.mostValue(most),
                                    ranks.recomputing.mostValue(most));
    return sum * slack;
  }

private:
  /// Ranks with equal budgets, if they recompute nothing and if they recompute
  /// some units. Those that recompute nothing have more room, because a
  /// recomputed unit is held as a whole while it runs backward.
  struct Full {
    double count;
    Room plain, recomputing;
  };
  std::vector<Full> full;
};

/// With a price for what units are worth on a kind, of which no more than
/// `most` is there,
///
///     Σ cost >= Σ least over kinds of (cost + price · value) - Σ price · most
///
/// for any prices; these make the units `like` cost the same on all kinds. By
/// how much this is above the sum of the least costs.
double costElsewhere(std::span<const SharedSegment> segments,
                     const std::vector<double> &values,
                     const std::vector<double> &most, size_t like) {
  const std::vector<double> &costs = segments[like].costs;
  double highest = std::ranges::max(costs), elsewhere = 0;
  std::vector<double> prices;
  for (size_t kind = 0; kind < costs.size(); ++kind) {
    prices.push_back((highest - costs[kind]) / values[like]);
    elsewhere -= prices.back() * most[kind];
  }
  for (size_t segment = 0; segment < segments.size(); ++segment) {
    const SharedSegment &shared = segments[segment];
    double least = std::numeric_limits<double>::infinity();
    for (size_t kind = 0; kind < prices.size(); ++kind)
      least =
          std::min(least, shared.costs[kind] + prices[kind] * values[segment]);
    elsewhere +=
        double(shared.units) * (least - std::ranges::min(shared.costs));
  }
  return elsewhere;
}

} // namespace

PipelineBound pipelineMakespanBound(std::span<const SharedSegment> segments,
                                    RecomputeMask allowed, Nanoseconds atLeast,
                                    Nanoseconds atMost) {
  DeviceKindWeights times;
  for (const SharedSegment &segment : segments) {
    std::vector<Nanoseconds> onKinds;
    for (const DeviceKindCapacity &ranks : segment.kinds) {
      const UnitCosts &unit = *ranks.unit;
      onKinds.push_back(unit.time(fastestChoice(unit, allowed)));
    }
    times.add(segment.units, onKinds);
  }
  size_t largest = times.largest();
  DeviceKindWeights::Weights weights = times.weights(largest);
  double needed = times.value(weights);
  std::vector<double> values;
  for (size_t segment = 0; segment < segments.size(); ++segment)
    values.push_back(times.value(segment, weights));
  std::vector<Ranks> kinds;
  for (size_t kind = 0; kind < weights.size(); ++kind)
    kinds.emplace_back(segments, kind, values, allowed);
  auto mostOn = [&](Nanoseconds longest) {
    std::vector<double> most;
    for (const Ranks &ranks : kinds)
      most.push_back(ranks.mostValue(longest));
    return most;
  };
  auto isEnough = [&](const std::vector<double> &most) {
    return std::accumulate(most.begin(), most.end(), 0.0) >= needed;
  };

  std::vector<double> most = mostOn(atMost);
  if (!isEnough(most))
    return {Nanoseconds::saturated(), {}};
  constexpr double slack = 1 - 1e-9;
  double elsewhere = costElsewhere(segments, values, most, largest) * slack;
  PipelineBound least;
  least.elsewhere = Nanoseconds(int64_t(std::clamp(elsewhere, 0.0, 4e18)));
  auto fits = [&](int64_t longest) {
    return isEnough(mostOn(Nanoseconds(longest)));
  };
  int64_t below = atLeast.count(), limit = atMost.count();
  if (below >= limit || fits(below))
    return least;
  // The search doubles an upper end first: the limit may be endless, and the
  // bound is seldom far from the lower end.
  int64_t above = std::max<int64_t>(below, 1);
  do
    above = above < limit / 2 ? above * 2 : limit;
  while (above < limit && !fits(above));
  while (above - below > std::max<int64_t>(above / 256, 1)) {
    int64_t middle = below + (above - below) / 2;
    (fits(middle) ? above : below) = middle;
  }
  least.busiest = Nanoseconds(below);
  return least;
}

} // namespace shardsmith::search

// SPDX-License-Identifier: Apache-2.0
//
// A knapsack with few kinds of items. The transient need of a rank is that of
// one unit, so it takes few values: each is tried as a cap, which leaves fewer
// choices and fixes the budget for saved bytes. Under a cap the groups are
// combined one after the other into a front of (time, saved bytes); the group
// with most units comes last and is solved in closed form: for every number of
// units recomputed in full, as few selective ones as the budget asks for.

#include "RecomputeMix.h"

#include <algorithm>
#include <array>
#include <limits>

namespace shardsmith::search {

namespace {

/// One way to treat a unit.
struct Choice {
  int64_t time, saved;
  size_t index;

  auto operator<=>(const Choice &) const = default;
};

/// Units of hours and terabytes are left out, so that the sums of a million of
/// them fit 64 bits.
constexpr Nanoseconds longest(int64_t(1) << 43);
constexpr Bytes largest(int64_t(1) << 43);

/// A list of few: pieces are priced by the ten thousand.
class Choices {
public:
  void push_back(const Choice &choice) { items[count++] = choice; }
  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  const Choice &operator[](size_t index) const { return items[index]; }
  const Choice &front() const { return items[0]; }
  const Choice &back() const { return items[count - 1]; }
  auto begin() { return items.begin(); }
  auto end() { return items.begin() + std::ptrdiff_t(count); }

private:
  std::array<Choice, recomputeChoices> items;
  size_t count = 0;
};

/// By rising time and falling bytes; no choice is worse in both than another.
Choices choicesOf(const UnitCosts &unit, RecomputeMask allowed,
                  Bytes transientCap) {
  Choices choices;
  for (size_t i = 0; i < recomputeChoices; ++i)
    if (allowed[i] && transientOf(unit, Recompute(i)) <= transientCap &&
        unit.recompute[i] < longest && unit.saved[i] < largest)
      choices.push_back({unit.recompute[i].count(), unit.saved[i].count(), i});
  std::ranges::sort(choices);
  Choices front;
  for (const Choice &choice : choices)
    if (front.empty() || choice.saved < front.back().saved)
      front.push_back(choice);
  return front;
}

/// A treatment of the groups so far.
struct Point {
  int64_t time = 0, saved = 0;
  /// Index into the front of the group before.
  size_t before = 0;
  RecomputeCounts counts = {};

  auto operator<=>(const Point &) const = default;
};

std::vector<Point> paretoFront(std::vector<Point> points) {
  std::ranges::sort(points);
  std::vector<Point> front;
  for (const Point &point : points)
    if (front.empty() || point.saved < front.back().saved)
      front.push_back(point);
  return front;
}

/// `second` and `third` units of the group get that choice, the others the
/// first.
Point mixture(const Choices &choices, int64_t count, int64_t second,
              int64_t third) {
  RecomputeCounts numbers = {count - second - third, second, third};
  Point point;
  for (size_t i = 0; i < choices.size(); ++i) {
    point.time += choices[i].time * numbers[i];
    point.saved += choices[i].saved * numbers[i];
    point.counts[choices[i].index] = numbers[i];
  }
  return point;
}

/// All mixtures of one group.
std::vector<Point> mixturesOf(const Choices &choices, int64_t count) {
  std::vector<Point> points;
  int64_t seconds = choices.size() > 1 ? count : 0;
  for (int64_t second = 0; second <= seconds; ++second) {
    int64_t thirds = choices.size() > 2 ? count - second : 0;
    for (int64_t third = 0; third <= thirds; ++third)
      points.push_back(mixture(choices, count, second, third));
  }
  return paretoFront(std::move(points));
}

/// The cheapest mixture of one group that saves at most `budget`.
std::optional<Point> cheapestOf(const Choices &choices, int64_t count,
                                int64_t budget) {
  std::optional<Point> best;
  int64_t excess = choices[0].saved * count - budget;
  auto consider = [&](int64_t second, int64_t third) {
    Point point = mixture(choices, count, second, third);
    if (!best || point < *best)
      best = point;
  };
  if (excess <= 0) {
    consider(0, 0);
    return best;
  }
  if (choices.size() == 1)
    return std::nullopt;
  int64_t secondGain = choices[0].saved - choices[1].saved;
  if (choices.size() == 2) {
    int64_t needed = ceilDivide(excess, secondGain);
    if (needed <= count)
      consider(needed, 0);
    return best;
  }
  int64_t thirdGain = choices[0].saved - choices[2].saved;
  for (int64_t third = 0; third <= count; ++third) {
    int64_t left = std::max<int64_t>(0, excess - third * thirdGain);
    int64_t second = ceilDivide(left, secondGain);
    if (second + third <= count)
      consider(second, third);
    if (left == 0)
      break;
  }
  return best;
}

/// The cheapest mixture if no unit may need more than `transientCap` while it
/// runs.
std::optional<RecomputeMix> cheapestUnder(const std::vector<UnitGroup> &groups,
                                          RecomputeMask allowed,
                                          Bytes transientCap, Bytes budget) {
  std::vector<Choices> choices;
  for (const UnitGroup &group : groups) {
    choices.push_back(choicesOf(*group.unit, allowed, transientCap));
    if (choices.back().empty())
      return std::nullopt;
  }
  size_t largest = 0;
  for (size_t g = 1; g < groups.size(); ++g)
    if (groups[g].count > groups[largest].count)
      largest = g;

  std::vector<size_t> order;
  std::vector<std::vector<Point>> fronts = {{Point()}};
  for (size_t g = 0; g < groups.size(); ++g) {
    if (g == largest)
      continue;
    order.push_back(g);
    std::vector<Point> products;
    std::vector<Point> mixtures = mixturesOf(choices[g], groups[g].count);
    for (size_t before = 0; before < fronts.back().size(); ++before)
      for (Point point : mixtures) {
        point.time += fronts.back()[before].time;
        point.saved += fronts.back()[before].saved;
        point.before = before;
        if (point.saved <= budget.count())
          products.push_back(point);
      }
    fronts.push_back(paretoFront(std::move(products)));
  }

  std::optional<Point> best;
  for (size_t before = 0; before < fronts.back().size(); ++before) {
    const Point &point = fronts.back()[before];
    std::optional<Point> whole = cheapestOf(
        choices[largest], groups[largest].count, budget.count() - point.saved);
    if (!whole)
      continue;
    whole->time += point.time;
    whole->saved += point.saved;
    whole->before = before;
    if (!best || *whole < *best)
      best = whole;
  }
  if (!best)
    return std::nullopt;

  RecomputeMix mix{Nanoseconds(best->time), Bytes(best->saved), transientCap,
                   std::vector<RecomputeCounts>(groups.size())};
  mix.counts[largest] = best->counts;
  size_t index = best->before;
  for (size_t i = order.size(); i-- > 0;) {
    const Point &point = fronts[i + 1][index];
    mix.counts[order[i]] = point.counts;
    index = point.before;
  }
  return mix;
}

} // namespace

Recompute fastestChoice(const UnitCosts &unit, RecomputeMask allowed) {
  std::optional<size_t> best;
  auto key = [&](size_t choice) {
    return std::pair(unit.recompute[choice], unit.saved[choice]);
  };
  for (size_t choice = 0; choice < recomputeChoices; ++choice)
    if (allowed[choice] && (!best || key(choice) < key(*best)))
      best = choice;
  return Recompute(best.value());
}

std::optional<RecomputeMix> cheapestMix(const std::vector<UnitGroup> &groups,
                                        RecomputeMask allowed,
                                        const SavedBudget &budget) {
  std::vector<Bytes> caps;
  for (const UnitGroup &group : groups)
    for (size_t i = 0; i < recomputeChoices; ++i)
      if (allowed[i])
        caps.push_back(transientOf(*group.unit, Recompute(i)));
  std::ranges::sort(caps);
  caps.erase(std::ranges::unique(caps).begin(), caps.end());

  std::optional<RecomputeMix> best;
  for (Bytes cap : caps) {
    std::optional<Bytes> saved = budget(cap);
    if (!saved)
      break;
    std::optional<RecomputeMix> mix =
        cheapestUnder(groups, allowed, cap, *saved);
    if (mix && (!best || std::pair(mix->time, mix->saved) <
                             std::pair(best->time, best->saved)))
      best = mix;
  }
  return best;
}

Bytes leastSaved(const std::vector<UnitGroup> &groups, RecomputeMask allowed) {
  Bytes sum;
  for (const UnitGroup &group : groups) {
    Bytes least = Bytes::saturated();
    for (size_t i = 0; i < recomputeChoices; ++i)
      if (allowed[i])
        least = std::min(least, group.unit->saved[i]);
    sum += least * group.count;
  }
  return sum;
}

namespace {

/// Steps get dearer one by one; what does not is one step.
std::vector<RecomputeStep> stepsOf(const Choices &choices) {
  std::vector<RecomputeStep> steps;
  for (size_t i = 1; i < choices.size(); ++i) {
    RecomputeStep step{double(choices[i - 1].saved - choices[i].saved),
                       double(choices[i].time - choices[i - 1].time)};
    while (!steps.empty() && steps.back().price() >= step.price()) {
      step = {step.bytes + steps.back().bytes, step.time + steps.back().time};
      steps.pop_back();
    }
    steps.push_back(step);
  }
  return steps;
}

} // namespace

std::vector<RecomputeStep> recomputeSteps(const UnitCosts &unit,
                                          RecomputeMask allowed) {
  return stepsOf(choicesOf(unit, allowed, Bytes::saturated()));
}

Nanoseconds leastRecompute(const std::vector<UnitGroup> &groups,
                           RecomputeMask allowed, Bytes budget) {
  std::vector<RecomputeStep> steps;
  double time = 0, excess = -double(budget.count());
  for (const UnitGroup &group : groups) {
    Choices choices = choicesOf(*group.unit, allowed, Bytes::saturated());
    if (choices.empty())
      continue;
    double count = double(group.count);
    time += count * double(choices.front().time);
    excess += count * double(choices.front().saved);
    for (const RecomputeStep &step : stepsOf(choices))
      steps.push_back({count * step.bytes, count * step.time});
  }
  std::ranges::sort(steps, {}, &RecomputeStep::price);
  for (const RecomputeStep &step : steps) {
    if (excess <= 0)
      break;
    time += step.price() * std::min(step.bytes, excess);
    excess -= step.bytes;
  }
  // Less what rounding may have added.
  return Nanoseconds(int64_t(time * (1 - 1e-12)));
}

} // namespace shardsmith::search

// SPDX-License-Identifier: Apache-2.0
//
// The recomputation mix is a knapsack with few kinds of items. The transient of
// a rank is that of one of its units, so it has few values. Each value is tried
// as a cap, which leaves fewer choices and fixes the budget for saved bytes.
// Under a cap the groups are combined one by one into a Pareto front of (time,
// saved bytes). The group with most units comes last and is solved in closed
// form: for every number of units that are recomputed in full, as few are
// recomputed selectively as the budget asks for.

#include "RecomputeMix.h"

#include <algorithm>
#include <array>
#include <limits>

namespace shardsmith::search {

namespace {

/// One choice of recomputation for a unit, with what it adds and saves.
struct Choice {
  int64_t time, saved;
  size_t index;

  auto operator<=>(const Choice &) const = default;
};

/// Choices that take hours or save terabytes are left out, so that sums of a
/// million units fit 64 bits.
constexpr Nanoseconds longest(int64_t(1) << 43);
constexpr Bytes largest(int64_t(1) << 43);

/// A list on the stack with room for every choice; pieces are priced by the ten
/// thousand.
template <typename Item> class Few {
public:
  void push_back(const Item &item) { items[count++] = item; }
  void pop_back() { --count; }
  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  const Item &operator[](size_t index) const { return items[index]; }
  const Item &front() const { return items[0]; }
  const Item &back() const { return items[count - 1]; }
  auto begin() { return items.begin(); }
  auto end() { return items.begin() + std::ptrdiff_t(count); }

private:
  std::array<Item, recomputeChoices> items;
  size_t count = 0;
};
using Choices = Few<Choice>;

/// The choices that no other one dominates, by rising time and falling bytes.
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

/// A mix of the groups so far.
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

/// The mix of one group in which `second` units have the second choice, `third`
/// units the third, and the others the first.
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

/// All mixes of one group.
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

/// The cheapest mix of one group that saves at most `budget`.
///
/// With three choices: of the numbers of units that get the third, where
/// second units may be parts of one the time is a line. It is walked upwards
/// until the line is above the best of whole units, which is a step or two.
std::optional<Point> cheapestOf(const Choices &choices, int64_t count,
                                int64_t budget) {
  int64_t excess = choices[0].saved * count - budget;
  if (excess <= 0)
    return mixture(choices, count, 0, 0);
  if (choices.size() == 1)
    return std::nullopt;
  int64_t secondGain = choices[0].saved - choices[1].saved;
  if (choices.size() == 2) {
    int64_t needed = ceilDivide(excess, secondGain);
    if (needed > count)
      return std::nullopt;
    return mixture(choices, count, needed, 0);
  }
  int64_t thirdGain = choices[0].saved - choices[2].saved;
  // With fewer, seconds for all others are not enough; with more, the last is
  // one too many.
  int64_t fewest = ceilDivide(std::max<int64_t>(0, excess - secondGain * count),
                              thirdGain - secondGain);
  int64_t most = std::min(count, ceilDivide(excess, thirdGain));

  __int128 secondTime = choices[1].time - choices[0].time;
  __int128 slope = (choices[2].time - choices[0].time) * __int128(secondGain) -
                   secondTime * thirdGain;
  std::optional<Point> best;
  for (int64_t step = 0; step <= most - fewest; ++step) {
    int64_t third = slope < 0 ? most - step : fewest + step;
    // Times `secondGain`, above that of first choices only.
    __int128 line = slope * third + secondTime * excess;
    if (best &&
        line > __int128(best->time - choices[0].time * count) * secondGain)
      break;
    int64_t left = std::max<int64_t>(0, excess - third * thirdGain);
    Point point = mixture(choices, count, ceilDivide(left, secondGain), third);
    if (!best || point < *best)
      best = point;
  }
  return best;
}

/// The cheapest mix if no unit may need more than `transientCap` while it runs.
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
Few<RecomputeStep> stepsOf(const Choices &choices) {
  Few<RecomputeStep> steps;
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
  Few<RecomputeStep> steps =
      stepsOf(choicesOf(unit, allowed, Bytes::saturated()));
  return {steps.begin(), steps.end()};
}

Nanoseconds leastRecompute(const std::vector<UnitGroup> &groups,
                           RecomputeMask allowed, Bytes budget) {
  std::vector<RecomputeStep> steps;
  steps.reserve(groups.size() * (recomputeChoices - 1));
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
  // Subtracts what rounding may have added, so that the bound is not too large.
  return Nanoseconds(int64_t(time * (1 - 1e-12)));
}

} // namespace shardsmith::search

// SPDX-License-Identifier: Apache-2.0

#include "Ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace shardsmith::search {

namespace {

/// Plans that differ only in micro-batch size are one line of the table.
bool isSameLine(const ParallelConfiguration &a,
                const ParallelConfiguration &b) {
  ParallelConfiguration other = b;
  other.microBatch = a.microBatch;
  return a == other;
}

/// The parts of the step in which a plan is slower, most important first.
std::string lostBy(const StepEstimate &best, const StepEstimate &other) {
  using Part = std::pair<std::string, Nanoseconds TimeSplit::*>;
  std::vector<Part> parts = {Part{"kernels", &TimeSplit::compute},
                             {"recomputation", &TimeSplit::recompute}};
  for (auto [name, axis] : unitAxes<Nanoseconds>)
    parts.emplace_back(fmt::format("{} communication", name), axis);
  parts.insert(parts.end(),
               {Part{"data communication", &TimeSplit::data},
                {"pipeline messages", &TimeSplit::pipeline},
                {"pipeline bubble", &TimeSplit::bubble},
                {"optimizer", &TimeSplit::optimizer},
                {"waiting for the slowest rank", &TimeSplit::straggler},
                {"fixed time", &TimeSplit::fixed}});
  Nanoseconds slower = other.step() - best.step();
  if (slower.count() <= 0)
    return "as fast";
  std::string largestName;
  Nanoseconds largest;
  for (const auto &[name, part] : parts) {
    Nanoseconds more = other.time.*part - best.time.*part;
    if (more > largest) {
      largest = more;
      largestName = name;
    }
  }
  double percent = 100 * double(slower.count()) / double(best.step().count());
  return fmt::format("{:.1f} % slower; most of it is {} (+{:.1f} ms)", percent,
                     largestName, double(largest.count()) / 1e6);
}

/// `costsLess`: than the first, which is simpler. Else a faster plan can only
/// be behind because it is dearer.
std::string whyBehind(const RankedPlan &first, const RankedPlan &other,
                      bool costsLess) {
  double ratio = double(other.estimate.step().count()) /
                 double(first.estimate.step().count());
  if (costsLess)
    return fmt::format("{:.1f} % faster, but the first is simpler",
                       100 * (1 - ratio));
  if (other.estimate.step() >= first.estimate.step() || !first.dollars ||
      !other.dollars)
    return lostBy(first.estimate, other.estimate);
  return fmt::format("{:.1f} % dearer: {} devices for {:.1f} ms",
                     100 * (*other.dollars / *first.dollars - 1),
                     other.strategy.rankCount(),
                     double(other.estimate.step().count()) / 1e6);
}

} // namespace

int64_t Ranking::limit() const {
  if (entries.size() < count)
    return most;
  int64_t best = entries.front().cost;
  return std::min({most, entries.back().cost, best + best / 100});
}

bool Ranking::add(int64_t cost, const ParallelConfiguration &degrees,
                  Candidate candidate) {
  if (cost > most)
    return false;
  Entry entry{cost, degrees, std::move(candidate)};
  auto isBefore = [](const Entry &a, const Entry &b) {
    return std::pair(a.cost, a.degrees) < std::pair(b.cost, b.degrees);
  };
  auto same = std::ranges::find_if(entries, [&](const Entry &other) {
    return isSameLine(degrees, other.degrees);
  });
  if (same != entries.end()) {
    if (isBefore(*same, entry))
      return false;
    entries.erase(same);
  }
  auto place = std::ranges::upper_bound(entries, entry, isBefore);
  bool isKept = size_t(place - entries.begin()) < count;
  entries.insert(place, std::move(entry));
  if (entries.size() > count)
    entries.pop_back();
  return isKept;
}

void Ranking::putFirst(int64_t cost, const ParallelConfiguration &degrees,
                       Candidate candidate) {
  // One plan per line, but the best one stays.
  auto same =
      std::find_if(entries.begin() + 1, entries.end(), [&](const Entry &other) {
        return isSameLine(degrees, other.degrees);
      });
  if (same != entries.end())
    entries.erase(same);
  entries.insert(entries.begin(), {cost, degrees, std::move(candidate)});
  if (entries.size() > std::max<size_t>(count, 2))
    entries.pop_back();
}

std::vector<RankedPlan> Ranking::plans(const CostContext &context,
                                       const Objective &objective) const {
  std::vector<RankedPlan> plans;
  for (const Entry &entry : entries) {
    const Strategy &strategy = entry.candidate.strategy;
    std::string problem = strategy.verify(context.workload);
    if (!problem.empty())
      throw std::logic_error("the search made an invalid strategy (" +
                             strategy.str() + "): " + problem);
    StepEstimate estimate = estimateStep(context, strategy);
    if (estimate.step() != entry.candidate.step || !estimate.fits())
      throw std::logic_error(fmt::format(
          "the search's price of a plan is {} ns, its estimate {} ns{} ({})",
          entry.candidate.step.count(), estimate.step().count(),
          estimate.fits() ? "" : ", and it does not fit", strategy.str()));
    RankedPlan plan{strategy, estimate,
                    objective.dollars(estimate.step(), strategy.rankCount()),
                    ""};
    if (!plans.empty())
      plan.whyNotFirst =
          whyBehind(plans.front(), plan, entry.cost < entries.front().cost);
    plans.push_back(std::move(plan));
  }
  return plans;
}

} // namespace shardsmith::search

// SPDX-License-Identifier: Apache-2.0
//
// Of plans that cost the same the simplest one.

#include "BranchAndBound.h"

#include <algorithm>

namespace shardsmith::search {
namespace {

/// An order of plans: fewer axes are simpler, and with equally many axes fewer
/// idle devices.
struct Simplicity {
  int64_t axes, idle;

  Simplicity(const ParallelConfiguration &degrees, int64_t devices)
      : axes(std::ranges::count_if(allDegrees(),
                                   [&](const DegreeTraits &traits) {
                                     return degrees[traits.degree] > 1;
                                   })),
        idle(devices - degrees.ranks()) {}
  auto operator<=>(const Simplicity &) const = default;
};

} // namespace

std::optional<Candidate>
BranchAndBound::bestWithin(const ParallelConfiguration &degrees, int64_t limit,
                           ConfigurationSearch::Schedules schedules) {
  Nanoseconds longest = objective.longestStep(limit, degrees.ranks());
  if (configurationSearch.bounds().ofOps(degrees) > longest ||
      configurationSearch.relaxedBound(degrees, longest) > longest ||
      configurationSearch.variantBound(degrees, longest) > longest)
    return std::nullopt;
  ConfigurationResult found = configurationSearch.run(degrees, longest, longest,
                                                      {.schedules = schedules});
  counts += found.counts;
  return std::move(found.best);
}

void BranchAndBound::preferSimplest(
    const std::vector<OpenConfiguration> &configurations) {
  using Schedules = ConfigurationSearch::Schedules;
  int64_t least = ranking.leastCost();
  int64_t limit = least + int64_t(double(least) * equalWithin);
  int64_t devices = context.topology.deviceCount();
  ParallelConfiguration best = ranking.bestDegrees();
  std::vector<std::pair<Simplicity, OpenConfiguration>> simpler;
  for (const OpenConfiguration &each : configurations)
    if (each.bound <= limit &&
        Simplicity(each.degrees, devices) < Simplicity(best, devices))
      simpler.emplace_back(Simplicity(each.degrees, devices), each);
  std::ranges::sort(simpler);
  auto put = [&](const ParallelConfiguration &degrees, Candidate candidate) {
    int64_t cost = objective.cost(candidate.step, degrees.ranks());
    ranking.putFirst(cost, degrees, std::move(candidate));
    published.reset();
  };
  // For a pipeline 1F1B is tried first.
  auto find =
      [&](const ParallelConfiguration &degrees) -> std::optional<Candidate> {
    if (auto plain = bestWithin(degrees, limit, Schedules::Plain))
      return plain;
    return bestWithin(degrees, limit, Schedules::All);
  };
  for (const auto &[simplicity, each] : simpler) {
    if (mustStop())
      return;
    if (auto found = find(each.degrees))
      return put(each.degrees, std::move(*found));
  }
  if (best.pipeline == 1 || !ranking.best().strategy.dataShares.empty() ||
      ranking.best().strategy.schedule == ScheduleFamily::OneForwardOneBackward)
    return;
  if (auto plain = bestWithin(best, limit, Schedules::Plain))
    put(best, std::move(*plain));
}

} // namespace shardsmith::search

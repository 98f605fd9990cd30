// SPDX-License-Identifier: Apache-2.0
//
// Plans that are found before anything is proved, for a good limit.

#include "../MixedDevices/MicroBatchBalancing.h"
#include "../MixedDevices/MixedDataSearch.h"
#include "../Support/NumberHash.h"
#include "BranchAndBound.h"

#include <algorithm>

namespace shardsmith::search {

/// Per tensor, pipeline and expert degree the configuration that looks best:
/// ops, and the time in which an ordinary pipeline of two stages per rank fills
/// and drains. `areSmall`: of those alone whose micro-batches are single
/// sequences, and per context degree, too, so that little memory will do.
std::vector<OpenConfiguration>
BranchAndBound::promising(const std::vector<OpenConfiguration> &configurations,
                          bool areSmall) const {
  ByNumbers<4, OpenConfiguration> best;
  for (OpenConfiguration each : configurations) {
    const ParallelConfiguration &degrees = each.degrees;
    if (areSmall && degrees.microBatch > 1)
      continue;
    double batches =
        double(degrees.microBatchCount(context.workload.globalBatch));
    double filling = double(degrees.pipeline - 1) / (2 * batches);
    each.bound = int64_t(std::min(double(each.bound) * (1 + filling), 9e18));
    auto [entry, isNew] =
        best.try_emplace({degrees.tensor, degrees.pipeline, degrees.expert,
                          areSmall ? degrees.unitRanks() : 0},
                         each);
    if (!isNew)
      entry->second = std::min(entry->second, each);
  }
  std::vector<OpenConfiguration> chosen;
  for (const auto &[degrees, each] : best)
    chosen.push_back(each);
  std::ranges::sort(chosen);
  return chosen;
}

void BranchAndBound::tryPromising(std::vector<OpenConfiguration> guessed) {
  std::vector<OpenConfiguration> chosen;
  guessed.resize(std::min(guessed.size(), guessedConfigurations));
  for (OpenConfiguration &each : guessed)
    each.bound = 0;
  // Where devices differ the relaxed bounds are 0.
  BoundLevel enough = context.topology.pools().size() > 1
                          ? BoundLevel::Variants
                          : BoundLevel::RelaxedPaths;
  for (size_t done = 0; done < guessed.size() && !mustStop();
       done += farRoundSize) {
    size_t size = std::min(farRoundSize, guessed.size() - done);
    std::span round = std::span(guessed).subspan(done, size);
    std::vector<OpenConfiguration> near(round.begin(), round.end());
    while (!near.empty() && near.front().level != enough) {
      std::vector<OpenConfiguration> nearer;
      tighten(near, nearer);
      near = std::move(nearer);
    }
    chosen.insert(chosen.end(), near.begin(), near.end());
  }
  std::ranges::sort(chosen);
  for (size_t done = 0; done < chosen.size() && !isStopped && !isFound();
       done += roundSize) {
    size_t tries =
        ranking.limit() == unlimited ? mostTried : triedConfigurations;
    if (done >= tries || chosen[done].bound > limit())
      break;
    size_t size = std::min(roundSize, chosen.size() - done);
    // A limit that others have set may be loose, and then it would only keep
    // the ranking from being filled.
    searchRound(std::span(chosen).subspan(done, size), ranking.limit(),
                [this](const OpenConfiguration &each, Nanoseconds atMost,
                       Nanoseconds best) {
                  return configurationSearch.heuristic(each.degrees, atMost,
                                                       best);
                });
  }
}

void BranchAndBound::tryDataParallelism(
    const std::vector<OpenConfiguration> &configurations) {
  std::vector<OpenConfiguration> chosen;
  for (const OpenConfiguration &each : configurations) {
    const ParallelConfiguration &d = each.degrees;
    if (d.tensor == 1 && d.context == 1 && d.expert == 1 && d.pipeline == 1)
      chosen.push_back(each);
  }
  searchEven(chosen, false);
  // They are searched again.
  leftOut = unlimited;
}

void BranchAndBound::findIncumbents(
    const std::vector<OpenConfiguration> &configurations) {
  SearchCounts before = counts;
  if (hasFewUnits())
    tryDataParallelism(configurations);
  tryPromising(promising(configurations, false));
  if (limit() == unlimited && !isStopped)
    tryPromising(promising(configurations, true));
  counts = before;
}

void BranchAndBound::addBalancedPlans(
    const std::vector<OpenConfiguration> &configurations) {
  SearchOptions inner = options;
  inner.progress = nullptr;
  inner.receiver = nullptr;
  if (options.objective == SearchObjective::Front) {
    int64_t devices = configurations.front().degrees.ranks();
    if (devices <= context.topology.pools().front().count())
      return;
    inner.constraints.devices = {devices, devices};
    inner.objective = SearchObjective::Time;
  }
  UniformCluster alike(context);
  constexpr size_t plansToSpread = 8;
  inner.planCount = plansToSpread;
  if (deadline)
    inner.timeLimit =
        std::max(std::chrono::milliseconds(0),
                 std::chrono::duration_cast<std::chrono::milliseconds>(
                     *deadline - std::chrono::steady_clock::now()));
  SearchResult found = BranchAndBound(alike.context(), inner).run();
  isStopped |= found.stoppedEarly;
  for (const RankedPlan &plan : found.plans)
    for (Candidate &candidate :
         balancedPlans(context, options.constraints, plan.strategy)) {
      auto degrees = ParallelConfiguration::of(candidate.strategy);
      add(degrees, std::move(candidate));
    }
  publish(stoppedNow());
}

} // namespace shardsmith::search

// SPDX-License-Identifier: Apache-2.0
//
// The search for the best strategy: every kind of parallelism at once, with a
// lower bound on what any strategy could reach. docs/planner.md describes the
// space and the method.

#ifndef SHARDSMITH_PLAN_SEARCH_SEARCH_H
#define SHARDSMITH_PLAN_SEARCH_SEARCH_H

#include "shardsmith/Cost/Step/StepEstimate.h"
#include "shardsmith/Plan/Space/SearchConstraints.h"
#include "shardsmith/Plan/Support/SearchCounts.h"

#include <atomic>
#include <chrono>

namespace shardsmith {

class SearchProgress;

enum class SearchObjective {
  Time,
  /// Dollars per step; needs prices for all devices.
  Dollars,
  /// Both: every plan that no other is as fast as and as cheap as. Needs prices
  /// for all devices.
  Front,
};

struct SearchOptions {
  SearchConstraints constraints;
  SearchObjective objective = SearchObjective::Time;
  /// Plans to report; one per combination of degrees. No plan that costs at
  /// most one percent more than the best one is left out for one that costs
  /// more; of others the best that were met are reported. Of a front all plans
  /// are reported, one per number of devices.
  size_t planCount = 5;
  /// Of plans that cost as much within `equalWithin` the simplest one comes
  /// first: the one with the fewest axes, then with the fewest idle devices,
  /// then with an ordinary schedule. Not for fronts.
  bool simplestOfEquals = false;
  /// Any plan will do: the search ends when it has found one.
  bool isOneEnough = false;
  unsigned threads = 1;
  std::optional<std::chrono::milliseconds> timeLimit;
  /// On devices of several kinds, look for plans whose data ranks lie on
  /// several of them, too.
  bool unevenShares = true;
  /// Set from outside (a signal handler) to stop with the best plan so far.
  const std::atomic<bool> *cancelled = nullptr;
  /// The same, where the process takes more memory than it may.
  const std::atomic<bool> *isMemoryShort = nullptr;
  /// Is told of every better plan and bound; must outlive the search.
  SearchProgress *progress = nullptr;
};

/// What prints as 0.5 % of a step, or of its price.
inline constexpr double equalWithin = 0.00549;

struct RankedPlan {
  Strategy strategy;
  StepEstimate estimate;
  /// Per step; present if all devices have prices.
  std::optional<double> dollars;
  /// Where the time goes that the best plan does not need; empty for the best.
  std::string whyNotFirst;
};

enum class ProofKind {
  /// No strategy of the space is better.
  Exact,
  /// None is better than `lowerBound`.
  Bounded,
};
std::string_view nameOf(ProofKind kind);

/// One change that was tried after nothing fitted.
struct Relaxation {
  /// `recompute=full`, `zero=3`, `micro-batch=1`, `32 devices`, …
  std::string change;
  bool fits = false;
};

/// Why nothing fits.
struct Infeasibility {
  /// Empty strategy: the constraints leave no strategy at all, and this says
  /// which.
  std::string contradiction;
  /// Fits into memory that is at most an eighth of a doubling more than what
  /// no strategy fits into.
  std::optional<Strategy> nearest;
  std::optional<StepEstimate> estimate;
  /// On `estimate->fullestRank`.
  Bytes missing;
  /// The largest part of that rank's memory: `parameters`, `activations`, …
  std::string largestItem;
  /// In the order they were tried; the last one fits, if any does.
  std::vector<Relaxation> relaxations;
};

struct SearchResult {
  /// Best first, or the simplest of equals and then the best; of a front the
  /// fastest first, each cheaper than all before.
  std::vector<RankedPlan> plans;
  /// Of the objective: nanoseconds, or billionths of a dollar. Of a front that
  /// of its fastest plan, in nanoseconds; an exact proof says that nothing is
  /// missing on it.
  int64_t cost = 0;
  int64_t lowerBound = 0;
  ProofKind proof = ProofKind::Exact;
  /// By the time limit or from outside.
  bool stoppedEarly = false;
  int64_t unusedDevices = 0;
  SearchCounts counts;
  /// Present if `plans` is empty.
  std::optional<Infeasibility> infeasibility;

  /// (cost − lowerBound) ÷ lowerBound.
  double gap() const;
};

/// Deterministic for any number of threads, unless it is stopped early.
SearchResult searchStrategies(const CostContext &context,
                              const SearchOptions &options);

} // namespace shardsmith

#endif // SHARDSMITH_PLAN_SEARCH_SEARCH_H

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
#include <memory>

namespace shardsmith {

class PlanReceiver;
class SearchProgress;

enum class SearchObjective {
  Time,
  /// Dollars per step. All devices must have prices.
  Dollars,
  /// The Pareto front of time and dollars: every plan that no other is as fast
  /// as and as cheap as. All devices must have prices.
  Front,
};

struct SearchOptions {
  SearchConstraints constraints;
  SearchObjective objective = SearchObjective::Time;
  /// How many plans to report, at most one per configuration. Plans that cost
  /// at most one percent more than the best one are ranked exactly; beyond that
  /// the best plans that the search met are reported. Of a front all plans are
  /// reported, one per number of devices.
  size_t planCount = 5;
  /// Whether the simplest of the plans that cost the same within `equalWithin`
  /// comes first: the one with the fewest axes, then with the fewest idle
  /// devices, then with 1F1B. Has no effect on fronts.
  bool simplestOfEquals = false;
  /// Whether the search ends with the first plan that it finds.
  bool isOneEnough = false;
  unsigned threads = 1;
  std::optional<std::chrono::milliseconds> timeLimit;
  /// On mixed devices, whether plans whose replicas lie on several device kinds
  /// are searched too.
  bool unevenShares = true;
  /// A signal handler or another thread sets it to end the search with the best
  /// plan so far.
  const std::atomic<bool> *cancelled = nullptr;
  /// The same, set when the process takes more memory than it may.
  const std::atomic<bool> *isMemoryShort = nullptr;
  /// Is told of every better plan and bound; must outlive the search.
  SearchProgress *progress = nullptr;
  /// If present, is given the plans that are found, and plans above its limit
  /// are not looked for. A search that finds nothing within it does not explain
  /// that. Not for fronts.
  std::shared_ptr<PlanReceiver> receiver;
};

/// The share of a step, or of its price, that prints as 0.5 %.
inline constexpr double equalWithin = 0.00549;

struct RankedPlan {
  Strategy strategy;
  StepEstimate estimate;
  /// The price of a step; present if all devices have prices.
  std::optional<double> dollars;
  /// Where the plan spends the time that the best plan does not need; empty for
  /// the best plan.
  std::string whyNotFirst;
};

enum class ProofKind {
  /// No strategy of the space is better.
  Exact,
  /// No strategy costs less than `lowerBound`; the plan costs more.
  Bounded,
};
std::string_view nameOf(ProofKind kind);

/// One change that was tried after nothing fitted.
struct TriedChange {
  /// The change in words, such as `zero left open` or `32 devices`.
  std::string change;
  bool fits = false;
};

/// Why no strategy fits, and what would.
struct Infeasibility {
  /// If the constraints leave no strategy at all: which of them contradict each
  /// other. Then there is no nearest plan.
  std::string contradiction;
  /// A strategy that fits into a little more memory: at most an eighth of a
  /// doubling more than a memory into which no strategy fits.
  std::optional<Strategy> nearest;
  std::optional<StepEstimate> estimate;
  /// The bytes that are short on the rank `estimate->fullestRank`.
  Bytes missing;
  /// The largest part of the memory of that rank, such as `parameters` or
  /// `activations`.
  std::string largestItem;
  /// The changes in the order in which they were tried. The last one fits, if
  /// any does.
  std::vector<TriedChange> tried;
};

struct SearchResult {
  /// The plans, best first, or the simplest of equals first and then the best.
  /// A front has the fastest first, and each plan is cheaper than all before
  /// it.
  std::vector<RankedPlan> plans;
  /// The cost of the first plan: nanoseconds, or billionths of a dollar. Of a
  /// front it is the time of the fastest plan, and the proof `Exact` says that
  /// no plan is missing on the front.
  int64_t cost = 0;
  int64_t lowerBound = 0;
  ProofKind proof = ProofKind::Exact;
  /// Whether the time limit or the caller ended the search.
  bool stoppedEarly = false;
  int64_t unusedDevices = 0;
  SearchCounts counts;
  /// Present if `plans` is empty.
  std::optional<Infeasibility> infeasibility;

  /// (cost − lowerBound) ÷ lowerBound.
  double gap() const;
};

/// Searches for the best strategies. The result is the same for every number of
/// threads and on every machine, unless the search is stopped early.
SearchResult searchStrategies(const CostContext &context,
                              const SearchOptions &options);

} // namespace shardsmith

#endif // SHARDSMITH_PLAN_SEARCH_SEARCH_H

// SPDX-License-Identifier: Apache-2.0
//
// Branch and bound over the combinations of degrees, best bound first.
// Configurations are searched in rounds of fixed size against the bound that
// the rounds before have left, so that every number of threads does the same
// work.
//
//   all configurations ── Ops ──▶ RelaxedPaths ──▶ Variants ──▶ searched
//        (Rounds)            each bound waits for the next one        │
//                                   PrimalHeuristic: a limit at once ─┘

#ifndef SHARDSMITH_LIB_PLAN_SEARCH_BRANCHANDBOUND_H
#define SHARDSMITH_LIB_PLAN_SEARCH_BRANCHANDBOUND_H

#include "../Configurations/ConfigurationSearch.h"
#include "../Support/ThreadPool.h"
#include "Objective.h"
#include "Outcome.h"
#include "ParetoPlans.h"
#include "Ranking.h"

#include "shardsmith/Plan/Search/PlanReceiver.h"

#include <chrono>
#include <functional>
#include <limits>
#include <span>

namespace shardsmith::search {

/// What a bound takes into account, from cheap to close.
enum class BoundLevel { Ops, RelaxedPaths, Variants };

struct OpenConfiguration {
  /// The bound on the cost.
  int64_t bound = 0;
  ParallelConfiguration degrees;
  BoundLevel level = BoundLevel::Ops;
  /// Those that are still to be looked at.
  LayoutScope layouts = LayoutScope::All;

  auto operator<=>(const OpenConfiguration &) const = default;
};

class BranchAndBound {
public:
  BranchAndBound(const CostContext &context, const SearchOptions &options)
      : context(context), options(options),
        objective(context.topology, options.objective),
        all(parallelConfigurations(context, options.constraints)),
        threads(options.threads),
        configurationSearch(context, options.constraints, all, options.threads,
                            [this] { return mustStop(); }),
        ranking(options.planCount) {
    if (options.timeLimit)
      deadline = std::chrono::steady_clock::now() + *options.timeLimit;
  }

  SearchResult run();

private:
  bool mustStop() const {
    return (options.cancelled && *options.cancelled) ||
           (options.isMemoryShort && *options.isMemoryShort) ||
           (deadline && std::chrono::steady_clock::now() >= *deadline);
  }
  /// Plans that cost more need not be found.
  int64_t limit() const {
    return options.receiver
               ? std::min(ranking.limit(), options.receiver->limit())
               : ranking.limit();
  }
  /// Adds a plan to the ranking, and hands it to the receiver if that may use
  /// it.
  void add(const ParallelConfiguration &degrees, Candidate candidate);
  /// Whether the effort is spent. For models that repeat little, or with more
  /// layouts than can be looked at, plans are seldom proved optimal and more
  /// effort gains little. Effort is counted in layouts that were bounded, so it
  /// ends at the same point on every machine.
  bool isEnough() const {
    constexpr int64_t perPartition = 32, perTable = 2048, comparisonsEach = 256;
    constexpr int64_t most = 1 << 20, mostOfFewBlocks = 1 << 22;
    int64_t effort = counts.candidates + counts.partitions * perPartition +
                     configurationSearch.tableCount() * perTable +
                     comparisons / comparisonsEach;
    if (isLimited || repeatsLittle())
      return effort > most;
    return hasFewUnits() && effort > mostOfFewBlocks;
  }
  bool hasFewUnits() const {
    return context.workload.unitCount() <
           4 * int64_t(context.workload.blocks.size());
  }
  bool repeatsLittle() const {
    return context.workload.blocks.size() > 3 && hasFewUnits();
  }
  /// Searches pure data parallelism to its end before all else, so that no
  /// result is worse than that. It has few configurations, which are quickly
  /// bounded.
  void tryDataParallelism(const std::vector<OpenConfiguration> &configurations);
  std::vector<OpenConfiguration> openConfigurations();
  std::vector<OpenConfiguration>
  promising(const std::vector<OpenConfiguration> &configurations,
            bool areSmall) const;
  /// Runs the primal heuristic on promising configurations, for a good limit.
  void findIncumbents(const std::vector<OpenConfiguration> &configurations);
  void tryPromising(std::vector<OpenConfiguration> guessed);
  /// Searches one configuration for plans of at most so many nanoseconds; the
  /// best plan so far takes `best`.
  using Visit = std::function<ConfigurationResult(
      const OpenConfiguration &each, Nanoseconds atMost, Nanoseconds best)>;
  /// Visits each of them for plans that cost at most `most`, on all threads.
  /// Returns those whose search was postponed.
  std::vector<OpenConfiguration>
  searchRound(std::span<const OpenConfiguration> round, int64_t most,
              const Visit &visit);
  bool isFound() const {
    return options.isOneEnough && ranking.leastCost() != unlimited;
  }
  /// Searches configurations, which are sorted by their bounds. Returns the
  /// least bound of those that were not searched.
  int64_t searchAmong(const std::vector<OpenConfiguration> &configurations);
  /// The same for plans whose replicas take equally many micro-batches, and for
  /// plans whose replicas lie on several device kinds. `areAll` says that no
  /// other configurations are open.
  int64_t searchEven(const std::vector<OpenConfiguration> &configurations,
                     bool areAll = true);
  int64_t searchMixed(const std::vector<OpenConfiguration> &configurations);
  /// Searches one number of devices after another, the largest first, for plans
  /// that the front does not dominate.
  SearchResult searchFront();
  /// Adds balanced plans on mixed devices to the ranking; for a front only
  /// those on as many devices as `configurations` have.
  void addBalancedPlans(const std::vector<OpenConfiguration> &configurations);
  Nanoseconds tighterBound(const ParallelConfiguration &degrees,
                           BoundLevel level, Nanoseconds longest);
  /// Computes closer bounds of the configurations, and pushes those that are
  /// still open onto the heap.
  void tighten(std::span<const OpenConfiguration> round,
               std::vector<OpenConfiguration> &near);
  /// What no plan costs less than that was not looked at; `open`: the least
  /// bound of configurations that were not searched.
  int64_t leastLeft(int64_t open) const { return std::min(open, leftOut); }
  /// Searches for a plan that is simpler than the best one and costs the same,
  /// and puts it first.
  void preferSimplest(const std::vector<OpenConfiguration> &configurations);
  /// The best plan of a configuration that costs at most `limit`; nothing if
  /// there is none.
  std::optional<Candidate> bestWithin(const ParallelConfiguration &degrees,
                                      int64_t limit,
                                      ConfigurationSearch::Schedules schedules);
  /// What would be known if the search were stopped now.
  Outcome stoppedNow() const {
    return {.cost = ranking.leastCost(),
            .left = leastLeft(openBound),
            .isStopped = true};
  }
  /// Tells `options.progress` of the plans that are known.
  void publish(Outcome outcome);
  /// The same of a front, by value.
  void publishFront(ParetoPlans front, int64_t leastBound);
  /// The result, with the cost of the best plan, the least bound of what was
  /// left, and whether that is a proof.
  SearchResult finished(std::vector<RankedPlan> plans, int64_t cost,
                        int64_t left, bool isProved);
  /// So many configurations that are searched, or bounded, share one limit.
  /// Bounds do not change it, and the more there are, the better threads can
  /// share them.
  static constexpr size_t roundSize = 8, nearRoundSize = 64, farRoundSize = 512;
  /// The size of rounds where effort ends the search, which is checked between
  /// rounds only.
  static constexpr size_t smallRoundSize = 2;
  /// So many configurations are bounded before others are searched.
  static constexpr size_t patience = 4096;
  /// And so many are tried, or more as long as too few of them fit.
  static constexpr size_t triedConfigurations = 64, mostTried = 1024;
  static constexpr size_t guessedConfigurations = 512;
  /// The effort to play stages after which a configuration is postponed, some
  /// tenths of a second.
  static constexpr int64_t firstEffort = int64_t(1) << 21;
  static constexpr int64_t unlimited = std::numeric_limits<int64_t>::max();

  const CostContext &context;
  const SearchOptions &options;
  Objective objective;
  std::vector<ParallelConfiguration> all;
  ThreadPool threads;
  ConfigurationSearch configurationSearch;
  Ranking ranking;
  /// The ranking as it was published, until it changes.
  std::shared_ptr<const Ranking> published;
  /// No configuration that is still to be searched costs less.
  int64_t openBound = 0;
  /// Data ranks may lie on several kinds of device.
  bool canMix = false;
  SearchCounts counts;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  bool isStopped = false;
  /// Some configuration looked at its layouts only so far.
  bool isLimited = false;
  /// Of further layouts, in all configurations.
  int64_t comparisons = 0;
  /// The least bound of what configurations have left out.
  int64_t leftOut = unlimited;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SEARCH_BRANCHANDBOUND_H

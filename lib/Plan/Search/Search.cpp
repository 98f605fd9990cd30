// SPDX-License-Identifier: Apache-2.0
//
// Branch and bound over the combinations of degrees, best bound first. Classes
// are searched in rounds of fixed size against the bound that the rounds
// before have left, so that every number of threads does the same work.

#include "shardsmith/Plan/Search.h"

#include "ClassSearch.h"
#include "Infeasible.h"
#include "Prices.h"
#include "Ranking.h"
#include "UnevenShares.h"

#include <algorithm>
#include <map>
#include <span>
#include <thread>

namespace shardsmith {

using namespace search;

std::string_view nameOf(ProofKind kind) {
  return kind == ProofKind::Exact ? "exact" : "bounded";
}

double SearchResult::gap() const {
  if (lowerBound <= 0 || cost <= lowerBound)
    return 0;
  return double(cost - lowerBound) / double(lowerBound);
}

namespace {

using Clock = std::chrono::steady_clock;

struct BoundedClass {
  /// Of the objective.
  int64_t bound = 0;
  DegreeClass degrees;

  auto operator<=>(const BoundedClass &) const = default;
};

class Search {
public:
  Search(const CostContext &context, const SearchOptions &options)
      : context(context), options(options),
        prices(context.topology, options.objective),
        layouts(context, options.constraints),
        classSearch(context, options.constraints, layouts,
                    [this] { return mustStop(); }),
        ranking(options.planCount) {
    if (options.timeLimit)
      deadline = Clock::now() + *options.timeLimit;
  }

  SearchResult run();

private:
  bool mustStop() const {
    return (options.cancelled && *options.cancelled) ||
           (deadline && Clock::now() >= *deadline);
  }
  std::vector<BoundedClass> boundedClasses();
  std::vector<BoundedClass>
  promising(const std::vector<BoundedClass> &classes) const;
  /// Looks at promising classes for a good limit.
  void scout(const std::vector<BoundedClass> &classes);
  using Visit = ClassResult (ClassSearch::*)(const DegreeClass &, Nanoseconds);
  void searchRound(std::span<const BoundedClass> round, Visit visit);
  /// Adds plans whose data ranks lie on several kinds of device.
  void addUnevenShares();
  SearchResult finished(int64_t lowerBound);

  /// So many classes share one limit.
  static constexpr size_t roundSize = 8;
  /// And so many are scouted, or more as long as too few of them fit.
  static constexpr size_t scoutedClasses = 64, scoutedAtMost = 1024;

  const CostContext &context;
  const SearchOptions &options;
  Prices prices;
  ChainLayouts layouts;
  ClassSearch classSearch;
  Ranking ranking;
  SearchCounts counts;
  std::optional<Clock::time_point> deadline;
  bool isStopped = false;
};

std::vector<BoundedClass> Search::boundedClasses() {
  std::vector<BoundedClass> classes;
  for (const DegreeClass &degrees :
       degreeClasses(context, options.constraints)) {
    ++counts.classes;
    Nanoseconds step = classSearch.bound(degrees);
    if (step.isSaturated()) {
      ++counts.classesTooLarge;
      continue;
    }
    classes.push_back({prices.cost(step, degrees.ranks()), degrees});
  }
  std::ranges::sort(classes);
  return classes;
}

void Search::searchRound(std::span<const BoundedClass> round, Visit visit) {
  int64_t limit = ranking.limit();
  std::vector<ClassResult> results(round.size());
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i = next++; i < round.size(); i = next++) {
      const DegreeClass &degrees = round[i].degrees;
      Nanoseconds longest = prices.longestStep(limit, degrees.ranks());
      results[i] = (classSearch.*visit)(degrees, longest);
    }
  };
  std::vector<std::jthread> helpers;
  for (unsigned thread = 1; thread < options.threads; ++thread)
    helpers.emplace_back(work);
  work();
  helpers.clear();

  for (size_t i = 0; i < round.size(); ++i) {
    ClassResult &result = results[i];
    counts.candidates += result.counts.candidates;
    counts.candidatesBoundedOut += result.counts.candidatesBoundedOut;
    counts.candidatesTooLarge += result.counts.candidatesTooLarge;
    counts.partitions += result.counts.partitions;
    isStopped |= result.isPartial;
    if (result.best)
      ranking.add(prices.cost(result.best->step, round[i].degrees.ranks()),
                  round[i].degrees, std::move(*result.best));
  }
}

/// Per tensor, pipeline and expert degree the class that looks best: kernels,
/// and the time in which an ordinary pipeline of two stages per rank fills and
/// drains.
std::vector<BoundedClass>
Search::promising(const std::vector<BoundedClass> &classes) const {
  std::map<std::array<int64_t, 3>, BoundedClass> best;
  for (BoundedClass each : classes) {
    const DegreeClass &degrees = each.degrees;
    double batches = double(
        degrees.strategy().microBatchCount(context.workload.globalBatch));
    double filling = double(degrees.pipeline - 1) / (2 * batches);
    each.bound = int64_t(std::min(double(each.bound) * (1 + filling), 9e18));
    auto [entry, isNew] = best.try_emplace(
        {degrees.tensor, degrees.pipeline, degrees.expert}, each);
    if (!isNew)
      entry->second = std::min(entry->second, each);
  }
  std::vector<BoundedClass> chosen;
  for (const auto &[degrees, each] : best)
    chosen.push_back(each);
  std::ranges::sort(chosen);
  return chosen;
}

void Search::scout(const std::vector<BoundedClass> &classes) {
  std::vector<BoundedClass> chosen = promising(classes);
  constexpr int64_t unlimited = std::numeric_limits<int64_t>::max();
  for (size_t done = 0; done < chosen.size() && !isStopped; done += roundSize) {
    size_t looks =
        ranking.limit() == unlimited ? scoutedAtMost : scoutedClasses;
    if (done >= looks || chosen[done].bound > ranking.limit())
      break;
    size_t size = std::min(roundSize, chosen.size() - done);
    searchRound(std::span(chosen).subspan(done, size), &ClassSearch::scout);
  }
  counts = {.classes = counts.classes,
            .classesTooLarge = counts.classesTooLarge};
}

SearchResult Search::run() {
  std::vector<BoundedClass> classes = boundedClasses();
  // First: they are soon found, and often a good limit for all others.
  if (options.unevenShares && context.topology.pools().size() > 1 &&
      !classes.empty())
    addUnevenShares();
  if (!isStopped)
    scout(classes);
  size_t done = 0;
  while (!isStopped && done < classes.size() &&
         classes[done].bound <= ranking.limit()) {
    size_t size = std::min(roundSize, classes.size() - done);
    searchRound(std::span(classes).subspan(done, size), &ClassSearch::run);
    if (isStopped)
      break;
    done += size;
  }
  if (!isStopped)
    counts.classesBoundedOut = int64_t(classes.size() - done);
  int64_t open =
      isStopped ? classes[done].bound : std::numeric_limits<int64_t>::max();
  // Over several kinds of device only layouts that are best on one of them are
  // looked at; what the others could reach is bounded by kernels alone.
  if (context.topology.pools().size() > 1 && !classes.empty())
    open = std::min(open, classes.front().bound);
  return finished(open);
}

void Search::addUnevenShares() {
  AlikeDevices alike(context);
  SearchOptions inner = options;
  constexpr size_t plansToSpread = 8;
  inner.planCount = plansToSpread;
  if (deadline)
    inner.timeLimit =
        std::max(std::chrono::milliseconds(0),
                 std::chrono::duration_cast<std::chrono::milliseconds>(
                     *deadline - Clock::now()));
  SearchResult found = Search(alike.context(), inner).run();
  isStopped |= found.stoppedEarly;
  for (const RankedPlan &plan : found.plans)
    for (Candidate &candidate :
         unevenShares(context, options.constraints, plan.strategy)) {
      const Strategy &s = candidate.strategy;
      DegreeClass degrees{s.tensor,   s.context, s.data,
                          s.pipeline, s.expert,  s.microBatch};
      int64_t cost = prices.cost(candidate.step, degrees.ranks());
      ranking.add(cost, degrees, std::move(candidate));
    }
}

SearchResult Search::finished(int64_t open) {
  SearchResult result;
  counts.blockTables = layouts.tableCount();
  result.counts = counts;
  result.stoppedEarly = isStopped;
  result.plans = ranking.plans(context, prices);
  if (result.plans.empty()) {
    result.lowerBound = isStopped ? open : 0;
    return result;
  }
  const RankedPlan &best = result.plans.front();
  result.cost = prices.cost(best.estimate.step(), best.strategy.rankCount());
  result.lowerBound = std::min(result.cost, open);
  bool isProved = result.lowerBound == result.cost &&
                  best.strategy.microBatchesOfDataRank.empty();
  result.proof = isProved ? ProofKind::Exact : ProofKind::Bounded;
  result.unusedDevices =
      context.topology.deviceCount() - best.strategy.rankCount();
  return result;
}

} // namespace

SearchResult searchStrategies(const CostContext &context,
                              const SearchOptions &options) {
  auto searchOnly = [](const CostContext &context,
                       const SearchOptions &options) {
    return Search(context, options).run();
  };
  SearchResult result = searchOnly(context, options);
  if (result.plans.empty() && !result.stoppedEarly)
    result.infeasibility = explainInfeasibility(context, options, searchOnly);
  return result;
}

} // namespace shardsmith

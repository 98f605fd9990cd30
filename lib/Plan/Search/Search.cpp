// SPDX-License-Identifier: Apache-2.0
//
// Branch and bound over the combinations of degrees, best bound first.
// Configurations are searched in rounds of fixed size against the bound that
// the rounds before have left, so that every number of threads does the same
// work.

#include "shardsmith/Plan/Search/Search.h"

#include "../Configurations/ConfigurationSearch.h"
#include "../MixedDevices/MicroBatchBalancing.h"
#include "../MixedDevices/MixedDataSearch.h"
#include "../Support/NumberHash.h"
#include "../Support/ThreadPool.h"
#include "Infeasible.h"
#include "Objective.h"
#include "ParetoPlans.h"
#include "Ranking.h"

#include "shardsmith/Plan/Search/SearchProgress.h"

#include <algorithm>
#include <functional>
#include <map>
#include <span>

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

/// What a bound takes into account, from cheap to close.
enum class BoundLevel { Ops, RelaxedPaths, Variants };

struct OpenConfiguration {
  /// The bound on the cost.
  int64_t bound = 0;
  ParallelConfiguration degrees;
  BoundLevel level = BoundLevel::Ops;

  auto operator<=>(const OpenConfiguration &) const = default;
};

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

/// What a search knows of its plans.
struct Outcome {
  SearchCounts counts = {};
  /// Of the best plan.
  int64_t cost = 0;
  /// No plan that was not looked at costs less.
  int64_t left = 0;
  bool isProved = false;
  bool isStopped = false;
};

SearchResult resultOf(std::vector<RankedPlan> plans, const Outcome &outcome,
                      const CostContext &context, const Objective &objective) {
  SearchResult result;
  result.counts = outcome.counts;
  result.stoppedEarly = outcome.isStopped;
  result.plans = std::move(plans);
  if (result.plans.empty()) {
    result.lowerBound = outcome.isStopped ? outcome.left : 0;
    return result;
  }
  const RankedPlan &first = result.plans.front();
  result.cost =
      objective.cost(first.estimate.step(), first.strategy.rankCount());
  result.lowerBound = std::min(outcome.cost, outcome.left);
  bool isBest = result.cost == outcome.cost;
  result.proof = outcome.isProved && isBest && !outcome.isStopped
                     ? ProofKind::Exact
                     : ProofKind::Bounded;
  result.unusedDevices =
      context.topology.deviceCount() - first.strategy.rankCount();
  return result;
}

class Search {
public:
  Search(const CostContext &context, const SearchOptions &options)
      : context(context), options(options),
        objective(context.topology, options.objective),
        all(parallelConfigurations(context, options.constraints)),
        threads(options.threads),
        configurationSearch(context, options.constraints, all, options.threads,
                            [this] { return mustStop(); }),
        ranking(options.planCount) {
    if (options.timeLimit)
      deadline = Clock::now() + *options.timeLimit;
  }

  SearchResult run();

private:
  bool mustStop() const {
    return (options.cancelled && *options.cancelled) ||
           (options.isMemoryShort && *options.isMemoryShort) ||
           (deadline && Clock::now() >= *deadline);
  }
  /// Whether the effort is spent. For models that repeat little, or with more
  /// layouts than can be looked at, plans are seldom proved optimal and more
  /// effort gains little. Effort is counted in layouts that were bounded, so it
  /// ends at the same point on every machine.
  bool isEnough() const {
    constexpr int64_t perPartition = 32, perTable = 2048;
    constexpr int64_t most = 1 << 20, mostOfFewBlocks = 1 << 22;
    int64_t effort = counts.candidates + counts.partitions * perPartition +
                     configurationSearch.tableCount() * perTable;
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
  /// Calls `visit(degrees, atMost, best)` for each, on all threads.
  template <typename Visit>
  void searchRound(std::span<const OpenConfiguration> round, Visit visit);
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
  std::optional<Clock::time_point> deadline;
  bool isStopped = false;
  /// Some configuration looked at its layouts only so far.
  bool isLimited = false;
  /// The least bound of what configurations have left out.
  int64_t leftOut = unlimited;
};

std::vector<OpenConfiguration> Search::openConfigurations() {
  ConfigurationBounds &bounds = configurationSearch.bounds();
  bounds.priceOps(all, threads);
  std::vector<OpenConfiguration> configurations;
  for (const ParallelConfiguration &degrees : all) {
    ++counts.configurations;
    Nanoseconds step = bounds.ofOps(degrees);
    if (step.isSaturated()) {
      ++counts.configurationsTooLarge;
      continue;
    }
    configurations.push_back({objective.cost(step, degrees.ranks()), degrees});
  }
  std::ranges::sort(configurations);
  return configurations;
}

template <typename Visit>
void Search::searchRound(std::span<const OpenConfiguration> round,
                         Visit visit) {
  int64_t limit = ranking.limit(), least = ranking.leastCost();
  std::vector<ConfigurationResult> results(round.size());
  threads.share(round.size(), [&](size_t i) {
    const ParallelConfiguration &degrees = round[i].degrees;
    Nanoseconds longest = objective.longestStep(limit, degrees.ranks());
    Nanoseconds best = objective.longestStep(least, degrees.ranks());
    results[i] = visit(degrees, longest, best);
  });

  for (size_t i = 0; i < round.size(); ++i) {
    ConfigurationResult &result = results[i];
    counts += result.counts;
    isStopped |= result.isPartial;
    isLimited |= result.isLimited;
    if (!result.leastLeft.isSaturated())
      leftOut = std::min(
          leftOut, objective.cost(result.leastLeft, round[i].degrees.ranks()));
    if (!result.best)
      continue;
    ranking.add(objective.cost(result.best->step, round[i].degrees.ranks()),
                round[i].degrees, std::move(*result.best));
    published.reset();
  }
  publish(stoppedNow());
}

/// Per tensor, pipeline and expert degree the configuration that looks best:
/// ops, and the time in which an ordinary pipeline of two stages per rank fills
/// and drains. `areSmall`: of those alone whose micro-batches are single
/// sequences, and per context degree, too, so that little memory will do.
std::vector<OpenConfiguration>
Search::promising(const std::vector<OpenConfiguration> &configurations,
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

void Search::tryPromising(std::vector<OpenConfiguration> guessed) {
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
    if (done >= tries || chosen[done].bound > ranking.limit())
      break;
    size_t size = std::min(roundSize, chosen.size() - done);
    searchRound(
        std::span(chosen).subspan(done, size),
        std::bind_front(&ConfigurationSearch::heuristic, &configurationSearch));
  }
}

void Search::tryDataParallelism(
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

void Search::findIncumbents(
    const std::vector<OpenConfiguration> &configurations) {
  SearchCounts before = counts;
  if (hasFewUnits())
    tryDataParallelism(configurations);
  tryPromising(promising(configurations, false));
  if (ranking.limit() == unlimited && !isStopped)
    tryPromising(promising(configurations, true));
  counts = before;
}

/// The bound of the level behind `level`.
Nanoseconds Search::tighterBound(const ParallelConfiguration &degrees,
                                 BoundLevel level, Nanoseconds longest) {
  return level == BoundLevel::Ops
             ? configurationSearch.relaxedBound(degrees, longest)
             : configurationSearch.variantBound(degrees, longest);
}

void Search::tighten(std::span<const OpenConfiguration> round,
                     std::vector<OpenConfiguration> &near) {
  int64_t limit = ranking.limit();
  std::vector<Nanoseconds> steps(round.size());
  std::vector<size_t> shares;
  for (const OpenConfiguration &each : round)
    shares.push_back(configurationSearch.shareOf(each.degrees));
  threads.shareGroups(shares, [&](size_t i) {
    const ParallelConfiguration &degrees = round[i].degrees;
    Nanoseconds longest = objective.longestStep(limit, degrees.ranks());
    // A configuration that is not bounded keeps the bound that it has.
    if (!mustStop())
      steps[i] = tighterBound(degrees, round[i].level, longest);
  });
  for (size_t i = 0; i < round.size(); ++i) {
    if (steps[i].isSaturated())
      continue;
    const ParallelConfiguration &degrees = round[i].degrees;
    BoundLevel level = BoundLevel(int(round[i].level) + 1);
    int64_t bound = objective.cost(steps[i], degrees.ranks());
    near.push_back({std::max(bound, round[i].bound), degrees, level});
    std::ranges::push_heap(near, std::greater());
  }
}

int64_t
Search::searchAmong(const std::vector<OpenConfiguration> &configurations) {
  canMix = options.unevenShares && context.topology.pools().size() > 1 &&
           !configurations.empty();
  openBound = configurations.empty() ? 0 : configurations.front().bound;
  // Balanced plans come first: some are found quickly and are a good limit for
  // all others.
  if (canMix && !mustStop())
    addBalancedPlans(configurations);
  if (!isStopped)
    findIncumbents(configurations);
  int64_t open = searchEven(configurations);
  return canMix ? std::min(open, searchMixed(configurations)) : open;
}

int64_t
Search::searchMixed(const std::vector<OpenConfiguration> &configurations) {
  MixedDataSearch spreads(context, configurationSearch);
  std::vector<OpenConfiguration> open;
  for (const OpenConfiguration &each : configurations)
    if (each.degrees.data > 1)
      open.push_back(each);
  for (size_t done = 0; done < open.size(); done += roundSize) {
    int64_t bound = open[done].bound;
    if (bound > ranking.limit())
      return unlimited;
    isStopped |= mustStop();
    if (isFound() || isStopped || isEnough())
      return bound;
    size_t size = std::min(roundSize, open.size() - done);
    searchRound(std::span(open).subspan(done, size),
                [&](const ParallelConfiguration &degrees, Nanoseconds atMost,
                    Nanoseconds) { return spreads.run(degrees, atMost); });
    if (isStopped)
      return bound;
  }
  return unlimited;
}

// Configurations wait up to three times: for each closer bound, and to be
// searched. Mostly the least bound is next; but while thousands wait for a
// closer one, the best of those that have it are looked at now and then, as
// plans make the limit fall.
int64_t Search::searchEven(const std::vector<OpenConfiguration> &far,
                           bool areAll) {
  std::vector<OpenConfiguration> near;
  size_t done = 0, waited = 0, searched = 0;
  while (true) {
    int64_t farBound = done < far.size() ? far[done].bound : unlimited;
    int64_t nearBound = near.empty() ? unlimited : near.front().bound;
    int64_t open = std::min(farBound, nearBound), limit = ranking.limit();
    if (open == unlimited || open > limit) {
      counts.configurationsBoundedOut += int64_t(far.size() - searched);
      return unlimited;
    }
    if (isFound() || isEnough())
      return open;
    if (isStopped || mustStop()) {
      isStopped = true;
      return open;
    }
    // Plans whose data ranks lie on several kinds of device come later.
    if (areAll && !canMix)
      openBound = open;
    if (near.empty() || nearBound > limit ||
        (nearBound > farBound && waited < patience)) {
      size_t size = std::min(farRoundSize, far.size() - done);
      tighten(std::span(far).subspan(done, size), near);
      done += size;
      waited += size;
      continue;
    }
    BoundLevel level = near.front().level;
    std::vector<OpenConfiguration> round;
    size_t most = nearRoundSize;
    if (level == BoundLevel::Variants)
      most = hasFewUnits() ? smallRoundSize : roundSize;
    while (!near.empty() && round.size() < most &&
           near.front().level == level && near.front().bound <= limit) {
      std::ranges::pop_heap(near, std::greater());
      round.push_back(near.back());
      near.pop_back();
    }
    if (level != BoundLevel::Variants) {
      tighten(round, near);
      continue;
    }
    searchRound(round, [this](const ParallelConfiguration &degrees,
                              Nanoseconds atMost, Nanoseconds best) {
      return configurationSearch.run(degrees, atMost, best);
    });
    if (isStopped)
      return std::min(farBound, round.front().bound);
    searched += round.size();
    waited = 0;
  }
}

void Search::addBalancedPlans(
    const std::vector<OpenConfiguration> &configurations) {
  SearchOptions inner = options;
  inner.progress = nullptr;
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
                     *deadline - Clock::now()));
  SearchResult found = Search(alike.context(), inner).run();
  isStopped |= found.stoppedEarly;
  for (const RankedPlan &plan : found.plans)
    for (Candidate &candidate :
         balancedPlans(context, options.constraints, plan.strategy)) {
      auto degrees = ParallelConfiguration::of(candidate.strategy);
      int64_t cost = objective.cost(candidate.step, degrees.ranks());
      ranking.add(cost, degrees, std::move(candidate));
    }
  published.reset();
  publish(stoppedNow());
}

SearchResult Search::run() {
  if (options.objective == SearchObjective::Front)
    return searchFront();
  std::vector<OpenConfiguration> configurations = openConfigurations();
  int64_t left = leastLeft(searchAmong(configurations));
  int64_t cost = ranking.leastCost();
  bool isProved = cost != unlimited && left >= cost;
  publish({.cost = cost,
           .left = left,
           .isProved = isProved,
           .isStopped = isStopped});
  if (options.simplestOfEquals && cost != unlimited && !isStopped)
    preferSimplest(configurations);
  return finished(ranking.plans(context, objective), cost, left, isProved);
}

std::optional<Candidate>
Search::bestWithin(const ParallelConfiguration &degrees, int64_t limit,
                   ConfigurationSearch::Schedules schedules) {
  Nanoseconds longest = objective.longestStep(limit, degrees.ranks());
  if (configurationSearch.bounds().ofOps(degrees) > longest ||
      configurationSearch.relaxedBound(degrees, longest) > longest ||
      configurationSearch.variantBound(degrees, longest) > longest)
    return std::nullopt;
  ConfigurationResult found =
      configurationSearch.run(degrees, longest, longest, schedules);
  counts += found.counts;
  return std::move(found.best);
}

void Search::preferSimplest(
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

SearchResult Search::searchFront() {
  std::map<int64_t, std::vector<OpenConfiguration>, std::greater<>> byDevices;
  int64_t leastBound = unlimited;
  for (const OpenConfiguration &each : openConfigurations()) {
    byDevices[each.degrees.ranks()].push_back(each);
    leastBound = std::min(leastBound, each.bound);
  }
  ParetoPlans front(objective);
  int64_t left = unlimited;
  bool isProved = true;
  for (const auto &[devices, configurations] : byDevices) {
    int64_t most = front.longestStep(devices).count();
    ranking = Ranking(1, most);
    leftOut = unlimited;
    int64_t leftHere = leastLeft(searchAmong(configurations));
    left = std::min(left, leftHere);
    std::vector<RankedPlan> plans = ranking.plans(context, objective);
    isProved &= leftHere > most || leftHere >= ranking.leastCost();
    if (plans.empty())
      continue;
    front.add(std::move(plans.front()));
    publishFront(front, leastBound);
  }
  std::vector<RankedPlan> plans = front.take();
  int64_t cost = unlimited;
  if (!plans.empty())
    cost = objective.cost(plans.front().estimate.step(),
                          plans.front().strategy.rankCount());
  return finished(std::move(plans), cost, left, isProved);
}

SearchResult Search::finished(std::vector<RankedPlan> plans, int64_t cost,
                              int64_t left, bool isProved) {
  counts.blockTables += configurationSearch.tableCount();
  return resultOf(std::move(plans),
                  {.counts = counts,
                   .cost = cost,
                   .left = left,
                   .isProved = isProved,
                   .isStopped = isStopped},
                  context, objective);
}

void Search::publish(Outcome outcome) {
  if (!options.progress || options.objective == SearchObjective::Front ||
      ranking.leastCost() == unlimited)
    return;
  if (!published)
    published = std::make_shared<const Ranking>(ranking);
  outcome.counts = counts;
  outcome.counts.blockTables += configurationSearch.tableCount();
  options.progress->publish(
      [context = context, objective = objective, best = published, outcome] {
        return resultOf(best->plans(context, objective), outcome, context,
                        objective);
      });
}

void Search::publishFront(ParetoPlans front, int64_t leastBound) {
  if (!options.progress)
    return;
  Outcome outcome{.counts = counts, .left = leastBound, .isStopped = true};
  outcome.counts.blockTables += configurationSearch.tableCount();
  options.progress->publish([context = context, objective = objective,
                             plans = front.take(), outcome]() mutable {
    const RankedPlan &first = plans.front();
    outcome.cost =
        objective.cost(first.estimate.step(), first.strategy.rankCount());
    return resultOf(plans, outcome, context, objective);
  });
}

} // namespace

SearchResult searchStrategies(const CostContext &context,
                              const SearchOptions &options) {
  auto searchOnly = [](const CostContext &context,
                       const SearchOptions &options) {
    return Search(context, options).run();
  };
  SearchResult result = searchOnly(context, options);
  if (result.plans.empty() && !result.stoppedEarly) {
    SearchOptions any = options;
    if (any.objective == SearchObjective::Front)
      any.objective = SearchObjective::Time;
    result.infeasibility = explainInfeasibility(context, any, searchOnly);
  }
  return result;
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Schedule/ScheduleSearch.h"

#include "ListScheduler.h"
#include "OrderImprovement.h"
#include "shardsmith/Schedule/Families.h"
#include "shardsmith/Strategy/ScheduleTraits.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith::schedule {
namespace {

/// Longer schedules are searched for minutes.
constexpr int64_t mostPasses = int64_t(1) << 18;
/// List schedules with noise that the search starts from.
constexpr uint64_t noisySchedules = 24;
/// Orders that are improved, each for an equal part of the effort; the best of
/// them then gets as much again as all together.
constexpr size_t improvedStarts = 6;

std::string checkShape(const PipelineProblem &problem) {
  auto isRank = [&](int64_t rank) { return rank >= 0 && rank < problem.ranks; };
  if (problem.ranks < 1 || problem.microBatches < 1 || problem.stages.empty())
    return fmt::format("a pipeline needs at least one rank, stage and "
                       "micro-batch, got {}, {} and {}",
                       problem.ranks, problem.stages.size(),
                       problem.microBatches);
  if (problem.rankOfStage.size() != problem.stages.size() ||
      !std::ranges::all_of(problem.rankOfStage, isRank))
    return fmt::format("{} stages need as many ranks from 0 to {}",
                       problem.stages.size(), problem.ranks - 1);
  if (!problem.memoryLimits.empty() &&
      int64_t(problem.memoryLimits.size()) != problem.ranks)
    return fmt::format("{} ranks, memory of {}", problem.ranks,
                       problem.memoryLimits.size());
  auto passes =
      checkedMultiply(int64_t(problem.stages.size()) * 3, problem.microBatches);
  if (!passes || *passes > mostPasses)
    return fmt::format("{} stages with {} micro-batches are more than {} "
                       "passes, too many to search",
                       problem.stages.size(), problem.microBatches, mostPasses);
  return {};
}

std::string checkProblem(const PipelineProblem &problem) {
  if (std::string error = checkShape(problem); !error.empty())
    return error;
  double slowdown = problem.simulation.overlapSlowdown;
  if (!(slowdown >= 1 && slowdown <= 8))
    return fmt::format("the slowdown of overlapped kernels is {}; expected 1 "
                       "to 8",
                       slowdown);
  for (const StageDurations &stage : problem.stages)
    if (stage.savedUntilInput < Bytes(0) || stage.savedUntilWeight < Bytes(0))
      return "a stage saves less than no memory";
  return checkDurations(problem.stages, problem.microBatches);
}

/// The ranks must have room for one micro-batch of all their stages.
std::string checkMemory(const PassCosts &costs) {
  const PipelineProblem &problem = costs.problem;
  for (size_t rank = 0; rank < problem.memoryLimits.size(); ++rank)
    if (Bytes needed = costs.microBatchOn(int64_t(rank));
        needed > problem.memoryLimits[rank])
      return fmt::format(
          "no order of passes fits: the stages of rank {} save {} bytes per "
          "micro-batch, and there is room for {}",
          rank, needed.count(), problem.memoryLimits[rank].count());
  return {};
}

bool hasPairs(const Schedule &schedule) {
  return std::ranges::any_of(schedule.ranks, [](const auto &steps) {
    return std::ranges::any_of(
        steps, [](const Step &step) { return step.partner.has_value(); });
  });
}

class Search {
public:
  Search(const PassCosts &costs, const ScheduleSearchOptions &options)
      : costs(costs), problem(costs.problem), options(options), player(costs) {
    found.lowerBound = costs.busiestRank();
  }

  FoundSchedule run() {
    playFamilies();
    addListSchedules();
    improveStarts();
    return std::move(found);
  }

private:
  /// The schedule's time where it fits the memory and can run.
  std::optional<Nanoseconds> periodOf(const Schedule &schedule) const {
    CommunicationOptions written;
    written.reduceGradients = written.update = true;
    std::string error;
    std::optional<Simulation> played =
        simulate(addCommunication(schedule, written), problem.stages, error,
                 problem.simulation);
    if (!played)
      return std::nullopt;
    for (size_t rank = 0; rank < problem.memoryLimits.size(); ++rank)
      if (played->ranks[rank].peakMemory > problem.memoryLimits[rank])
        return std::nullopt;
    return played->period();
  }

  /// Keeps the schedule if it is faster than all before.
  std::optional<Nanoseconds> offer(const Schedule &schedule) {
    std::optional<Nanoseconds> period = periodOf(schedule);
    bool isBetter =
        period && (found.schedule.ranks.empty() || *period < found.period);
    if (isBetter) {
      found.schedule = schedule;
      found.period = *period;
    }
    return period;
  }

  void playFamilies() {
    auto stages = int64_t(problem.stages.size());
    if (stages % problem.ranks != 0)
      return;
    PipelineShape shape{problem.ranks, stages / problem.ranks,
                        problem.microBatches};
    for (const ScheduleTraits &traits : allScheduleTraits()) {
      bool isAllowed = obstacle(traits.family, shape).empty() &&
                       (options.splitsBackward || !traits.splitsBackward);
      for (int64_t stage = 0; stage < stages; ++stage)
        isAllowed &= problem.rankOfStage[size_t(stage)] ==
                     pipelineRankOf(traits.family, problem.ranks, stage);
      std::string error;
      std::optional<Schedule> schedule;
      if (isAllowed)
        schedule = makeSchedule(traits.family, shape, error);
      std::optional<Nanoseconds> period;
      if (schedule && (options.pairsPasses || !hasPairs(*schedule)))
        period = offer(*schedule);
      if (!period)
        continue;
      found.families.push_back({traits.family, *period});
      addStart(orderOf(*schedule));
      if (options.splitsBackward)
        addStart(withSplitBackward(orderOf(*schedule)));
    }
    std::ranges::sort(found.families, [](const auto &a, const auto &b) {
      return std::tie(a.period, a.family) < std::tie(b.period, b.family);
    });
  }

  void addListSchedules() {
    auto ranks = static_cast<size_t>(problem.ranks);
    for (bool backwardFirst : {true, false})
      for (bool nearLossFirst : {true, false}) {
        ListPriorities priorities;
        priorities.backwardFirst.assign(ranks, backwardFirst);
        priorities.nearLossFirst = nearLossFirst;
        priorities.splitsBackward = options.splitsBackward;
        addStart(listSchedule(costs, priorities));
        priorities.pairsPasses = mayPair();
        addStart(listSchedule(costs, priorities));
      }
    std::mt19937_64 random(options.seed);
    for (uint64_t number = 0; number < noisySchedules; ++number) {
      ListPriorities priorities;
      for (size_t rank = 0; rank < ranks; ++rank)
        priorities.backwardFirst.push_back(random() % 3 > 0);
      priorities.nearLossFirst = random() % 2 > 0;
      priorities.splitsBackward = options.splitsBackward;
      priorities.pairsPasses = mayPair() && number % 2 > 0;
      priorities.noise = double(number % 4) * 0.1;
      priorities.seed = random();
      addStart(listSchedule(costs, priorities));
    }
  }

  void addStart(PassOrder order) {
    if (!player.fits(order))
      return;
    std::optional<OrderCost> cost = player.play(order);
    if (!cost)
      return;
    bool isKnown = std::ranges::any_of(
        starts, [&](const RatedOrder &other) { return other.order == order; });
    if (!isKnown)
      starts.push_back({std::move(order), *cost, starts.size()});
  }

  /// Pairs are worth having where there is communication to hide.
  bool mayPair() const {
    return options.pairsPasses &&
           std::ranges::any_of(problem.stages, [](const auto &stage) {
             return stage.forwardCommunication + stage.backwardCommunication >
                    Nanoseconds(0);
           });
  }

  void improveStarts() {
    std::ranges::sort(starts, [](const auto &a, const auto &b) {
      return std::tie(a.cost, a.number) < std::tie(b.cost, b.number);
    });
    if (starts.size() > improvedStarts)
      starts.resize(improvedStarts);
    ImprovementOptions moves;
    moves.splitsBackward = options.splitsBackward;
    moves.pairsPasses = mayPair();
    moves.seed = options.seed;
    auto better = [&](const RatedOrder &from, int64_t effort) {
      RatedOrder order = improve(player, from, effort, found.lowerBound, moves);
      ++moves.seed;
      offer(scheduleOf(order.order, int64_t(problem.stages.size()),
                       problem.microBatches));
      return order;
    };
    int64_t share = options.effort / int64_t(2 * improvedStarts);
    for (RatedOrder &start : starts)
      start = better(start, share);
    auto best = std::ranges::min_element(starts, {}, &RatedOrder::cost);
    if (best != starts.end())
      better(*best, options.effort / 2);
  }

  const PassCosts &costs;
  const PipelineProblem &problem;
  const ScheduleSearchOptions &options;
  OrderPlayer player;
  std::vector<RatedOrder> starts;
  FoundSchedule found;
};

} // namespace

std::optional<FoundSchedule>
searchSchedule(const PipelineProblem &problem, std::string &error,
               const ScheduleSearchOptions &options) {
  error = checkProblem(problem);
  if (!error.empty())
    return std::nullopt;
  PassCosts costs(problem);
  error = checkMemory(costs);
  if (!error.empty())
    return std::nullopt;
  return Search(costs, options).run();
}

} // namespace shardsmith::schedule

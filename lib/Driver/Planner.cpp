// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/Planner.h"

#include "shardsmith/Driver/Interrupt.h"
#include "shardsmith/Driver/ProgressLine.h"
#include "shardsmith/Driver/ResourceWatch.h"
#include "shardsmith/Driver/SearchEnd.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/UnlessStopped.h"
#include "shardsmith/Plan/Search/SearchProgress.h"
#include "shardsmith/PlanFiles/PlanReport.h"

#include <fmt/format.h>

namespace shardsmith {

namespace {

/// All that a search uses; it may outlive the command.
struct RunningSearch {
  std::shared_ptr<const PlanningInputs> inputs;
  SearchOptions options;
  SearchProgress progress;
  ResourceWatch::Search watched;
};

/// To its end; or, where it is told to stop and does not, what it had found
/// until then.
SearchResult searchWithProgress(std::shared_ptr<const PlanningInputs> inputs,
                                const SearchOptions &options) {
  ProgressLine progress("search");
  auto search = std::make_shared<RunningSearch>();
  search->inputs = std::move(inputs);
  search->options = options;
  search->options.progress = &search->progress;
  search->options.isMemoryShort = search->watched.isMemoryShort();
  auto start = std::chrono::steady_clock::now();
  auto isStopped = [&] {
    return *options.cancelled || ResourceWatch::wasMemoryShort() ||
           (options.timeLimit &&
            std::chrono::steady_clock::now() - start >= *options.timeLimit);
  };
  auto run = [search] {
    return searchStrategies(search->inputs->context(), search->options);
  };
  if (std::optional<SearchResult> result = unlessStopped(run, isStopped))
    return std::move(*result);
  if (std::optional<SearchResult> best = search->progress.soFar())
    return std::move(*best);
  SearchResult nothing;
  nothing.stoppedEarly = true;
  return nothing;
}

SearchObjective objectiveOf(const PlanningRequest &request) {
  if (request.objective == "front")
    return SearchObjective::Front;
  return request.objective == "dollars" ? SearchObjective::Dollars
                                        : SearchObjective::Time;
}

/// What a search that was stopped may have missed.
std::string lossOf(SearchObjective objective, const SearchResult &result) {
  if (objective == SearchObjective::Front)
    return "plans may be missing on the front";
  return fmt::format("there may be a better plan (gap {:.1f} %)",
                     result.gap() * 100);
}

SearchEnd endOf(bool stoppedEarly, const PlanningRequest &request) {
  if (stoppedEarly && ResourceWatch::wasMemoryShort())
    return searchEndByMemory(request.given.contains("max-memory"));
  return searchEnd(stoppedEarly, request.given.contains("time-limit"),
                   InterruptFlag::wasSet());
}

} // namespace

SearchResult runSearch(const std::shared_ptr<const PlanningInputs> &inputs,
                       const SearchConstraints &constraints,
                       const PlanningRequest &request, double timeShare) {
  return runSearch(inputs, constraints, request, timeShare, nullptr);
}

SearchResult runSearch(const std::shared_ptr<const PlanningInputs> &inputs,
                       const SearchConstraints &constraints,
                       const PlanningRequest &request, double timeShare,
                       std::shared_ptr<PlanReceiver> receiver, bool isQuiet) {
  SearchOptions options;
  options.constraints = constraints;
  options.objective = objectiveOf(request);
  options.planCount = request.top;
  options.simplestOfEquals = !receiver;
  options.receiver = std::move(receiver);
  options.threads = request.threads;
  if (request.timeLimit > 0)
    options.timeLimit =
        std::chrono::milliseconds(int64_t(request.timeLimit * 1e3));
  // What was spent on reading the model counts, too.
  if (auto left = ResourceWatch::timeLeft())
    options.timeLimit =
        std::chrono::milliseconds(int64_t(double(left->count()) * timeShare));
  InterruptFlag interrupt;
  options.cancelled = interrupt.flag();
  SearchResult result = searchWithProgress(inputs, options);
  if (result.plans.empty())
    return result;
  if (result.stoppedEarly && !isQuiet) {
    bool byMemory = ResourceWatch::wasMemoryShort();
    fmt::print(stderr, "{}\n",
               noteAfter(endOf(result.stoppedEarly, request),
                         byMemory ? request.maxMemory : request.timeLimit,
                         lossOf(options.objective, result)));
  }
  return result;
}

ExitCode exitCodeAfterSearch(bool stoppedEarly,
                             const PlanningRequest &request) {
  return exitCodeAfter(endOf(stoppedEarly, request));
}

namespace {

/// The search's own record, as pairs for the file.
std::vector<std::pair<std::string, int64_t>> pairsOf(const SearchCounts &c) {
  return {{"classes", c.configurations},
          {"classes bounded out", c.configurationsBoundedOut},
          {"classes too large", c.configurationsTooLarge},
          {"block tables", c.blockTables},
          {"candidates", c.candidates},
          {"candidates bounded out", c.candidatesBoundedOut},
          {"candidates too large", c.candidatesTooLarge},
          {"stage partitions", c.partitions}};
}

} // namespace

PlanDocument toDocument(const PlanningInputs &inputs,
                        const PlanningRequest &request,
                        const SearchResult &result) {
  PlanDocument document = inputs.emptyDocument();
  document.options = toOptions(request);
  const RankedPlan &best = result.plans.front();
  document.strategy = best.strategy;
  document.layouts = nameLayouts(inputs.workload(), best.strategy);
  document.estimate = best.estimate;
  document.dollars = best.dollars;
  document.checkpoints = checkpointsOf(inputs.context(), best.strategy);
  document.search = {request.objective,
                     result.cost,
                     result.lowerBound,
                     result.proof == ProofKind::Exact ? PlanProof::Exact
                                                      : PlanProof::Bounded,
                     pairsOf(result.counts),
                     result.stoppedEarly};
  for (size_t index = 1; index < result.plans.size(); ++index) {
    const RankedPlan &plan = result.plans[index];
    PlanAlternative &other = document.alternatives.emplace_back();
    other.strategy = plan.strategy;
    other.strategy.layouts.clear();
    other.estimate = plan.estimate;
    other.dollars = plan.dollars;
    other.reason = plan.whyNotFirst;
  }
  return document;
}

std::string describeInfeasibility(const Infeasibility &infeasibility,
                                  const Cluster &cluster) {
  if (!infeasibility.nearest || !infeasibility.estimate)
    return infeasibility.contradiction + "\n";
  const StepEstimate &estimate = *infeasibility.estimate;
  const StageEstimate &rank = estimate.ranks.at(estimate.fullestRank);
  std::string text = fmt::format(
      "nothing fits {}: the nearest plan ({}) needs {} per device, {} are "
      "usable, {} short; the largest part is {}\n",
      cluster.name, infeasibility.nearest->str(),
      describeBytes(rank.memory.total()), describeBytes(rank.memoryLimit),
      describeBytes(infeasibility.missing), infeasibility.largestItem);
  for (const TriedChange &change : infeasibility.tried)
    text += fmt::format("  with {}: {}\n", change.change,
                        change.fits ? "fits" : "does not fit either");
  return text + fmt::format("  with {} more usable memory per device: fits\n",
                            describeBytes(infeasibility.missing));
}

void failWithoutPlan(const SearchResult &result, const Cluster &cluster) {
  if (!result.infeasibility && ResourceWatch::wasMemoryShort())
    fail(ExitCode::TimeLimit, "memory was short before the search found a "
                              "plan; --max-memory allows more, 0 as much as "
                              "there is");
  if (!result.infeasibility)
    fail(ExitCode::TimeLimit, "the search was stopped before it found a plan; "
                              "--time-limit gives it longer, 0 as long as it "
                              "takes");
  std::string text = describeInfeasibility(*result.infeasibility, cluster);
  text.pop_back();
  if (!result.infeasibility->estimate)
    fail(ExitCode::Usage, text);
  fail(ExitCode::NothingFits,
       text + "\n" + describeMemory(*result.infeasibility->estimate));
}

} // namespace shardsmith

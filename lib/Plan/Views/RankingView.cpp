// SPDX-License-Identifier: Apache-2.0

#include "SearchViewParts.h"

namespace shardsmith::search {

namespace {

void addInfeasibility(const Infeasibility &reason, ViewText &text) {
  if (!reason.contradiction.empty())
    text.line("contradiction: {}", reason.contradiction);
  if (reason.nearest) {
    text.line("nearest: {}", reason.nearest->str());
    text.line("missing: {} bytes, most are {}", reason.missing.count(),
              reason.largestItem);
  }
  for (const TriedChange &change : reason.tried)
    text.line("tried: {}, {}", change.change,
              change.fits ? "fits" : "does not fit");
}

void addMemory(const StepEstimate &estimate, ViewText &text) {
  const StageEstimate &rank = estimate.ranks[estimate.fullestRank];
  const MemorySplit &memory = rank.memory;
  text.line("  rank {}: {} of {} bytes; parameters {}, gradients {}, states "
            "{}, activations {} for {} micro-batches, workspace {}, messages "
            "{}, overhead {}",
            estimate.fullestRank, memory.total().count(),
            rank.memoryLimit.count(), memory.parameters.count(),
            memory.gradients.count(), memory.optimizerState.count(),
            memory.activations.count(), rank.inFlight, memory.workspace.count(),
            memory.communication.count(), memory.overhead.count());
}

void addTimes(const TimeSplit &time, ViewText &text) {
  std::string exchanges;
  for (const auto &[name, axis] : unitAxes<Nanoseconds>)
    exchanges += fmt::format("{} {}, ", name, (time.*axis).count());
  text.line("  time: compute {}, recompute {}, {}data {}, pipeline {}, bubble "
            "{}, optimizer {}, straggler {}, fixed {}",
            time.compute.count(), time.recompute.count(), exchanges,
            time.data.count(), time.pipeline.count(), time.bubble.count(),
            time.optimizer.count(), time.straggler.count(), time.fixed.count());
}

} // namespace

std::string showRanking(const CostContext &context,
                        const SearchOptions &options) {
  SearchResult result = searchStrategies(context, options);
  const SearchCounts &counts = result.counts;
  ViewText text;
  text.line("ranking: {} plans of {} configurations", result.plans.size(),
            counts.configurations);
  if (!result.plans.empty())
    text.line("proof: {}, cost {}, no plan below {}", nameOf(result.proof),
              result.cost, result.lowerBound);
  if (result.stoppedEarly)
    text.line("stopped before the end");
  text.line("excluded: {} without room, {} by bounds",
            counts.configurationsTooLarge, counts.configurationsBoundedOut);
  if (result.infeasibility)
    addInfeasibility(*result.infeasibility, text);
  size_t place = 1;
  for (const RankedPlan &plan : result.plans) {
    text.line("plan {}: {} {}", place++, plan.estimate.step().count(),
              plan.strategy.str());
    if (plan.dollars)
      text.line("  price of a step: {:.6g}", *plan.dollars);
    addTimes(plan.estimate.time, text);
    addMemory(plan.estimate, text);
    if (!plan.whyNotFirst.empty())
      text.line("  not first: {}", plan.whyNotFirst);
  }
  return text.take();
}

} // namespace shardsmith::search

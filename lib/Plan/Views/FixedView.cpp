// SPDX-License-Identifier: Apache-2.0

#include "SearchViewParts.h"

#include "shardsmith/Plan/Fixed/FixedPlan.h"

#include <algorithm>

namespace shardsmith::search {

namespace {

/// The plan of the constraints: what they fix, and 1 or nothing elsewhere.
FixedPlan planOf(const SearchConstraints &constraints) {
  FixedPlan plan;
  for (const DegreeTraits &traits : allDegrees())
    plan[traits.degree] = constraints[traits.degree].least;
  plan.microBatch = constraints.microBatch.least;
  auto firstAllowed = [](const auto &choices) {
    return std::ranges::find(choices, true) - choices.begin();
  };
  plan.zeroStage = int(firstAllowed(constraints.zero));
  plan.recompute = Recompute(firstAllowed(constraints.recompute));
  plan.sequenceParallel = constraints.sequenceParallel;
  return plan;
}

} // namespace

std::string showFixed(const CostContext &context,
                      const SearchConstraints &constraints) {
  FixedPlan plan = planOf(constraints);
  ViewText text;
  std::vector<int64_t> begins =
      equalStages(context.workload, plan.pipeline * plan.virtualStages);
  if (begins.empty())
    text.line("equal stages: fewer layers than stages");
  else
    text.line("equal stages: begin at {}", joined(begins, [](int64_t begin) {
                return fmt::format("{}", begin);
              }));
  std::string problem;
  std::optional<Strategy> strategy = strategyOf(context, plan, problem);
  if (!strategy) {
    text.line("no plan: {}", problem);
    return text.take();
  }
  StepEstimate estimate = estimateStep(context, *strategy);
  text.line("plan: {} {}", estimate.step().count(), strategy->str());
  text.line("{}", estimate.fits() ? "fits" : "does not fit");
  return text.take();
}

} // namespace shardsmith::search

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/RuntimePlanning.h"

#include "SayablePlans.h"

#include "shardsmith/Driver/Planner.h"
#include "shardsmith/Driver/ResourceWatch.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/PlanFiles/PlanReport.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace shardsmith {
namespace {

/// Plans of one space that are looked at where the runtime can say fewer than
/// are asked for. The search ranks one for each configuration, and takes longer
/// the more it has to rank; only where the runtime can say none of them it
/// ranks so many times more.
constexpr size_t plansPerSpace = 16, timesMore = 8;

class RuntimeSearch {
public:
  RuntimeSearch(const std::shared_ptr<const PlanningInputs> &inputs,
                const emit::ModelNames &names,
                const RuntimeDescription &runtime,
                const PlanningRequest &request, const RuntimeLeniency &leniency)
      : inputs(inputs), runtime(runtime), request(request), leniency(leniency),
        sayable(std::make_shared<SayablePlans>(inputs, names, *runtime.target,
                                               leniency, request.top)) {
    if (!leniency.keepsForm)
      parameterSplits = emit::parameterSplits(
          *runtime.target, this->inputs->workload(), names.shapes);
  }

  RuntimePlan run() {
    std::string why = emit::modelObstacle(*runtime.target, inputs->workload());
    if (!why.empty()) {
      note(ExitCode::Unsupported, "its files cannot say " + why);
      return best();
    }
    bool hasExperts = inputs->workload().fewestExperts().has_value();
    std::vector<size_t> searched;
    for (size_t space = 0; space < runtime.spaces.size(); ++space)
      if (hasExperts || !runtime.spaces[space].onlyWithExperts)
        if (searchSpace(space))
          searched.push_back(space);
    note(sayable->obstacleCode(), sayable->obstacle());
    if (sayable->plans().empty() && !stoppedEarly && leniency.explains)
      explain(searched);
    return best();
  }

private:
  PlanningRequest requestIn(size_t space) const {
    PlanningRequest narrowed = request;
    narrowed.fix = joinConstraints(request.fix, runtime.spaces[space].fix);
    narrowed.forbid =
        joinConstraints(request.forbid, runtime.spaces[space].forbid);
    return narrowed;
  }

  /// Nothing where the space and what the user fixes contradict each other.
  std::optional<SearchConstraints> constraintsIn(size_t space) {
    PlanningRequest narrowed = requestIn(space);
    SearchConstraints constraints;
    std::optional<std::string> problem;
    if (!narrowed.fix.empty())
      problem = constraints.fix(narrowed.fix);
    if (!problem && !narrowed.forbid.empty())
      problem = constraints.forbid(narrowed.forbid);
    if (!problem)
      return constraints;
    note(ExitCode::Usage,
         fmt::format("it cannot run what is given: it runs plans with {}, "
                     "and {}",
                     describeSpace(space), *problem));
    return std::nullopt;
  }

  std::string describeSpace(size_t space) const {
    const std::string &fix = runtime.spaces[space].fix;
    const std::string &forbid = runtime.spaces[space].forbid;
    if (forbid.empty())
      return fix;
    return fix.empty() ? "no " + forbid : fix + " and no " + forbid;
  }

  /// What is searched under `constraints`, with one name for all that costs the
  /// same: where attention is one kernel, selective recomputation may have
  /// nothing to drop, and is none.
  SearchConstraints pricedUnder(SearchConstraints constraints) const {
    const StackProfile &profile = inputs->profile();
    if (!profile.fusedAttention || profile.selectiveKeepsProducts)
      return constraints;
    bool &isSelective = constraints.recompute[size_t(Recompute::Selective)];
    constraints.recompute[size_t(Recompute::None)] |= isSelective;
    isSelective = false;
    return constraints;
  }

  /// False if there is nothing to search, or nothing better to find.
  bool searchSpace(size_t space) {
    std::optional<SearchConstraints> constraints = constraintsIn(space);
    if (!constraints)
      return false;
    SearchConstraints priced = pricedUnder(*constraints);
    if (std::ranges::find(provedSpaces, priced) != provedSpaces.end())
      return false;
    if (ResourceWatch::mustHurry()) {
      stoppedEarly = true;
      return false;
    }
    PlanningRequest all = request;
    all.top = std::max(request.top, plansPerSpace);
    // Each of the spaces that are left gets as much time as any other.
    double share = leniency.timeShare / double(runtime.spaces.size() - space);
    sayable->beginSpace(space);
    SearchResult result;
    constraints->parameterSplits = parameterSplits;
    while (true) {
      result = runSearch(inputs, *constraints, all, share, sayable,
                         /*isQuiet=*/!leniency.explains);
      counts += result.counts;
      if (!sayable->plans().empty() || result.stoppedEarly ||
          result.plans.size() < all.top)
        break;
      all.top *= timesMore;
    }
    stoppedEarly |= result.stoppedEarly;
    if (!result.stoppedEarly && sayable->keptAllPrices())
      provedSpaces.push_back(std::move(priced));
    // A space without plans has none within the limit that others have set.
    if (!result.plans.empty() || result.stoppedEarly)
      lowerBound = std::min(lowerBound, result.lowerBound);
    return true;
  }

  /// Why nothing fits. That takes several searches, so it is asked for only
  /// where no space has a plan. Plans that fit with parameters split as the
  /// runtime's files cannot say show what else is in the way.
  void explain(const std::vector<size_t> &spaces) {
    for (size_t space : spaces) {
      if (int(obstacleCode) >= int(ExitCode::NothingFits) ||
          !sayable->plans().empty())
        return;
      PlanningRequest one = request;
      one.top = 1;
      SearchResult result = runSearch(inputs, *constraintsIn(space), one);
      if (!result.plans.empty()) {
        lowerBound = std::min(lowerBound, result.lowerBound);
        sayable->beginSpace(space);
        sayable->take(std::move(result.plans.front()));
        note(sayable->obstacleCode(), sayable->obstacle());
      }
      if (result.infeasibility)
        note(result.infeasibility->estimate ? ExitCode::NothingFits
                                            : ExitCode::Usage,
             describeInfeasibility(*result.infeasibility, inputs->cluster()));
    }
  }

  /// Of several obstacles the one that is nearest to a plan, and of these the
  /// first.
  void note(ExitCode code, std::string text) {
    if (int(code) <= int(obstacleCode))
      return;
    obstacleCode = code;
    obstacle = std::move(text);
  }

  RuntimePlan best() {
    RuntimePlan found;
    found.obstacle = std::move(obstacle);
    found.obstacleCode = obstacleCode;
    found.request = request;
    found.result.stoppedEarly = stoppedEarly;
    std::vector<SayablePlan> plans = sayable->plans();
    if (plans.empty())
      return found;
    SayablePlan &first = plans.front();
    found.obstacle.clear();
    found.request = requestIn(first.space);
    found.emission = std::move(first.emission);
    found.changes = std::move(first.changes);
    const StepEstimate chosen = first.plan.estimate;
    for (SayablePlan &one : plans) {
      if (!found.result.plans.empty())
        one.plan.whyNotFirst = whyBehind(chosen, one.plan.estimate);
      found.result.plans.push_back(std::move(one.plan));
    }
    found.result.cost = chosen.step().count();
    found.result.lowerBound = std::min(lowerBound, found.result.cost);
    found.result.proof = found.result.lowerBound == found.result.cost
                             ? ProofKind::Exact
                             : ProofKind::Bounded;
    found.result.counts = counts;
    return found;
  }

  const std::shared_ptr<const PlanningInputs> &inputs;
  const RuntimeDescription &runtime;
  const PlanningRequest &request;
  const RuntimeLeniency &leniency;
  const std::shared_ptr<SayablePlans> sayable;
  /// How parameters may lie so that the runtime's files say them; null if in
  /// any way.
  std::shared_ptr<const workload::ParameterSplits> parameterSplits;
  /// Of the spaces that were searched, those in which the runtime has the best
  /// plan there is.
  std::vector<SearchConstraints> provedSpaces;
  std::string obstacle;
  ExitCode obstacleCode = ExitCode::Success;
  int64_t lowerBound = std::numeric_limits<int64_t>::max();
  SearchCounts counts;
  bool stoppedEarly = false;
};

} // namespace

std::string whyBehind(const StepEstimate &first, const StepEstimate &other) {
  double slower =
      double(other.step().count()) / double(first.step().count()) - 1;
  return fmt::format("{:.1f} % slower: {}", 100 * slower, whyNot(first, other));
}

RuntimePlan planForRuntime(const std::shared_ptr<const PlanningInputs> &inputs,
                           const emit::ModelNames &names,
                           const RuntimeDescription &runtime,
                           const PlanningRequest &request,
                           const RuntimeLeniency &leniency) {
  return RuntimeSearch(inputs, names, runtime, request, leniency).run();
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/RuntimePlanning.h"

#include "shardsmith/Driver/EmitInputs.h"
#include "shardsmith/Driver/Planner.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/PlanFiles/PlanReport.h"
#include "shardsmith/Support/StableSort.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith {
namespace {

/// Plans of one space that are looked at. The search ranks one for each
/// configuration, and takes longer the more it has to rank.
constexpr size_t plansPerSpace = 16;

std::string joined(const std::string &first, const std::string &second) {
  return first.empty() || second.empty() ? first + second
                                         : first + "," + second;
}

/// `4.3 % slower: context communication +259.7 ms`
std::string whyBehind(const StepEstimate &first, const StepEstimate &other) {
  double slower =
      double(other.step().count()) / double(first.step().count()) - 1;
  return fmt::format("{:.1f} % slower: {}", 100 * slower, whyNot(first, other));
}

/// A plan that the runtime can run.
struct Sayable {
  RankedPlan plan;
  emit::Emission emission;
  std::vector<emit::Change> changes;
  size_t space = 0;
};

class RuntimeSearch {
public:
  RuntimeSearch(const std::shared_ptr<const PlanningInputs> &inputs,
                const emit::ParameterShapes &shapes,
                const RuntimeDescription &runtime,
                const PlanningRequest &request)
      : inputs(inputs), shapes(shapes), runtime(runtime), request(request),
        empty(inputs->emptyDocument()) {}

  RuntimePlan run() {
    std::string why = emit::modelObstacle(*runtime.target, inputs->workload());
    if (!why.empty()) {
      note(ExitCode::Unsupported, "its files cannot say " + why);
      return best();
    }
    bool hasExperts = inputs->workload().fewestExperts().has_value();
    for (size_t space = 0; space < runtime.spaces.size(); ++space)
      if (hasExperts || !runtime.spaces[space].onlyWithExperts)
        searchSpace(space);
    return best();
  }

private:
  PlanningRequest requestIn(size_t space) const {
    PlanningRequest narrowed = request;
    narrowed.fix = joined(request.fix, runtime.spaces[space].fix);
    narrowed.forbid = joined(request.forbid, runtime.spaces[space].forbid);
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

  void searchSpace(size_t space) {
    std::optional<SearchConstraints> constraints = constraintsIn(space);
    if (!constraints)
      return;
    PlanningRequest all = request;
    all.top = std::max(request.top, plansPerSpace);
    // Each of the spaces that are left gets as much time as any other.
    double share = 1 / double(runtime.spaces.size() - space);
    SearchResult result = runSearch(inputs, *constraints, all, share);
    stoppedEarly |= result.stoppedEarly;
    if (result.plans.empty()) {
      if (result.infeasibility)
        note(result.infeasibility->estimate ? ExitCode::NothingFits
                                            : ExitCode::Usage,
             describeInfeasibility(*result.infeasibility, inputs->cluster()));
      return;
    }
    lowerBound = lowerBound ? std::min(*lowerBound, result.lowerBound)
                            : result.lowerBound;
    counts = result.counts;
    size_t before = sayable.size();
    for (RankedPlan &plan : result.plans)
      if (sayable.size() - before < request.top)
        offer(std::move(plan), space);
  }

  void offer(RankedPlan plan, size_t space) {
    PlanDocument document = empty;
    Nanoseconds planned = plan.estimate.step();
    document.strategy = std::move(plan.strategy);
    document.layouts = nameLayouts(inputs->workload(), document.strategy);
    document.estimate = std::move(plan.estimate);
    emit::Adaptation adaptation =
        emit::adaptTo(*runtime.target, emitInput(document, *inputs, shapes));
    if (!adaptation.changes.empty()) {
      document.strategy = adaptation.strategy;
      document.layouts = nameLayouts(inputs->workload(), document.strategy);
      document.estimate = estimateStep(inputs->context(), document.strategy);
    }
    emit::Emission emission =
        emit::emitPlan(*runtime.target, emitInput(document, *inputs, shapes));
    if (!emission.obstacles.empty() || !document.estimate.fits()) {
      noteObstacle(document, emission);
      return;
    }
    auto isSame = [&](const Sayable &other) {
      return other.plan.strategy == document.strategy;
    };
    if (std::ranges::any_of(sayable, isSame))
      return;
    // The same devices for another time.
    if (plan.dollars)
      *plan.dollars *=
          double(document.estimate.step().count()) / double(planned.count());
    plan.strategy = std::move(document.strategy);
    plan.estimate = std::move(document.estimate);
    plan.whyNotFirst.clear();
    sayable.push_back({std::move(plan), std::move(emission),
                       std::move(adaptation.changes), space});
  }

  void noteObstacle(const PlanDocument &document,
                    const emit::Emission &emission) {
    if (emission.obstacles.empty())
      note(ExitCode::NothingFits, "as it lays plans out none fits the memory");
    else
      note(ExitCode::Unsupported,
           fmt::format("its files cannot say {} of the plan {}",
                       emission.obstacles.front().decision,
                       document.strategy.str()));
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
    if (sayable.empty())
      return found;
    stableSortBy(sayable,
                 [](const Sayable &one) { return one.plan.estimate.step(); });
    found.obstacle.clear();
    found.request = requestIn(sayable.front().space);
    found.emission = sayable.front().emission;
    found.changes = sayable.front().changes;
    const StepEstimate chosen = sayable.front().plan.estimate;
    for (Sayable &one : sayable)
      if (found.result.plans.size() < request.top) {
        if (!found.result.plans.empty())
          one.plan.whyNotFirst = whyBehind(chosen, one.plan.estimate);
        found.result.plans.push_back(std::move(one.plan));
      }
    found.result.cost = chosen.step().count();
    found.result.lowerBound = std::min(*lowerBound, found.result.cost);
    found.result.proof = found.result.lowerBound == found.result.cost
                             ? ProofKind::Exact
                             : ProofKind::Bounded;
    found.result.counts = counts;
    return found;
  }

  const std::shared_ptr<const PlanningInputs> &inputs;
  const emit::ParameterShapes &shapes;
  const RuntimeDescription &runtime;
  const PlanningRequest &request;
  /// Of the inputs alone.
  const PlanDocument empty;
  std::vector<Sayable> sayable;
  std::string obstacle;
  ExitCode obstacleCode = ExitCode::Success;
  std::optional<int64_t> lowerBound;
  SearchCounts counts;
  bool stoppedEarly = false;
};

} // namespace

RuntimePlan planForRuntime(const std::shared_ptr<const PlanningInputs> &inputs,
                           const emit::ParameterShapes &shapes,
                           const RuntimeDescription &runtime,
                           const PlanningRequest &request) {
  return RuntimeSearch(inputs, shapes, runtime, request).run();
}

std::string compareRuntimes(const std::shared_ptr<const PlanningInputs> &inputs,
                            const emit::ParameterShapes &shapes,
                            const PlanningRequest &request) {
  SearchResult all = runSearch(inputs, constraintsOf(request), request);
  if (all.plans.empty())
    failWithoutPlan(all, inputs->cluster());
  const RankedPlan &first = all.plans.front();
  Nanoseconds least = first.estimate.step();
  std::vector<std::vector<std::string>> rows = {
      {"runtime ", "plan ", "step", "", "memory per rank"}};
  auto add = [&](const std::string &name, const RankedPlan &plan) {
    const StageEstimate &rank = plan.estimate.ranks[plan.estimate.fullestRank];
    double slower =
        double(plan.estimate.step().count()) / double(least.count()) - 1;
    rows.push_back({name, plan.strategy.str(),
                    describeTime(plan.estimate.step()),
                    fmt::format("{:+.1f} %", 100 * slower),
                    describeBytes(rank.memory.total())});
  };
  std::string reasons;
  add("any", first);
  for (const std::string &name : builtinRuntimeNames()) {
    RuntimePlan plan =
        planForRuntime(inputs, shapes, requireRuntime(name), request);
    if (plan.result.plans.empty()) {
      rows.push_back({name, "-", "-", "-", "-"});
      reasons += fmt::format("{} runs none: {}\n", name,
                             plan.obstacle.substr(0, plan.obstacle.find('\n')));
      continue;
    }
    add(name, plan.result.plans.front());
    if (plan.result.plans.front().estimate.step() > least)
      reasons += fmt::format(
          "{} is {}\n", name,
          whyBehind(first.estimate, plan.result.plans.front().estimate));
  }
  return describeTable(rows) + "\n" + reasons;
}

} // namespace shardsmith

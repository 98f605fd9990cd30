// SPDX-License-Identifier: Apache-2.0

#include "MissingFeature.h"

#include <algorithm>
#include <set>

namespace shardsmith {
namespace {

constexpr std::string_view layouts = "layouts";

/// Every extra search gets this part of the default time limit.
constexpr double partOfLimit = 0.1;

/// Choices that adapting a plan takes back.
constexpr std::string_view takenBack[] = {"sp", "features", "recomputed"};

using Choices = std::set<const Restriction *>;

/// The choices in which a plan is none of the space.
Choices deniedIn(const SearchConstraints &space, const Strategy &strategy,
                 const workload::Workload &workload) {
  Choices denied;
  for (const Restriction &choice : allRestrictions())
    if (!choice.allows(space, strategy, workload))
      denied.insert(&choice);
  return denied;
}

/// Whether no space has the plan.
bool isOutside(const std::vector<SearchConstraints> &spaces,
               const Strategy &strategy, const workload::Workload &workload) {
  return std::ranges::none_of(spaces, [&](const SearchConstraints &space) {
    return deniedIn(space, strategy, workload).empty();
  });
}

class FeatureSearch {
public:
  explicit FeatureSearch(const FeatureQuestion &question)
      : question(question), workload(question.inputs->workload()),
        request(question.request) {
    bool hasExperts = workload.fewestExperts().has_value();
    for (const RuntimeConstraints &space : question.runtime.spaces)
      if (hasExperts || !space.onlyWithExperts)
        spaces.push_back(constraintsOf(space));
    request.top = 1;
    if (!request.given.contains("time-limit"))
      request.timeLimit *= partOfLimit;
    if (!question.own.result.plans.empty())
      fastest = question.own.result.cost;
  }

  FeatureAnswer run() {
    collect();
    size_t left = features.size() + triesLayouts;
    for (const Restriction *choice : features)
      tryChoice(*choice, left--);
    if (triesLayouts)
      tryLayouts();
    return std::move(answer);
  }

private:
  /// Which features are worth a search: those that stand alone between a plan
  /// and a space first, as these leave the others little to find.
  void collect() {
    std::vector<const Restriction *> alone, together;
    for (const RankedPlan &plan : question.free) {
      std::vector<Choices> sets;
      for (const SearchConstraints &space : spaces)
        sets.push_back(deniedIn(space, plan.strategy, workload));
      for (const Choices &set : sets) {
        bool isSmallest = std::ranges::none_of(sets, [&](const Choices &other) {
          return other.size() < set.size() && std::ranges::includes(set, other);
        });
        triesLayouts |= set.empty();
        if (isSmallest)
          std::ranges::copy(
              set, std::back_inserter(set.size() == 1 ? alone : together));
      }
    }
    triesLayouts |= !question.own.changes.empty();
    alone.insert(alone.end(), together.begin(), together.end());
    for (const Restriction *choice : alone)
      if (std::ranges::find(features, choice) == features.end())
        features.push_back(choice);
  }

  /// `searches`: that are left, this one included.
  RuntimeLeniency leniencyFor(size_t searches) const {
    RuntimeLeniency leniency;
    leniency.explains = false;
    leniency.timeShare = question.timeShare / double(searches);
    if (fastest)
      leniency.mostTime = Nanoseconds(*fastest - 1);
    return leniency;
  }

  void tryChoice(const Restriction &choice, size_t searches) {
    RuntimeLeniency leniency = leniencyFor(searches);
    leniency.mayBeUnsaid = [spaces = spaces,
                            inputs = question.inputs](const Strategy &plan) {
      return isOutside(spaces, plan, inputs->workload());
    };
    leniency.keepsForm =
        std::ranges::find(takenBack, choice.name) != std::end(takenBack);
    std::optional<RankedPlan> plan =
        search(withoutRestriction(choice, question.runtime), leniency);
    if (!plan)
      return;
    RuntimeConstraints parts = partsAbout(choice, question.runtime);
    std::string value = choice.chosen(plan->strategy);
    answer.most = {std::string(choice.name), std::move(value), parts.fix,
                   parts.forbid, std::move(*plan)};
  }

  void tryLayouts() {
    RuntimeLeniency leniency = leniencyFor(1);
    leniency.mayBeUnsaid = [](const Strategy &) { return true; };
    leniency.keepsForm = true;
    if (std::optional<RankedPlan> plan = search(question.runtime, leniency))
      answer.most = {std::string(layouts), "", "", "", std::move(*plan)};
  }

  /// A plan that is faster than any before.
  std::optional<RankedPlan> search(const RuntimeDescription &runtime,
                                   const RuntimeLeniency &leniency) {
    // No runtime is faster than none.
    if (fastest && *fastest <= question.free.front().estimate.step().count())
      return std::nullopt;
    RuntimePlan found = planForRuntime(question.inputs, question.names, runtime,
                                       request, leniency);
    answer.stoppedEarly |= found.result.stoppedEarly;
    if (found.result.plans.empty())
      return std::nullopt;
    fastest = found.result.cost;
    return std::move(found.result.plans.front());
  }

  const FeatureQuestion &question;
  const workload::Workload &workload;
  PlanningRequest request;
  /// What the runtime asks for, without what the user does.
  std::vector<SearchConstraints> spaces;
  std::vector<const Restriction *> features;
  bool triesLayouts = false;
  /// Nanoseconds of the fastest plan so far.
  std::optional<int64_t> fastest;
  FeatureAnswer answer;
};

} // namespace

FeatureAnswer findMissingFeature(const FeatureQuestion &question) {
  return FeatureSearch(question).run();
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "SayablePlans.h"

#include "shardsmith/Driver/EmitInputs.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith {
namespace {

Nanoseconds stepOf(const SayablePlan &sayable) {
  return sayable.plan.estimate.step();
}

/// Whether they differ in micro-batch, schedule, stages and layouts alone.
bool isSameLine(const SayablePlan &a, const SayablePlan &b) {
  PerDegree<int64_t> degrees = a.plan.strategy, other = b.plan.strategy;
  degrees.virtualStages = other.virtualStages;
  return a.space == b.space && degrees == other;
}

} // namespace

SayablePlans::SayablePlans(std::shared_ptr<const PlanningInputs> inputs,
                           emit::ModelNames names, const emit::Target &target,
                           RuntimeLeniency leniency, size_t count)
    : inputs(std::move(inputs)), names(std::move(names)), target(target),
      leniency(std::move(leniency)), count(std::max<size_t>(count, 1)),
      empty(this->inputs->emptyDocument()) {}

void SayablePlans::beginSpace(size_t next) {
  std::lock_guard lock(mutex);
  space = next;
  keepsPrices = true;
}

bool SayablePlans::keptAllPrices() const {
  std::lock_guard lock(mutex);
  return keepsPrices;
}

std::vector<emit::Change> SayablePlans::adapt(PlanDocument &document) const {
  if (leniency.keepsForm)
    return {};
  emit::Adaptation adaptation =
      emit::adaptTo(target, emitInput(document, *inputs, names));
  if (!adaptation.changes.empty()) {
    document.strategy = adaptation.strategy;
    document.layouts = nameLayouts(inputs->workload(), document.strategy);
    document.estimate = estimateStep(inputs->context(), document.strategy);
  }
  return adaptation.changes;
}

void SayablePlans::take(RankedPlan plan) {
  std::lock_guard lock(mutex);
  if (std::ranges::find(seen, plan.strategy) != seen.end())
    return;
  seen.push_back(plan.strategy);
  PlanDocument document = empty;
  Nanoseconds planned = plan.estimate.step();
  document.strategy = std::move(plan.strategy);
  document.layouts = nameLayouts(inputs->workload(), document.strategy);
  document.estimate = std::move(plan.estimate);
  std::vector<emit::Change> changes = adapt(document);
  keepsPrices &= document.estimate.step() == planned;
  // In its own form a plan may be above the limit.
  if (document.estimate.step().count() > limitNow())
    return;
  emit::Emission emission;
  if (!leniency.mayBeUnsaid || !leniency.mayBeUnsaid(document.strategy))
    emission = emit::emitPlan(target, emitInput(document, *inputs, names));
  keepsPrices &= emission.obstacles.empty() && document.estimate.fits();
  if (!emission.obstacles.empty()) {
    note(ExitCode::Unsupported,
         fmt::format("its files cannot say {} of the plan {}",
                     emission.obstacles.front().decision,
                     document.strategy.str()));
    return;
  }
  if (!document.estimate.fits()) {
    note(ExitCode::NothingFits, "as it lays plans out none fits the memory");
    return;
  }
  // The same devices for another time.
  if (plan.dollars)
    *plan.dollars *=
        double(document.estimate.step().count()) / double(planned.count());
  plan.strategy = std::move(document.strategy);
  plan.estimate = std::move(document.estimate);
  add({std::move(plan), std::move(emission), std::move(changes), space});
}

void SayablePlans::add(SayablePlan plan) {
  auto same = std::ranges::find_if(sorted, [&](const SayablePlan &other) {
    return isSameLine(plan, other) || plan.plan.strategy == other.plan.strategy;
  });
  if (same != sorted.end()) {
    if (stepOf(*same) <= stepOf(plan))
      return;
    sorted.erase(same);
  }
  auto place = std::ranges::upper_bound(sorted, stepOf(plan), {}, stepOf);
  sorted.insert(place, std::move(plan));
  if (sorted.size() > count)
    sorted.pop_back();
}

/// That of a ranking with as many plans.
int64_t SayablePlans::limitNow() const {
  if (sorted.size() < count)
    return leniency.mostTime.count();
  int64_t best = stepOf(sorted.front()).count();
  return std::min({stepOf(sorted.back()).count(), best + best / 100,
                   leniency.mostTime.count()});
}

int64_t SayablePlans::limit() const {
  std::lock_guard lock(mutex);
  return limitNow();
}

std::vector<SayablePlan> SayablePlans::plans() const {
  std::lock_guard lock(mutex);
  return sorted;
}

/// Of several obstacles the one that is nearest to a plan, and of these the
/// first.
void SayablePlans::note(ExitCode next, std::string text) {
  if (int(next) <= int(code))
    return;
  code = next;
  why = std::move(text);
}

std::string SayablePlans::obstacle() const {
  std::lock_guard lock(mutex);
  return why;
}

ExitCode SayablePlans::obstacleCode() const {
  std::lock_guard lock(mutex);
  return code;
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "StepDurations.h"

#include "Dependencies.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace shardsmith::schedule {
namespace {

/// Nineteen hours: what is longer than this is not the duration of a kernel.
constexpr Nanoseconds longest{int64_t(1) << 46};
/// Eighteen years, for all of a step.
constexpr Nanoseconds longestStep{int64_t(1) << 59};

} // namespace

Nanoseconds StepDurations::kernels(const Action &action) const {
  const StageDurations &stage = of(action);
  switch (action.kind) {
  case ActionKind::Forward:
    return stage.forward;
  case ActionKind::Backward:
    return stage.recompute + stage.backwardInput + stage.backwardWeight;
  case ActionKind::BackwardInput:
    return stage.recompute + stage.backwardInput;
  case ActionKind::BackwardWeight:
    return stage.backwardWeight;
  default:
    return stage.update;
  }
}

Nanoseconds StepDurations::communication(const Action &action) const {
  const StageDurations &stage = of(action);
  if (action.kind == ActionKind::Forward)
    return stage.forwardCommunication;
  return makesInputGradient(action.kind) ? stage.backwardCommunication
                                         : Nanoseconds(0);
}

Nanoseconds StepDurations::timeOf(const Step &step) const {
  Nanoseconds sum;
  auto add = [&](Action action) {
    if (auto found = passTimes->find(action); found != passTimes->end())
      sum += found->second;
  };
  forEachAction(step, [&](const Action &action) {
    add(action);
    if (action.kind != ActionKind::Backward)
      return;
    for (ActionKind half :
         {ActionKind::BackwardInput, ActionKind::BackwardWeight})
      add({half, action.stage, action.microBatch});
  });
  return sum;
}

Nanoseconds StepDurations::onComputeStream(const Step &step) const {
  if (passTimes)
    return timeOf(step);
  Nanoseconds work = kernels(step.action);
  Nanoseconds messages = communication(step.action);
  if (!step.partner)
    return work + messages;
  work += kernels(*step.partner);
  messages += communication(*step.partner);
  Nanoseconds hidden = std::min(work, messages);
  double slower = static_cast<double>(hidden.count()) * (slowdown - 1);
  return std::max(work, messages) + Nanoseconds(std::llround(slower));
}

Nanoseconds StepDurations::onOtherStream(const Action &action) const {
  const StageDurations &stage = of(action);
  switch (action.kind) {
  case ActionKind::SendForward:
    return stage.sendForward;
  case ActionKind::SendBackward:
    return stage.sendBackward;
  case ActionKind::Unshard:
    return stage.gather;
  default:
    return stage.reduce;
  }
}

std::string checkDurations(const std::vector<StageDurations> &stages,
                           int64_t microBatches) {
  Nanoseconds total;
  for (size_t stage = 0; stage < stages.size(); ++stage) {
    const StageDurations &s = stages[stage];
    for (Nanoseconds time :
         {s.forward, s.backwardInput, s.backwardWeight, s.recompute,
          s.forwardCommunication, s.backwardCommunication, s.sendForward,
          s.sendBackward, s.gather, s.reduce, s.update}) {
      if (time < Nanoseconds(0) || time > longest)
        return fmt::format("a duration of stage {} is {} ns; expected 0 to {}",
                           stage, time.count(), longest.count());
      total += time * microBatches;
    }
  }
  if (total > longestStep)
    return fmt::format("all passes together take {} ns; expected at most {}",
                       total.count(), longestStep.count());
  return {};
}

} // namespace shardsmith::schedule

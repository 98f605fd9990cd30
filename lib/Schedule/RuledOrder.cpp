// SPDX-License-Identifier: Apache-2.0
//
// A family is a handful of rules "first(m + a) before second(m + b)" for all
// m. Together with the order of micro-batches within each kind they leave no
// choice, except near the ends of the step, where rules speak of micro-batches
// that do not exist: there forward passes come first and W last, which starts
// the other ranks early and delays nobody.

#include "Orders.h"

#include <array>
#include <cmath>

namespace shardsmith::schedule {
namespace {

constexpr ActionKind F = ActionKind::Forward;
constexpr ActionKind B = ActionKind::Backward;
constexpr ActionKind I = ActionKind::BackwardInput;
constexpr ActionKind W = ActionKind::BackwardWeight;

/// first(m + firstOffset) runs before second(m + secondOffset).
struct Rule {
  ActionKind first;
  int64_t firstOffset;
  ActionKind second;
  int64_t secondOffset;
};

/// `ahead` forward passes run before the first backward pass, and as many
/// stay ahead.
void appendAhead(std::vector<Rule> &rules, ActionKind backward, int64_t ahead) {
  rules.push_back({backward, 0, F, ahead});
  rules.push_back({F, ahead - 1, backward, 0});
}

/// Forward passes that ZB-H2 streams in first when transfers take
/// `transferShare` of a stage's time.
int64_t streamedIn(int64_t ranks, int64_t rank, double transferShare) {
  double behind = static_cast<double>(ranks - rank - 1);
  return 2 * (ranks - rank) - 1 +
         static_cast<int64_t>(std::floor(2 * behind * transferShare));
}

std::vector<Rule> rulesOf(ScheduleFamily family, const PipelineShape &shape,
                          int64_t rank, double transferShare) {
  int64_t p = shape.ranks;
  std::vector<Rule> rules;
  switch (family) {
  case ScheduleFamily::GPipe:
    rules = {{F, shape.microBatches - 1, B, 0}};
    break;
  case ScheduleFamily::OneForwardOneBackward:
    appendAhead(rules, B, p - rank);
    break;
  case ScheduleFamily::EagerOneForwardOneBackward:
    appendAhead(rules, B, 2 * (p - rank) - 1);
    break;
  case ScheduleFamily::ZeroBubbleH1:
    appendAhead(rules, I, p - rank);
    rules.push_back({W, 0, F, p});
    rules.push_back({I, rank, W, 0});
    rules.push_back({W, 0, I, rank + 1});
    break;
  case ScheduleFamily::ZeroBubbleH2: {
    appendAhead(rules, I, streamedIn(p, rank, transferShare));
    int64_t held = streamedIn(p, p - rank - 1, transferShare);
    rules.push_back({I, held - 1, W, 0});
    rules.push_back({W, 0, I, held});
    break;
  }
  default:
    break;
  }
  rules.push_back({F, 0, B, 0});
  rules.push_back({F, 0, I, 0});
  rules.push_back({I, 0, W, 0});
  return rules;
}

} // namespace

std::vector<Step> ruledOrder(ScheduleFamily family, const PipelineShape &shape,
                             int64_t rank, double transferShare) {
  std::vector<Rule> rules = rulesOf(family, shape, rank, transferShare);
  std::vector<ActionKind> kinds = {F, B};
  if (splitsBackward(family))
    kinds = {F, I, W};

  // Micro-batches of each kind that ran already.
  std::array<int64_t, 4> done = {};
  auto mayRun = [&](ActionKind kind) {
    int64_t next = done[size_t(kind)];
    if (next == shape.microBatches)
      return false;
    for (const Rule &rule : rules) {
      int64_t awaited = next - rule.secondOffset + rule.firstOffset;
      bool applies = rule.second == kind && next >= rule.secondOffset &&
                     awaited >= 0 && awaited < shape.microBatches;
      if (applies && done[size_t(rule.first)] <= awaited)
        return false;
    }
    return true;
  };

  std::vector<Step> steps;
  for (bool progress = true; progress;) {
    progress = false;
    for (ActionKind kind : kinds) {
      if (!mayRun(kind))
        continue;
      steps.push_back({{kind, rank, done[size_t(kind)]++}, {}});
      progress = true;
      break;
    }
  }
  return steps;
}

} // namespace shardsmith::schedule

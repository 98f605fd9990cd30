// SPDX-License-Identifier: Apache-2.0
//
// Random tables, legal ones and ones with something dropped, swapped or
// duplicated, against a judge that shares nothing with `replay`: what a table
// asks for is a graph of "must come before", and the table can run if the graph
// has no circle.

#include "shardsmith/Schedule/Replay.h"
#include "shardsmith/Schedule/ScheduleTable.h"
#include "shardsmith/Schedule/Simulation.h"

#include "../FirstSeed.h"
#include "RandomTable.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

using namespace shardsmith;
using namespace shardsmith::schedule;

namespace {

using namespace schedule::test;

// ---------------------------------------------------------------------------
// The judge
// ---------------------------------------------------------------------------

constexpr ActionKind F = ActionKind::Forward, B = ActionKind::Backward,
                     I = ActionKind::BackwardInput,
                     W = ActionKind::BackwardWeight;

class Judge {
public:
  explicit Judge(const Schedule &schedule) : schedule(schedule) {}

  bool accepts() {
    return hasEveryPassOnce() && hasEveryMessageOnce() && gathersInTurns() &&
           reducesAllOrNone() && !hasCircle();
  }

private:
  bool has(const Action &action) const { return present.count(action) > 0; }
  /// I or, where the backward pass is whole, B.
  Action inputGradient(int64_t stage, int64_t m) const {
    return {has({B, stage, m}) ? B : I, stage, m};
  }

  bool hasEveryPassOnce() {
    std::map<Action, int> count;
    std::map<int64_t, std::set<size_t>> ranksOf;
    for (size_t rank = 0; rank < schedule.ranks.size(); ++rank)
      for (const Step &step : schedule.ranks[rank])
        for (const Action &action : actionsOf(step)) {
          ++count[action];
          ranksOf[action.stage].insert(rank);
          present.insert(action);
        }
    for (int64_t stage = 0; stage < schedule.stageCount; ++stage) {
      if (ranksOf[stage].size() != 1)
        return false;
      rankOf.push_back(*ranksOf[stage].begin());
      for (int64_t m = 0; m < schedule.microBatchCount; ++m) {
        int whole = count[Action{B, stage, m}];
        int input = count[Action{I, stage, m}];
        int weight = count[Action{W, stage, m}];
        bool backward = (whole == 1 && input == 0 && weight == 0) ||
                        (whole == 0 && input == 1 && weight == 1);
        if (count[Action{F, stage, m}] != 1 || !backward)
          return false;
      }
    }
    return true;
  }

  /// Either no message is written out, or each value that changes ranks is
  /// sent and received once, and nothing else is.
  bool hasEveryMessageOnce() {
    std::map<Action, int> found, expected;
    for (const auto &steps : schedule.ranks)
      for (const Step &step : steps)
        if (isCommunication(step.action.kind))
          ++found[step.action];
    writtenOut = !found.empty();
    if (!writtenOut)
      return true;
    for (int64_t stage = 0; stage + 1 < schedule.stageCount; ++stage)
      for (int64_t m = 0; m < schedule.microBatchCount; ++m) {
        if (rankOf[size_t(stage)] == rankOf[size_t(stage + 1)])
          continue;
        for (const Action &message :
             {Action{ActionKind::SendForward, stage, m},
              Action{ActionKind::ReceiveForward, stage + 1, m},
              Action{ActionKind::SendBackward, stage + 1, m},
              Action{ActionKind::ReceiveBackward, stage, m}})
          expected[message] = 1;
      }
    return found == expected && messagesKeepOrder();
  }

  /// Per pair of ranks, values are received in the order of the sends.
  bool messagesKeepOrder() const {
    std::map<std::pair<size_t, size_t>, std::vector<Action>> sent, received;
    for (const auto &steps : schedule.ranks)
      for (const Step &step : steps) {
        const Action &a = step.action;
        auto at = [&](int64_t stage) { return rankOf[size_t(stage)]; };
        if (a.kind == ActionKind::SendForward)
          sent[{at(a.stage), at(a.stage + 1)}].push_back(
              Action{F, a.stage, a.microBatch});
        if (a.kind == ActionKind::SendBackward)
          sent[{at(a.stage), at(a.stage - 1)}].push_back(
              Action{B, a.stage, a.microBatch});
        if (a.kind == ActionKind::ReceiveForward)
          received[{at(a.stage - 1), at(a.stage)}].push_back(
              Action{F, a.stage - 1, a.microBatch});
        if (a.kind == ActionKind::ReceiveBackward)
          received[{at(a.stage + 1), at(a.stage)}].push_back(
              Action{B, a.stage + 1, a.microBatch});
      }
    return sent == received;
  }

  bool gathersInTurns() const {
    for (int64_t stage = 0; stage < schedule.stageCount; ++stage) {
      std::string history;
      for (const Step &step : schedule.ranks[rankOf[size_t(stage)]])
        for (const Action &action : actionsOf(step)) {
          if (action.stage != stage)
            continue;
          if (action.kind == ActionKind::Unshard)
            history += 'u';
          else if (action.kind == ActionKind::Reshard)
            history += 'r';
          else if (isCompute(action.kind))
            history += 'c';
        }
      if (history.find_first_of("ur") == std::string::npos)
        continue;
      // (u c* r)* u? c*
      bool gathered = false;
      for (char event : history) {
        bool allowed = event == 'u' ? !gathered : gathered;
        if (!allowed)
          return false;
        gathered = event == 'u' || (gathered && event == 'c');
      }
    }
    return true;
  }

  bool reducesAllOrNone() const {
    std::map<int64_t, int> reductions;
    for (const auto &steps : schedule.ranks)
      for (const Step &step : steps)
        if (step.action.kind == ActionKind::ReduceGradients)
          ++reductions[step.action.stage];
    if (reductions.empty())
      return true;
    for (int64_t stage = 0; stage < schedule.stageCount; ++stage)
      if (reductions[stage] != 1)
        return false;
    return true;
  }

  /// Steps whose two passes run together are one node.
  bool hasCircle() {
    std::map<Action, size_t> stepOf;
    std::vector<std::vector<size_t>> after;
    std::vector<int> waiting;
    for (const auto &steps : schedule.ranks)
      for (size_t i = 0; i < steps.size(); ++i) {
        size_t node = after.size();
        after.emplace_back();
        waiting.push_back(0);
        for (const Action &action : actionsOf(steps[i]))
          // Gathers recur; nobody waits for them by name.
          stepOf[action] = node;
        if (i > 0) {
          after[node - 1].push_back(node);
          ++waiting[node];
        }
      }
    auto before = [&](const Action &first, const Action &second) {
      auto from = stepOf.find(first), to = stepOf.find(second);
      if (from == stepOf.end() || to == stepOf.end())
        return;
      after[from->second].push_back(to->second);
      ++waiting[to->second];
    };
    for (int64_t s = 0; s < schedule.stageCount; ++s)
      for (int64_t m = 0; m < schedule.microBatchCount; ++m) {
        before(Action{F, s, m}, inputGradient(s, m));
        before(Action{I, s, m}, Action{W, s, m});
        before(Action{F, s, m}, Action{ActionKind::SendForward, s, m});
        before(inputGradient(s, m), Action{ActionKind::SendBackward, s, m});
        for (ActionKind kind : {B, W})
          before(Action{kind, s, m}, Action{ActionKind::ReduceGradients, s});
        if (s > 0) {
          bool local =
              !writtenOut || rankOf[size_t(s)] == rankOf[size_t(s - 1)];
          before(Action{local ? F : ActionKind::SendForward, s - 1, m},
                 Action{F, s, m});
          if (!local)
            before(Action{ActionKind::ReceiveForward, s, m}, Action{F, s, m});
        }
        if (s + 1 < schedule.stageCount) {
          bool local =
              !writtenOut || rankOf[size_t(s)] == rankOf[size_t(s + 1)];
          before(local ? inputGradient(s + 1, m)
                       : Action{ActionKind::SendBackward, s + 1, m},
                 inputGradient(s, m));
          if (!local)
            before(Action{ActionKind::ReceiveBackward, s, m},
                   inputGradient(s, m));
        }
      }
    std::vector<size_t> ready;
    for (size_t node = 0; node < after.size(); ++node)
      if (waiting[node] == 0)
        ready.push_back(node);
    size_t run = 0;
    while (!ready.empty()) {
      size_t node = ready.back();
      ready.pop_back();
      ++run;
      for (size_t next : after[node])
        if (--waiting[next] == 0)
          ready.push_back(next);
    }
    return run < after.size();
  }

  static std::vector<Action> actionsOf(const Step &step) {
    std::vector<Action> actions = {step.action};
    if (step.partner)
      actions.push_back(*step.partner);
    return actions;
  }

  const Schedule &schedule;
  std::vector<size_t> rankOf;
  std::set<Action> present;
  bool writtenOut = false;
};

// ---------------------------------------------------------------------------
// Random tables
// ---------------------------------------------------------------------------

/// With messages written out or not.
Schedule randomLegal(Random &random) {
  Schedule schedule = randomCompute(random);
  if (tossed(random, 0.5))
    return schedule;
  return addCommunication(schedule,
                          {tossed(random, 0.5), tossed(random, 0.5), false});
}

/// An action is dropped, or duplicated anywhere, or two of a rank change
/// places.
void spoil(Schedule &schedule, Random &random) {
  std::vector<Step> &steps =
      schedule.ranks[below(random, schedule.ranks.size())];
  if (steps.empty())
    return;
  size_t at = below(random, steps.size()), other = below(random, steps.size());
  switch (below(random, 3)) {
  case 0:
    steps.erase(steps.begin() + int64_t(at));
    break;
  case 1:
    std::swap(steps[at], steps[other]);
    break;
  default: {
    std::vector<Step> &target =
        tossed(random, 0.5)
            ? steps
            : schedule.ranks[below(random, schedule.ranks.size())];
    Step copy = steps[at];
    target.insert(target.begin() + int64_t(below(random, target.size() + 1)),
                  copy);
  }
  }
}

std::vector<StageDurations> randomDurations(int64_t stages, Random &random) {
  std::vector<StageDurations> all;
  auto time = [&] { return Nanoseconds(int64_t(below(random, 50))); };
  for (int64_t i = 0; i < stages; ++i) {
    StageDurations each;
    each.forward = time();
    each.backwardInput = time();
    each.backwardWeight = time();
    each.sendForward = time();
    each.sendBackward = time();
    each.gather = time();
    each.reduce = time();
    all.push_back(each);
  }
  return all;
}

/// What a user would see, through text.
std::string refusalOf(const Schedule &schedule,
                      const std::vector<StageDurations> &stages) {
  std::string error;
  std::optional<Schedule> read = scheduleFromTable(toTable(schedule), error);
  if (!read)
    return error;
  // A table that lacks the last stage or micro-batch altogether is one of a
  // smaller pipeline.
  if (read->stageCount != schedule.stageCount ||
      read->microBatchCount != schedule.microBatchCount)
    return "another pipeline";
  std::optional<Simulation> played = simulate(*read, stages, error);
  EXPECT_EQ(played.has_value(), error.empty());
  if (!played)
    return error;
  // Everything on the lists has run to its end.
  size_t listed = 0, ran = 0;
  for (const auto &steps : schedule.ranks)
    for (const Step &step : steps)
      listed += isCompute(step.action.kind);
  for (const Span &span : played->spans)
    ran += isCompute(span.step.action.kind);
  EXPECT_EQ(listed, ran);
  return {};
}

TEST(RandomTables, LegalOnesRunAndIllegalOnesAreRefused) {
  Random random(shardsmith::test::firstSeed());
  size_t legal = 0, illegal = 0;
  constexpr size_t enough = 10'000;
  while (legal < enough || illegal < enough) {
    Schedule schedule = randomLegal(random);
    ASSERT_TRUE(Judge(schedule).accepts()) << toTable(schedule);
    std::vector<StageDurations> stages =
        randomDurations(schedule.stageCount, random);
    ASSERT_EQ(refusalOf(schedule, stages), "") << toTable(schedule);
    ++legal;
    for (int i = 0; i < 2; ++i) {
      Schedule spoilt = schedule;
      for (size_t times = 1 + below(random, 2); times > 0; --times)
        spoil(spoilt, random);
      bool accepted = Judge(spoilt).accepts();
      std::string refusal = refusalOf(spoilt, stages);
      ASSERT_EQ(accepted, refusal.empty()) << refusal << "\n"
                                           << toTable(schedule) << "\n"
                                           << toTable(spoilt);
      (accepted ? legal : illegal) += 1;
    }
  }
  fmt::print("{} legal tables ran, {} illegal ones were refused\n", legal,
             illegal);
}

} // namespace

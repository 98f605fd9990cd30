// SPDX-License-Identifier: Apache-2.0

#include "ListScheduler.h"

#include "Dependencies.h"
#include "RankMemory.h"

#include <algorithm>
#include <deque>

namespace shardsmith::schedule {
namespace {

constexpr int64_t never = INT64_MAX;

class Scheduler {
public:
  Scheduler(const PassCosts &costs, const ListPriorities &priorities)
      : costs(costs), problem(costs.problem), priorities(priorities),
        random(priorities.seed), stageCount(costs.times.stageCount()),
        stages(size_t(stageCount)), order(size_t(problem.ranks)),
        free(order.size(), 0), links(order.size() * order.size(), 0),
        stagesOf(order.size()) {
    for (int64_t stage = 0; stage < stageCount; ++stage) {
      stagesOf[size_t(costs.times.rankOf(stage))].push_back(stage);
      StageState &state = stages[size_t(stage)];
      state.forwardReady.assign(size_t(problem.microBatches),
                                stage == 0 ? 0 : never);
      state.backwardReady.assign(size_t(problem.microBatches), never);
    }
    for (size_t rank = 0; rank < order.size(); ++rank)
      memory.emplace_back(problem.memoryLimits.empty()
                              ? Bytes::saturated()
                              : problem.memoryLimits[rank],
                          costs.microBatchOn(int64_t(rank)));
  }

  PassOrder schedule() {
    while (std::optional<size_t> rank = nextRank())
      run(*rank, choose(*rank));
    return std::move(order);
  }

private:
  struct StageState {
    int64_t forward = 0, backward = 0;
    /// Micro-batches whose I has run, and W has not.
    std::deque<int64_t> pending;
    /// When what the passes read is there.
    std::vector<int64_t> forwardReady, backwardReady;
  };
  struct Candidate {
    Pass pass;
    int64_t start = 0;
  };

  ActionKind backwardKind() const {
    return priorities.splitsBackward ? ActionKind::BackwardInput
                                     : ActionKind::Backward;
  }

  /// Passes that could come next on the rank.
  std::vector<Candidate> candidates(size_t rank) const {
    std::vector<Candidate> found;
    auto add = [&](ActionKind kind, int64_t stage, int64_t ready) {
      if (ready != never)
        found.push_back({{kind, stage}, std::max(free[rank], ready)});
    };
    for (int64_t stage : stagesOf[rank]) {
      const StageState &state = stages[size_t(stage)];
      bool isForwardLeft = state.forward < problem.microBatches;
      Bytes saved = costs.of({ActionKind::Forward, stage}).held;
      if (isForwardLeft && memory[rank].allows(state.forward, saved))
        add(ActionKind::Forward, stage,
            state.forwardReady[size_t(state.forward)]);
      if (state.backward < state.forward)
        add(backwardKind(), stage, state.backwardReady[size_t(state.backward)]);
      if (!state.pending.empty())
        add(ActionKind::BackwardWeight, stage, 0);
    }
    return found;
  }

  int64_t endOf(const Candidate &candidate) const {
    const Pass &pass = candidate.pass;
    Nanoseconds duration =
        pass.backwardStage ? costs.pairDuration(pass.stage, *pass.backwardStage)
                           : costs.of(pass).duration;
    return candidate.start + duration.count();
  }

  /// The rank that could end a pass first; nothing when all have run.
  std::optional<size_t> nextRank() {
    std::optional<size_t> next;
    earliestEnd = never;
    for (size_t rank = 0; rank < order.size(); ++rank)
      for (const Candidate &candidate : candidates(rank))
        if (endOf(candidate) < earliestEnd) {
          earliestEnd = endOf(candidate);
          next = rank;
        }
    return next;
  }

  /// Of the passes that could start before the earliest end. A pass that takes
  /// no time and would end first starts at that end.
  Candidate choose(size_t rank) {
    std::vector<Candidate> competing = candidates(rank);
    std::erase_if(competing, [&](const Candidate &candidate) {
      return candidate.start >= earliestEnd && endOf(candidate) > earliestEnd;
    });
    std::optional<Candidate> best;
    std::pair<int64_t, int64_t> bestPriority;
    for (const Candidate &candidate : competing) {
      std::pair<int64_t, int64_t> priority = priorityOf(rank, candidate.pass);
      if (!best || priority > bestPriority) {
        best = candidate;
        bestPriority = priority;
      }
    }
    return priorities.pairsPasses ? paired(*best, competing) : *best;
  }

  /// With the first of the others that may run together with it.
  Candidate paired(const Candidate &chosen,
                   const std::vector<Candidate> &competing) const {
    auto isForward = [](const Candidate &candidate) {
      return candidate.pass.kind == ActionKind::Forward;
    };
    for (const Candidate &other : competing) {
      bool isPair = other.pass.stage != chosen.pass.stage &&
                    isForward(other) != isForward(chosen) &&
                    other.pass.kind != ActionKind::BackwardWeight &&
                    chosen.pass.kind != ActionKind::BackwardWeight;
      if (!isPair)
        continue;
      const Candidate &forward = isForward(chosen) ? chosen : other;
      const Candidate &backward = isForward(chosen) ? other : chosen;
      Candidate pair = forward;
      pair.pass.backwardStage = backward.pass.stage;
      pair.start = std::max(forward.start, backward.start);
      return pair;
    }
    return chosen;
  }

  std::pair<int64_t, int64_t> priorityOf(size_t rank, const Pass &pass) {
    int64_t kind = 0;
    bool backwardFirst = priorities.backwardFirst[rank];
    if (pass.kind == ActionKind::Forward)
      kind = backwardFirst ? 1 : 2;
    else if (pass.kind != ActionKind::BackwardWeight)
      kind = backwardFirst ? 2 : 1;
    if (priorities.noise > 0 && chance() < priorities.noise)
      kind = int64_t(random() % 3);
    return {kind, priorities.nearLossFirst ? pass.stage : -pass.stage};
  }

  /// 0 to 1; the same on every platform.
  double chance() { return double(random() >> 11) * 0x1p-53; }

  void run(size_t rank, const Candidate &candidate) {
    order[rank].push_back(candidate.pass);
    free[rank] = endOf(candidate);
    finish(rank, candidate.pass);
    if (candidate.pass.backwardStage)
      finish(rank, {ActionKind::Backward, *candidate.pass.backwardStage});
  }

  /// Notes that the pass ends when the rank is free, and hands on what it made.
  void finish(size_t rank, const Pass &pass) {
    const PassCost &cost = costs.of(pass);
    StageState &state = stages[size_t(pass.stage)];
    int64_t arrived = free[rank];
    if (cost.message) {
      int64_t &link = links[rank * order.size() + size_t(cost.reader)];
      link = std::max(link, arrived) + cost.message->count();
      arrived = link;
    }
    switch (pass.kind) {
    case ActionKind::Forward: {
      int64_t m = state.forward++;
      memory[rank].hold(m, cost.held);
      if (pass.stage + 1 < stageCount)
        stages[size_t(pass.stage + 1)].forwardReady[size_t(m)] = arrived;
      else
        state.backwardReady[size_t(m)] = free[rank];
      break;
    }
    case ActionKind::BackwardWeight:
      memory[rank].release(state.pending.front(), cost.freed);
      state.pending.pop_front();
      break;
    default: {
      int64_t m = state.backward++;
      memory[rank].release(m, cost.freed);
      if (pass.kind == ActionKind::BackwardInput)
        state.pending.push_back(m);
      if (pass.stage > 0)
        stages[size_t(pass.stage - 1)].backwardReady[size_t(m)] = arrived;
    }
    }
  }

  const PassCosts &costs;
  const PipelineProblem &problem;
  const ListPriorities &priorities;
  std::mt19937_64 random;
  int64_t stageCount;
  std::vector<StageState> stages;
  PassOrder order;
  std::vector<int64_t> free, links;
  std::vector<std::vector<int64_t>> stagesOf;
  std::vector<RankMemory> memory;
  int64_t earliestEnd = never;
};

} // namespace

PassOrder listSchedule(const PassCosts &costs,
                       const ListPriorities &priorities) {
  return Scheduler(costs, priorities).schedule();
}

} // namespace shardsmith::schedule

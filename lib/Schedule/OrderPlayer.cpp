// SPDX-License-Identifier: Apache-2.0

#include "OrderPlayer.h"

#include "Dependencies.h"

#include <algorithm>

namespace shardsmith::schedule {

PassCosts::PassCosts(const PipelineProblem &problem)
    : problem(problem), times(problem.stages, problem.rankOfStage,
                              problem.simulation.overlapSlowdown),
      costs(problem.stages.size()) {
  for (int64_t stage = 0; stage < times.stageCount(); ++stage)
    for (ActionKind kind :
         {ActionKind::Forward, ActionKind::Backward, ActionKind::BackwardInput,
          ActionKind::BackwardWeight}) {
      Action action{kind, stage, 0};
      PassCost &cost = costs[size_t(stage)][size_t(kind)];
      cost.duration = times.onRank({action, {}});
      if (kind != ActionKind::BackwardWeight)
        cost.message = times.messageOf(action);
      if (cost.message)
        cost.reader = times.rankOf(*readerOf(action, times.stageCount()));
      const StageDurations &each = problem.stages[size_t(stage)];
      if (kind == ActionKind::Forward)
        cost.held = each.savedUntilInput + each.savedUntilWeight;
      if (makesInputGradient(kind))
        cost.freed += each.savedUntilInput;
      if (makesWeightGradient(kind))
        cost.freed += each.savedUntilWeight;
    }
  for (int64_t forward = 0; forward < times.stageCount(); ++forward)
    for (int64_t backward = 0; backward < times.stageCount(); ++backward)
      pairs.push_back(
          times.rankOf(forward) == times.rankOf(backward)
              ? times.onRank({{ActionKind::Forward, forward, 0},
                              Action{ActionKind::Backward, backward, 0}})
              : Nanoseconds::saturated());
}

Bytes PassCosts::microBatchOn(int64_t rank) const {
  Bytes bytes;
  for (int64_t stage = 0; stage < times.stageCount(); ++stage)
    if (times.rankOf(stage) == rank)
      bytes += of({ActionKind::Forward, stage}).held;
  return bytes;
}

Nanoseconds PassCosts::busiestRank() const {
  struct Work {
    Nanoseconds kernels, communication, updates;
    int64_t stages = 0;

    Nanoseconds of(int64_t microBatches) const {
      // A rank with one stage has no two passes that could run together.
      Nanoseconds each = stages > 1 ? std::max(kernels, communication)
                                    : kernels + communication;
      return each * microBatches + updates;
    }
  };
  std::vector<Work> work(static_cast<size_t>(problem.ranks));
  for (size_t number = 0; number < problem.stages.size(); ++number) {
    const StageDurations &stage = problem.stages[number];
    Work &rank = work[size_t(problem.rankOfStage[number])];
    ++rank.stages;
    rank.kernels += stage.forward + stage.recompute + stage.backwardInput +
                    stage.backwardWeight;
    rank.communication +=
        stage.forwardCommunication + stage.backwardCommunication;
    rank.updates += stage.update;
  }
  Nanoseconds most;
  for (const Work &rank : work)
    most = std::max(most, rank.of(problem.microBatches));
  return most;
}

OrderPlayer::OrderPlayer(const PassCosts &costs)
    : costs(costs), stageCount(costs.times.stageCount()),
      microBatches(costs.problem.microBatches) {
  auto ranks = static_cast<size_t>(costs.problem.ranks);
  steps.resize(ranks);
  made.resize(ranks);
}

std::optional<OrderCost> OrderPlayer::play(const PassOrder &order) {
  counts.assign(size_t(stageCount), {});
  activations.assign(size_t(stageCount * microBatches), {});
  gradients.assign(size_t(stageCount * microBatches), {});
  links.assign(order.size() * order.size(), 0);
  free.assign(order.size(), 0);
  for (size_t rank = 0; rank < order.size(); ++rank) {
    steps[rank].clear();
    made[rank].clear();
  }
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t rank = 0; rank < order.size(); ++rank)
      for (size_t index = steps[rank].size();
           index < order[rank].size() && run(order[rank][index], {rank, index});
           ++index)
        moved = true;
  }
  constexpr int64_t overhead = 32;
  playedPasses += overhead;
  OrderCost cost;
  for (size_t rank = 0; rank < order.size(); ++rank) {
    playedPasses += int64_t(steps[rank].size());
    if (steps[rank].size() < order[rank].size())
      return std::nullopt;
    if (steps[rank].empty())
      continue;
    Nanoseconds end =
        costs.times.endWithUpdatesInOrder(made[rank], Nanoseconds(free[rank]));
    Nanoseconds span = end - Nanoseconds(steps[rank].front().start);
    cost.sum += span;
    if (span > cost.period) {
      cost.period = span;
      longestRank = rank;
    }
  }
  return cost;
}

int64_t OrderPlayer::nextMicroBatch(const Pass &pass) const {
  const StageCounts &count = counts[size_t(pass.stage)];
  return pass.kind == ActionKind::Forward ? count.forward : count.backward;
}

bool OrderPlayer::isStageReady(const Pass &pass) const {
  const StageCounts &count = counts[size_t(pass.stage)];
  if (pass.kind == ActionKind::Forward)
    return true;
  if (pass.kind == ActionKind::BackwardWeight)
    return count.weight < count.split;
  return count.backward < count.forward;
}

const OrderPlayer::Value *OrderPlayer::readBy(const Pass &pass) const {
  if (pass.kind == ActionKind::Forward && pass.stage > 0)
    return &activations[indexOf(pass.stage - 1, nextMicroBatch(pass))];
  if (makesInputGradient(pass.kind) && pass.stage + 1 < stageCount)
    return &gradients[indexOf(pass.stage + 1, nextMicroBatch(pass))];
  return nullptr;
}

bool OrderPlayer::run(const Pass &pass, Place place) {
  PlayedStep step;
  auto mayStart = [&](const Pass &each) {
    if (!isStageReady(each))
      return false;
    const Value *read = readBy(each);
    if (!read)
      return true;
    if (read->time == notYet)
      return false;
    if (!step.hasMaker || read->time > step.ready) {
      step.ready = read->time;
      step.maker = read->maker;
      step.hasMaker = true;
    }
    return true;
  };
  std::optional<Pass> partner;
  if (pass.backwardStage)
    partner = Pass{ActionKind::Backward, *pass.backwardStage};
  if (!mayStart(pass) || (partner && !mayStart(*partner)))
    return false;
  Nanoseconds duration = partner
                             ? costs.pairDuration(pass.stage, partner->stage)
                             : costs.of(pass).duration;
  step.start = std::max(free[place.rank], step.ready);
  step.end = free[place.rank] = step.start + duration.count();
  steps[place.rank].push_back(step);
  finish(pass, place);
  if (partner)
    finish(*partner, place);
  return true;
}

void OrderPlayer::finish(const Pass &pass, Place place) {
  StageCounts &count = counts[size_t(pass.stage)];
  int64_t m = nextMicroBatch(pass);
  bool isForward = pass.kind == ActionKind::Forward;
  count.forward += isForward;
  count.backward += makesInputGradient(pass.kind);
  count.split += pass.kind == ActionKind::BackwardInput;
  count.weight += pass.kind == ActionKind::BackwardWeight;
  int64_t end = free[place.rank];
  bool isLast = makesWeightGradient(pass.kind) &&
                count.backward == microBatches && count.weight == count.split;
  if (isLast)
    made[place.rank].push_back({Nanoseconds(end), pass.stage});
  if (pass.kind == ActionKind::BackwardWeight)
    return;
  const PassCost &cost = costs.of(pass);
  int64_t arrived = end;
  if (cost.message) {
    int64_t &link = links[place.rank * free.size() + size_t(cost.reader)];
    link = std::max(link, arrived) + cost.message->count();
    arrived = link;
  }
  (isForward ? activations : gradients)[indexOf(pass.stage, m)] = {arrived,
                                                                   place};
}

bool OrderPlayer::fits(const std::vector<Pass> &passes, size_t rank) const {
  if (costs.problem.memoryLimits.empty())
    return true;
  Bytes held;
  for (const Pass &pass : passes) {
    held += costs.of(pass).held;
    if (held > costs.problem.memoryLimits[rank])
      return false;
    held = held - costs.of(pass).freed;
    if (pass.backwardStage)
      held = held - costs.of({ActionKind::Backward, *pass.backwardStage}).freed;
  }
  return true;
}

bool OrderPlayer::fits(const PassOrder &order) const {
  for (size_t rank = 0; rank < order.size(); ++rank)
    if (!fits(order[rank], rank))
      return false;
  return true;
}

} // namespace shardsmith::schedule

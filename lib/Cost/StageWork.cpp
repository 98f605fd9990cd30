// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/StageWork.h"

#include <algorithm>
#include <limits>

namespace shardsmith {

namespace {

/// Counts of parameters saturate, as sizes do.
void add(int64_t &sum, int64_t each, int64_t count) {
  int64_t product;
  if (__builtin_mul_overflow(each, count, &product) ||
      __builtin_add_overflow(sum, product, &sum))
    sum = std::numeric_limits<int64_t>::max();
}

void add(UnitCommunication &sum, const UnitCommunication &each, int64_t count) {
  sum.tensor += each.tensor * count;
  sum.context += each.context * count;
  sum.expert += each.expert * count;
}

} // namespace

Bytes transientOf(const UnitCosts &unit, Recompute choice) {
  Bytes all = unit.saved[size_t(Recompute::None)];
  return unit.transient + std::max(all - unit.saved[size_t(choice)], Bytes());
}

int64_t parametersOf(const UnitCosts &unit) {
  int64_t parameters = unit.denseParameters;
  add(parameters, unit.expertParameters, 1);
  return parameters;
}

void StageWork::append(const UnitCosts &unit, Recompute choice, int64_t count) {
  if (count == 0)
    return;
  forward += unit.forward * count;
  backwardInput += unit.backwardInput * count;
  backwardWeight += unit.backwardWeight * count;
  recompute += unit.recompute[size_t(choice)] * count;
  add(forwardCommunication, unit.forwardCommunication, count);
  add(backwardCommunication, unit.backwardCommunication, count);
  saved += unit.saved[size_t(choice)] * count;
  transient = std::max(transient, transientOf(unit, choice));
  add(denseParameters, unit.denseParameters, count);
  add(expertParameters, unit.expertParameters, count);
  add(partialParameters, unit.partialParameters, count);
  largestUnitParameters = std::max(largestUnitParameters, parametersOf(unit));
  outputBytes = unit.outputBytes;
}

void StageWork::merge(const StageWork &other) {
  forward += other.forward;
  backwardInput += other.backwardInput;
  backwardWeight += other.backwardWeight;
  recompute += other.recompute;
  forwardCommunication += other.forwardCommunication;
  backwardCommunication += other.backwardCommunication;
  saved += other.saved;
  transient = std::max(transient, other.transient);
  add(denseParameters, other.denseParameters, 1);
  add(expertParameters, other.expertParameters, 1);
  add(partialParameters, other.partialParameters, 1);
  largestUnitParameters =
      std::max(largestUnitParameters, other.largestUnitParameters);
  outputBytes = other.outputBytes;
}

StageWork workOf(const workload::Workload &workload, const Stage &stage,
                 std::span<const UnitCosts> units) {
  StageWork work;
  for (int64_t unit = stage.begin; unit < stage.end; ++unit)
    work.append(units[workload.segments[workload.segmentOf(unit)].block],
                stage.recompute[size_t(unit - stage.begin)]);
  return work;
}

std::vector<RankWork>
workOfRanks(const workload::Workload &workload, const Strategy &strategy,
            std::span<const unsigned> pools, const PipelineLinks &links,
            const std::vector<std::vector<UnitCosts>> &unitsOfPool) {
  std::vector<RankWork> ranks(size_t(strategy.pipeline));
  for (size_t s = 0; s < strategy.stages.size(); ++s) {
    auto number = size_t(
        pipelineRankOf(strategy.schedule, strategy.pipeline, int64_t(s)));
    RankWork &rank = ranks[number];
    rank.pool = pools[number];
    StageWork stage =
        workOf(workload, strategy.stages[s], unitsOfPool[rank.pool]);
    rank.sum.merge(stage);
    if (s + 1 < strategy.stages.size())
      rank.messages.push_back({stage.outputBytes, links.ofStage(s)});
  }
  return ranks;
}

} // namespace shardsmith

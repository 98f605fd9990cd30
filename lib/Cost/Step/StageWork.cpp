// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Step/StageWork.h"

#include <algorithm>
#include <limits>
#include <map>

namespace shardsmith {

namespace {

void add(UnitCommunication &sum, const UnitCommunication &each, int64_t count) {
  sum += each.map([&](Nanoseconds time) { return time * count; });
}

/// The largest of a rank's parts of a group of shared tensors, at most `most`
/// of them.
int64_t largestOf(const std::vector<SharedUse> &uses, unsigned group,
                  int64_t most, int64_t SharedParameters::*number) {
  std::vector<std::pair<int64_t, int64_t>> sizes;
  for (const SharedUse &use : uses)
    if (use.parameters.of.group == group)
      sizes.emplace_back(use.parameters.*number, use.units);
  std::ranges::sort(sizes, std::greater());
  int64_t held = 0, left = most;
  for (auto [size, units] : sizes) {
    addParameters(held, size, std::min(units, left));
    left -= std::min(units, left);
  }
  return held;
}

} // namespace

Bytes transientOf(const UnitCosts &unit, Recompute choice) {
  Bytes all = unit.saved[size_t(Recompute::None)];
  return unit.transient + std::max(all - unit.saved[size_t(choice)], Bytes());
}

int64_t parametersOf(const UnitCosts &unit) {
  SharedParameters all = parametersOfUnit(unit);
  addParameters(all.dense, all.expert);
  return all.dense;
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
  addParameters(denseParameters, unit.denseParameters, count);
  addParameters(expertParameters, unit.expertParameters, count);
  addParameters(partialParameters, unit.partialParameters, count);
  SharedParameters all = parametersOfUnit(unit);
  addParameters(denseUses, all.dense, count);
  addParameters(expertUses, all.expert, count);
  for (const SharedParameters &each : unit.shared)
    addShared({each, count});
  largestUnitParameters = std::max(largestUnitParameters, parametersOf(unit));
  outputBytes = unit.outputBytes;
}

void StageWork::addShared(const SharedUse &use) {
  using Held = std::array<int64_t, 3>;
  auto held = [&] {
    auto of = [&](int64_t SharedParameters::*number) {
      // No more than the group has tensors.
      return largestOf(shared, use.parameters.of.group,
                       use.parameters.of.tensors, number);
    };
    return Held{of(&SharedParameters::dense), of(&SharedParameters::expert),
                of(&SharedParameters::partial)};
  };
  Held before = held();
  auto known =
      std::ranges::find(shared, use.parameters, &SharedUse::parameters);
  if (known == shared.end())
    shared.push_back(use);
  else
    addParameters(known->units, use.units);
  Held after = held();
  addParameters(denseParameters, after[0] - before[0]);
  addParameters(expertParameters, after[1] - before[1]);
  addParameters(partialParameters, after[2] - before[2]);
}

std::vector<SharedHolding> StageWork::heldWithOthers() const {
  std::map<unsigned, std::pair<workload::SharedTensors, int64_t>> unitsOf;
  for (const SharedUse &use : shared) {
    auto [entry, isNew] = unitsOf.try_emplace(use.parameters.of.group,
                                              use.parameters.of, int64_t(0));
    entry->second.second += use.units;
  }
  std::vector<SharedHolding> holdings;
  for (const auto &[group, here] : unitsOf) {
    auto [of, units] = here;
    int64_t most = std::min(of.tensors, of.uses - units);
    if (most <= 0)
      continue;
    holdings.push_back(
        {group, of.uses,
         largestOf(shared, group, most, &SharedParameters::dense),
         largestOf(shared, group, most, &SharedParameters::expert)});
  }
  return holdings;
}

namespace {

/// Equal neighbours are appended together, so that the effort does not grow
/// with the depth of a model.
void appendStage(StageWork &work, const workload::Workload &workload,
                 const Stage &stage, std::span<const UnitCosts> units) {
  if (stage.begin == stage.end)
    return;
  size_t segment = workload.segmentOf(stage.begin);
  int64_t behind = workload.segments[segment].count;
  for (size_t before = 0; before < segment; ++before)
    behind += workload.segments[before].count;
  for (int64_t unit = stage.begin; unit < stage.end;) {
    for (; unit == behind; ++segment)
      behind += workload.segments[segment + 1].count;
    auto first = stage.recompute.begin() + (unit - stage.begin);
    auto last =
        stage.recompute.begin() + (std::min(behind, stage.end) - stage.begin);
    auto other = std::find_if(first, last,
                              [&](Recompute each) { return each != *first; });
    work.append(units[workload.segments[segment].block], *first, other - first);
    unit += other - first;
  }
}

} // namespace

StageWork workOf(const workload::Workload &workload, const Stage &stage,
                 std::span<const UnitCosts> units) {
  StageWork work;
  appendStage(work, workload, stage, units);
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
    appendStage(rank.sum, workload, strategy.stages[s], unitsOfPool[rank.pool]);
    if (s + 1 < strategy.stages.size())
      rank.messages.push_back({rank.sum.outputBytes, links.ofStage(s)});
  }
  return ranks;
}

} // namespace shardsmith

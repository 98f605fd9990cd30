// SPDX-License-Identifier: Apache-2.0

#include "UnitFloors.h"

#include <algorithm>

namespace shardsmith::search {

using namespace workload;

UnitFloors::UnitFloors(const UnitModels &models, const Chain &chain,
                       const SearchConstraints &constraints)
    : models(models), chain(chain), constraints(constraints) {
  for (BlockIndex block = 0; block < models.blocks(); ++block)
    blockFloors.emplace_back(models.repeats(block));
  lastModels.resize(models.blocks());
  for (BlockPart part : {BlockPart::Common, BlockPart::Experts})
    for (bool countPositions : {false, true}) {
      OpGroup &group = opGroups.emplace_back(part, countPositions);
      for (BlockIndex block = 0; block < models.blocks(); ++block)
        group.exists.push_back(models.hasOps(block, part, countPositions));
    }
}

namespace {

/// The same in all settings that differ in the expert axis alone.
UnitKey withoutExperts(UnitKey key) {
  key.expert = 1;
  key.links.expert = 0;
  return key;
}

} // namespace

// What is recomputed is there as a whole when it runs backward, so saving
// less does not help a unit that is alone.
Bytes UnitFloors::leastMemory(UnitKey key) {
  auto [entry, isNew] = memoryBy.try_emplace(key);
  if (isNew) {
    UnitCosts least =
        floorsOf(key).least(models.modelOf(key), commonOf(key)).costs;
    Bytes saved = least.saved[size_t(Recompute::None)];
    double factor = std::min(models.profile().activationFactor, 1.0);
    entry->second =
        least.transient + Bytes(int64_t(double(saved.count()) * factor));
  }
  return entry->second;
}

// A tensor axis of t ranks leaves each at least a t-th.
bool UnitFloors::hasRoom(const DegreeClass &degrees) {
  Strategy outer = degrees.strategy();
  std::lock_guard lock(mutex);
  for (BlockIndex block = 0; block < models.blocks(); ++block) {
    UnitKey key = models.keyOf(block, 0, outer, {});
    key.tensor = 1;
    if (leastMemory(key) > models.mostMemory() * degrees.tensor)
      return false;
  }
  return true;
}

const UnitCostModel &UnitFloors::modelOf(const UnitKey &key) {
  Last &last = lastModels[key.block];
  if (!last.model || last.key != key) {
    last.model = std::make_unique<UnitCostModel>(models.modelOf(key));
    last.key = key;
  }
  return *last.model;
}

BlockFloors::Common &UnitFloors::commonOf(const UnitKey &key) {
  return commonBy[withoutExperts(key)];
}

const LeastUnit &UnitFloors::least(const UnitKey &key) {
  auto [entry, isNew] = leastBy.try_emplace(key);
  if (isNew)
    entry->second = floorsOf(key).least(modelOf(key), commonOf(key));
  return entry->second;
}

template <typename Time>
Nanoseconds UnitFloors::fastestChoice(Time time) const {
  Nanoseconds least = Nanoseconds::saturated();
  for (size_t choice = 0; choice < recomputeChoices; ++choice) {
    if (!constraints.recompute[choice])
      continue;
    least = std::min(least, time(Recompute(choice)));
    // Nothing is faster than to recompute nothing.
    if (Recompute(choice) == Recompute::None)
      break;
  }
  return least;
}

Nanoseconds UnitFloors::fastestOf(const UnitKey &key) {
  auto [entry, isNew] = fastestBy.try_emplace(key);
  if (isNew)
    entry->second = fastestChoice([&](Recompute choice) {
      return floorsOf(key).fastest(modelOf(key), choice, commonOf(key));
    });
  return entry->second;
}

Nanoseconds UnitFloors::fastestCommon(const UnitKey &key, Recompute choice) {
  BlockFloors::Common &common = commonOf(key);
  if (std::optional<Nanoseconds> known = common.fastest(choice))
    return *known;
  return floorsOf(key).fastestCommon(modelOf(key), choice, common);
}

Nanoseconds UnitFloors::fastestButExpertsOf(const UnitKey &key) {
  if (!models.hasExperts(key.block))
    return fastestOf(key);
  Nanoseconds experts = leastOps(key, BlockPart::Experts);
  return fastestChoice([&](Recompute choice) {
    return models.launchesOf(key).finished(fastestCommon(key, choice) + experts,
                                           choice);
  });
}

Nanoseconds UnitFloors::leastOps(const UnitKey &key, BlockPart part) {
  Nanoseconds sum;
  for (OpGroup &group : opGroups) {
    if (group.part != part || !group.exists[key.block])
      continue;
    UnitKey seen = part == BlockPart::Common ? withoutExperts(key) : key;
    if (group.countPositions)
      seen = models.countingPositions(seen);
    // Ops do not see who else has their parameters.
    seen.tiesOnOneRank = false;
    auto [entry, isNew] = group.times.try_emplace(seen);
    if (isNew)
      entry->second = modelOf(key).leastOps(part, group.countPositions);
    sum += entry->second;
  }
  return sum;
}

Nanoseconds UnitFloors::opsOf(const UnitKey &key) {
  Nanoseconds device = leastOps(key, BlockPart::Common);
  if (models.hasExperts(key.block))
    device += leastOps(key, BlockPart::Experts);
  return models.launchesOf(key).finished(device);
}

Nanoseconds
UnitFloors::leastOf(BlockIndex block, const Strategy &outer,
                    const Placement &placement,
                    Nanoseconds (UnitFloors::*time)(const UnitKey &)) {
  Nanoseconds least = Nanoseconds::saturated();
  std::lock_guard lock(mutex);
  for (unsigned pool = 0; pool < models.pools(); ++pool)
    least = std::min(least, (this->*time)(models.keyOf(block, pool, outer,
                                                       placement.links[pool])));
  return least;
}

std::vector<std::unique_ptr<ChainFloor>>
UnitFloors::chains(const Strategy &outer, const Placement &placement) {
  std::vector<std::unique_ptr<ChainFloor>> floors;
  std::lock_guard lock(mutex);
  for (unsigned pool = 0; pool < models.pools(); ++pool) {
    std::vector<LeastUnit> units;
    std::vector<Nanoseconds> plain, fastest;
    for (BlockIndex block = 0; block < models.blocks(); ++block) {
      UnitKey key = models.keyOf(block, pool, outer, placement.links[pool]);
      units.push_back(least(key));
      fastest.push_back(fastestOf(key));
      plain.push_back(constraints.recompute[size_t(Recompute::None)]
                          ? fastest.back()
                          : floorsOf(key).fastest(modelOf(key), Recompute::None,
                                                  commonOf(key)));
    }
    floors.push_back(std::make_unique<ChainFloor>(
        chain, std::move(units), plain, fastest, constraints.recompute));
  }
  return floors;
}

} // namespace shardsmith::search

// SPDX-License-Identifier: Apache-2.0

#include "SettingBounds.h"

#include <algorithm>

namespace shardsmith::search {

using namespace workload;

SettingBounds::SettingBounds(const UnitModels &models) : models(models) {
  for (BlockIndex block = 0; block < models.blocks(); ++block)
    blockBounds.emplace_back(models.repeats(block));
  lastModels.resize(models.blocks());
  for (BlockPart part : {BlockPart::Common, BlockPart::Experts})
    for (bool countPositions : {false, true}) {
      OpGroup &group = opGroups.emplace_back(part, countPositions);
      for (BlockIndex block = 0; block < models.blocks(); ++block)
        group.exists.push_back(models.hasOps(block, part, countPositions));
    }
}

// The way of recomputing does not matter: a recomputed unit is held as a whole
// while it runs backward, so saving less does not help a unit that is alone.
Bytes SettingBounds::leastMemory(const UnitKey &key) {
  std::lock_guard lock(mutex);
  auto [entry, isNew] = memoryBy.try_emplace(key);
  if (isNew) {
    UnitCosts least = boundsOf(key)
                          .least(models.modelOf(key, exchanges), commonOf(key))
                          .costs;
    Bytes saved = least.saved[size_t(Recompute::None)];
    double factor = std::min(models.profile().activationFactor, 1.0);
    entry->second =
        least.transient + Bytes(int64_t(double(saved.count()) * factor));
  }
  return entry->second;
}

const UnitCostModel &SettingBounds::modelOf(const UnitKey &key) {
  Last &last = lastModels[key.block];
  if (!last.model || last.key != key) {
    last.model =
        std::make_unique<UnitCostModel>(models.modelOf(key, exchanges));
    last.key = key;
  }
  return *last.model;
}

BlockBounds::Common &SettingBounds::commonOf(const UnitKey &key) {
  return commonBy[key.withoutExperts()];
}

const UnitIdeal &SettingBounds::leastOf(const UnitKey &key) {
  auto [entry, isNew] = leastBy.try_emplace(key);
  if (isNew) {
    entry->second = boundsOf(key).least(modelOf(key), commonOf(key));
    entry->second.costs =
        models.inPlans(key.block, std::move(entry->second.costs));
  }
  return entry->second;
}

template <typename Time>
Nanoseconds SettingBounds::fastestChoice(BlockIndex block, Time time) const {
  RecomputeMask ways = models.waysOf(block);
  Nanoseconds least = Nanoseconds::saturated();
  for (size_t choice = 0; choice < recomputeChoices; ++choice) {
    if (!ways[choice])
      continue;
    least = std::min(least, time(Recompute(choice)));
    // Without recomputation a unit is fastest.
    if (Recompute(choice) == Recompute::None)
      break;
  }
  return least;
}

Nanoseconds SettingBounds::fastestOf(const UnitKey &key) {
  auto [entry, isNew] = fastestBy.try_emplace(key);
  if (isNew)
    entry->second = fastestChoice(key.block, [&](Recompute choice) {
      return boundsOf(key).fastest(modelOf(key), choice, commonOf(key));
    });
  return entry->second;
}

Nanoseconds SettingBounds::fastestCommon(const UnitKey &key, Recompute choice) {
  BlockBounds::Common &common = commonOf(key);
  if (std::optional<Nanoseconds> known = common.fastest(choice))
    return *known;
  return boundsOf(key).fastestCommon(modelOf(key), choice, common);
}

Nanoseconds SettingBounds::fastestButExperts(const UnitKey &key) {
  std::lock_guard lock(mutex);
  if (!models.hasExperts(key.block))
    return fastestOf(key);
  Nanoseconds experts = leastOps(key, BlockPart::Experts);
  return fastestChoice(key.block, [&](Recompute choice) {
    return models.launchesOf(key).finished(fastestCommon(key, choice) + experts,
                                           choice);
  });
}

Nanoseconds SettingBounds::leastOps(const UnitKey &key, BlockPart part) {
  Nanoseconds sum;
  for (OpGroup &group : opGroups) {
    if (group.part != part || !group.exists[key.block])
      continue;
    UnitKey seen = part == BlockPart::Common ? key.withoutExperts() : key;
    if (group.countPositions)
      seen = models.countingPositions(seen);
    auto [entry, isNew] = group.times.try_emplace(seen);
    if (isNew)
      entry->second = modelOf(key).leastOps(part, group.countPositions);
    sum += entry->second;
  }
  return sum;
}

Nanoseconds SettingBounds::ops(const UnitKey &key) {
  std::lock_guard lock(mutex);
  Nanoseconds device = leastOps(key, BlockPart::Common);
  if (models.hasExperts(key.block))
    device += leastOps(key, BlockPart::Experts);
  return models.launchesOf(key).finished(device);
}

Nanoseconds SettingBounds::fastest(const UnitKey &key) {
  std::lock_guard lock(mutex);
  return fastestOf(key);
}

UnitMinima SettingBounds::unit(const UnitKey &key) {
  std::lock_guard lock(mutex);
  UnitMinima unit;
  unit.least = leastOf(key);
  unit.plain = unit.fastest = fastestOf(key);
  if (!models.waysOf(key.block)[size_t(Recompute::None)])
    unit.plain =
        boundsOf(key).fastest(modelOf(key), Recompute::None, commonOf(key));
  return unit;
}

} // namespace shardsmith::search

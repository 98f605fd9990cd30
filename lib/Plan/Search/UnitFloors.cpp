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
}

std::vector<Nanoseconds> UnitFloors::kernels(const DegreeClass &degrees) {
  Strategy outer = degrees.strategy();
  std::vector<Nanoseconds> times;
  std::lock_guard lock(mutex);
  for (BlockIndex block = 0; block < models.blocks(); ++block) {
    UnitKey key = models.keyOf(block, 0, outer, {});
    key.tiesOnOneRank = false;
    auto [entry, isNew] = kernelsBy.try_emplace(key);
    if (isNew) {
      entry->second = Nanoseconds::saturated();
      for (key.pool = 0; key.pool < models.pools(); ++key.pool) {
        UnitCostModel model = models.modelOf(key);
        entry->second =
            std::min(entry->second, model.finished(model.leastOps()));
      }
    }
    times.push_back(entry->second);
  }
  return times;
}

// What is recomputed is there as a whole when it runs backward, so saving
// less does not help a unit that is alone.
Bytes UnitFloors::leastMemory(UnitKey key) {
  auto [entry, isNew] = memoryBy.try_emplace(key);
  if (isNew) {
    UnitCosts least = floorsOf(key).least(models.modelOf(key)).costs;
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

Nanoseconds UnitFloors::fastestOf(const UnitKey &key,
                                  const UnitCostModel &model) {
  Nanoseconds least = Nanoseconds::saturated();
  for (size_t choice = 0; choice < recomputeChoices; ++choice) {
    if (!constraints.recompute[choice])
      continue;
    least = std::min(least, floorsOf(key).fastest(model, Recompute(choice)));
    // Nothing is faster than to recompute nothing.
    if (Recompute(choice) == Recompute::None)
      break;
  }
  return least;
}

Nanoseconds UnitFloors::fastest(const UnitKey &key) {
  auto [entry, isNew] = fastestBy.try_emplace(key);
  if (isNew)
    entry->second = fastestOf(key, modelOf(key));
  return entry->second;
}

Nanoseconds UnitFloors::ops(const UnitKey &key) {
  auto [entry, isNew] = opsBy.try_emplace(key);
  if (isNew) {
    const UnitCostModel &model = modelOf(key);
    entry->second = model.finished(model.leastOps());
  }
  return entry->second;
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

const UnitFloors::Least &UnitFloors::least(const UnitKey &key) {
  auto [entry, isNew] = leastBy.try_emplace(key);
  Least &least = entry->second;
  if (!isNew)
    return least;
  const UnitCostModel &model = modelOf(key);
  least.unit = floorsOf(key).least(model);
  least.fastest = fastest(key);
  least.plain = constraints.recompute[size_t(Recompute::None)]
                    ? least.fastest
                    : floorsOf(key).fastest(model, Recompute::None);
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
      const Least &each =
          least(models.keyOf(block, pool, outer, placement.links[pool]));
      units.push_back(each.unit);
      plain.push_back(each.plain);
      fastest.push_back(each.fastest);
    }
    floors.push_back(std::make_unique<ChainFloor>(
        chain, std::move(units), plain, fastest, constraints.recompute));
  }
  return floors;
}

} // namespace shardsmith::search

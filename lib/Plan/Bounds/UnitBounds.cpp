// SPDX-License-Identifier: Apache-2.0

#include "UnitBounds.h"
#include "../Support/NumberHash.h"

#include <algorithm>
#include <numeric>

namespace shardsmith::search {

using namespace workload;

UnitBounds::UnitBounds(const UnitModels &models, const Chain &chain,
                       const SearchConstraints &constraints, unsigned threads)
    : models(models), chain(chain), constraints(constraints) {
  // There are several shares per thread, so that a thread seldom waits for
  // another one.
  constexpr size_t perThread = 8, most = 256;
  size_t count = threads > 1 ? std::min(threads * perThread, most) : 1;
  for (size_t i = 0; i < count; ++i)
    shares.push_back(std::make_unique<SettingBounds>(models));
}

// Keys that differ only in the expert axis, or in what ops that see the number
// of positions cannot tell apart, are in one share, so that what they have in
// common is computed once.
size_t UnitBounds::shareOf(int64_t microBatch, const UnitDegrees &unit) const {
  if (shares.size() == 1)
    return 0;
  int64_t common = std::gcd(microBatch, unit.context);
  std::array<int64_t, 3> positions = {unit.tensor, microBatch / common,
                                      unit.context / common};
  return NumbersHash<3>()(positions) % shares.size();
}

// Splitting over t ranks leaves each rank at least a t-th of what the unsplit
// unit needs.
bool UnitBounds::hasRoom(const ParallelConfiguration &degrees) {
  Strategy outer = degrees.strategy();
  for (BlockIndex block = 0; block < models.blocks(); ++block) {
    UnitKey key = models.keyOf(block, 0, outer, {});
    key.tensor = 1;
    if (shareOf(key).leastMemory(key) > models.mostMemory() * degrees.tensor)
      return false;
  }
  return true;
}

Nanoseconds
UnitBounds::leastOf(BlockIndex block, std::optional<unsigned> only,
                    const Strategy &outer, const Placement &placement,
                    Nanoseconds (SettingBounds::*time)(const UnitKey &)) {
  Nanoseconds least = Nanoseconds::saturated();
  for (unsigned pool = 0; pool < models.pools(); ++pool) {
    if (only && pool != *only)
      continue;
    UnitKey key = models.keyOf(block, pool, outer, placement.links[pool]);
    least = std::min(least, (shareOf(key).*time)(key));
  }
  return least;
}

PoolIdeals UnitBounds::chains(const Strategy &outer,
                              const Placement &placement) {
  std::vector<std::vector<UnitMinima>> units(models.pools());
  for (unsigned pool = 0; pool < models.pools(); ++pool)
    for (BlockIndex block = 0; block < models.blocks(); ++block) {
      UnitKey key = models.keyOf(block, pool, outer, placement.links[pool]);
      units[pool].push_back(shareOf(key).unit(key));
    }
  return PoolIdeals(chain, units, constraints.recompute);
}

} // namespace shardsmith::search

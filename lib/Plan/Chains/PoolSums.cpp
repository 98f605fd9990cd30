// SPDX-License-Identifier: Apache-2.0

#include "PoolSums.h"

namespace shardsmith::search {

namespace {

void takeLess(UnitMinima &unit, const UnitMinima &other) {
  unit.takeLess(other);
}
void takeLess(BlockRange &range, const BlockRange &other) { range.add(other); }

/// The range of each block over all pools.
template <typename Unit>
std::vector<Unit> anywhere(const std::vector<std::vector<Unit>> &onPools) {
  std::vector<Unit> least = onPools.front();
  for (size_t pool = 1; pool < onPools.size(); ++pool)
    for (size_t block = 0; block < least.size(); ++block)
      takeLess(least[block], onPools[pool][block]);
  return least;
}

template <typename Unit>
PoolSums addIdeals(const Chain &chain,
                   const std::vector<std::vector<Unit>> &onPools,
                   RecomputeMask allowed,
                   std::vector<std::unique_ptr<ChainIdeal>> &ideals) {
  auto add = [&](const std::vector<Unit> &units) {
    ideals.push_back(std::make_unique<ChainIdeal>(chain, units, allowed));
    return &ideals.back()->sums();
  };
  PoolSums sums;
  for (const std::vector<Unit> &units : onPools)
    sums.onPool.push_back(add(units));
  sums.anywhere =
      onPools.size() == 1 ? sums.onPool.front() : add(anywhere(onPools));
  return sums;
}

} // namespace

PoolIdeals::PoolIdeals(const Chain &chain,
                       const std::vector<std::vector<BlockRange>> &ranges,
                       RecomputeMask allowed)
    : poolSums(addIdeals(chain, ranges, allowed, ideals)) {}

PoolIdeals::PoolIdeals(const Chain &chain,
                       const std::vector<std::vector<UnitMinima>> &units,
                       RecomputeMask allowed)
    : poolSums(addIdeals(chain, units, allowed, ideals)) {}

LayoutSums::LayoutSums(const Chain &chain, const UnitPrices &prices,
                       RecomputeMask allowed) {
  for (const std::vector<UnitCosts> &units : prices)
    pools.emplace_back(chain, units, allowed);
  if (pools.size() == 1)
    return;
  std::vector<std::vector<BlockRange>> ranges;
  for (const std::vector<UnitCosts> &units : prices) {
    std::vector<BlockRange> &onPool = ranges.emplace_back();
    for (const UnitCosts &unit : units)
      onPool.emplace_back(unit, allowed);
  }
  anywhere =
      std::make_unique<ChainIdeal>(chain, search::anywhere(ranges), allowed);
}

PoolSums LayoutSums::sums() const {
  PoolSums sums;
  for (const ChainSums &each : pools)
    sums.onPool.push_back(&each);
  sums.anywhere = anywhere ? &anywhere->sums() : sums.onPool.front();
  return sums;
}

} // namespace shardsmith::search

// SPDX-License-Identifier: Apache-2.0
//
// Sums over the chain where its units may lie on several kinds of device. No
// kind need be the better one for all blocks:
//
//     block        embedding   layers     sum
//     on kind 0        1         9         10
//     on kind 1        4         5          9
//     anywhere         1         5          6     what a bound may count with
//
// So the least of what each kind needs alone is no bound for both together.

#ifndef SHARDSMITH_LIB_PLAN_CHAINS_POOLSUMS_H
#define SHARDSMITH_LIB_PLAN_CHAINS_POOLSUMS_H

#include "ChainSums.h"

#include <memory>
#include <vector>

namespace shardsmith::search {

struct PoolSums {
  /// If all units lie on that one.
  std::vector<const ChainSums *> onPool;
  /// What they have at least, each of them wherever that is least.
  const ChainSums *anywhere = nullptr;
};

/// The same of several layouts.
class PoolIdeals {
public:
  PoolIdeals() = default;
  /// Per pool and block.
  PoolIdeals(const Chain &chain,
             const std::vector<std::vector<BlockRange>> &ranges,
             RecomputeMask allowed);
  PoolIdeals(const Chain &chain,
             const std::vector<std::vector<UnitMinima>> &units,
             RecomputeMask allowed);

  const PoolSums &sums() const { return poolSums; }
  /// If nothing lies on other pools.
  PoolSums sumsOn(unsigned pool) const {
    return {poolSums.onPool, poolSums.onPool[pool]};
  }

private:
  /// One more than there are pools, if there are several.
  std::vector<std::unique_ptr<ChainIdeal>> ideals;
  PoolSums poolSums;
};

/// Of one layout, whose prices must outlive this.
class LayoutSums {
public:
  LayoutSums() = default;
  LayoutSums(const Chain &chain, const UnitPrices &prices,
             RecomputeMask allowed);

  const ChainSums &onPool(unsigned pool) const { return pools[pool]; }
  PoolSums sums() const;

private:
  std::vector<ChainSums> pools;
  /// If there are several.
  std::unique_ptr<ChainIdeal> anywhere;
};

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_CHAINS_POOLSUMS_H

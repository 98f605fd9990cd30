// SPDX-License-Identifier: Apache-2.0

#include "ChainLayouts.h"

#include <algorithm>

namespace shardsmith::search {

using namespace workload;

/// Where devices differ, layouts that are worth having on any of them.
std::shared_ptr<const PricedTable>
ChainLayouts::price(const PoolKeys &keys) const {
  std::vector<std::unique_ptr<UnitCostModel>> prices;
  for (const UnitKey &key : keys)
    prices.emplace_back(new UnitCostModel(models.modelOf(key)));
  auto table = std::make_shared<PricedTable>();
  for (size_t pool = 0; pool < keys.size(); ++pool)
    for (BlockEntry &entry :
         blockTable(*prices[pool], models.repeats(keys[pool].block))) {
      auto isSame = [&](const BlockEntry &other) {
        return other.layout == entry.layout;
      };
      if (pool > 0 && std::ranges::any_of(table->entries, isSame))
        continue;
      std::vector<UnitCosts> costs;
      for (size_t other = 0; other < keys.size(); ++other)
        costs.push_back(other == pool ? entry.costs
                                      : prices[other]->price(entry.layout));
      auto cannotRun = [](const UnitCosts &each) {
        return each.forward.isSaturated() || each.backwardInput.isSaturated() ||
               each.backwardWeight.isSaturated();
      };
      if (std::ranges::any_of(costs, cannotRun))
        continue;
      table->entries.push_back(std::move(entry));
      table->costs.push_back(std::move(costs));
    }
  return table;
}

LayoutList ChainLayouts::join(const std::vector<PoolKeys> &blocks) {
  PricedTables tables;
  for (const PoolKeys &keys : blocks) {
    std::shared_ptr<const PricedTable> &table = priced[keys];
    if (!table) {
      table = price(keys);
      ++this->tables;
    }
    tables.push_back(table);
  }
  return joinTables(workload, chain, std::move(tables), models.pools(),
                    constraints.recompute);
}

const LayoutList &ChainLayouts::of(const Strategy &outer,
                                   const Placement &placement) {
  std::vector<PoolKeys> blocks(workload.blocks.size());
  for (BlockIndex block = 0; block < blocks.size(); ++block)
    for (unsigned pool = 0; pool < models.pools(); ++pool)
      blocks[block].push_back(
          models.keyOf(block, pool, outer, placement.links[pool]));
  std::lock_guard lock(mutex);
  auto [entry, isNew] = joined.try_emplace(blocks);
  if (isNew)
    entry->second = join(blocks);
  return entry->second;
}

} // namespace shardsmith::search

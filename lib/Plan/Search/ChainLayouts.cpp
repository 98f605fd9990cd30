// SPDX-License-Identifier: Apache-2.0

#include "ChainLayouts.h"

#include <algorithm>
#include <functional>

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
  std::vector<std::shared_ptr<const PricedTable>> tables;
  for (const PoolKeys &keys : blocks) {
    std::shared_ptr<const PricedTable> &table = priced[keys];
    if (!table) {
      table = price(keys);
      ++this->tables;
    }
    tables.push_back(table);
  }
  unsigned pools = models.pools();

  // Entries are chosen block by block in the order of the chain, so that a
  // border is checked as soon as both its sides are known.
  std::vector<ChainLayout> layouts;
  std::vector<const BlockEntry *> chosen(workload.blocks.size(), nullptr);
  std::vector<size_t> indices(workload.blocks.size(), 0);
  std::function<void(size_t)> extend = [&](size_t segment) {
    if (segment == workload.segments.size()) {
      ChainLayout &layout = layouts.emplace_back();
      layout.entries = indices;
      layout.prices.assign(pools, {});
      for (size_t block = 0; block < chosen.size(); ++block)
        for (size_t pool = 0; pool < pools; ++pool)
          layout.prices[pool].push_back(
              tables[block]->costs[indices[block]][pool]);
      return;
    }
    BlockIndex block = workload.segments[segment].block;
    const BlockEntry *before =
        segment == 0 ? nullptr : chosen[workload.segments[segment - 1].block];
    auto agrees = [&](const BlockEntry &entry) {
      return !before || before->outputs == entry.inputs;
    };
    if (chosen[block]) {
      if (agrees(*chosen[block]))
        extend(segment + 1);
      return;
    }
    for (size_t i = 0; i < tables[block]->entries.size(); ++i) {
      const BlockEntry &entry = tables[block]->entries[i];
      if (!agrees(entry))
        continue;
      chosen[block] = &entry;
      indices[block] = i;
      extend(segment + 1);
    }
    chosen[block] = nullptr;
  };
  extend(0);
  for (ChainLayout &layout : layouts)
    for (const std::vector<UnitCosts> &units : layout.prices)
      layout.sums.emplace_back(chain, units, constraints.recompute);
  std::ranges::sort(layouts, [](const ChainLayout &a, const ChainLayout &b) {
    return std::tie(a.sums.front().time, a.entries) <
           std::tie(b.sums.front().time, b.entries);
  });
  LayoutList list{std::move(layouts), {}, std::move(tables)};
  for (size_t pool = 0; !list.layouts.empty() && pool < pools; ++pool) {
    std::vector<const std::vector<UnitCosts> *> units;
    std::vector<const ChainSums *> sums;
    for (const ChainLayout &layout : list.layouts) {
      units.push_back(&layout.prices[pool]);
      sums.push_back(&layout.sums[pool]);
    }
    list.floors.push_back(std::make_unique<ChainFloor>(chain, units, sums,
                                                       constraints.recompute));
  }
  return list;
}

std::vector<BlockLayout> LayoutList::blocksOf(const ChainLayout &layout) const {
  std::vector<BlockLayout> blocks;
  for (size_t block = 0; block < tables.size(); ++block)
    blocks.push_back(tables[block]->entries[layout.entries[block]].layout);
  return blocks;
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

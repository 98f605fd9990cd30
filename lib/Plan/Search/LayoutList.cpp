// SPDX-License-Identifier: Apache-2.0

#include "LayoutList.h"

#include <algorithm>
#include <functional>

namespace shardsmith::search {

using namespace workload;

LayoutList joinTables(const Workload &workload, const Chain &chain,
                      PricedTables tables, unsigned pools,
                      RecomputeMask recompute) {
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
      layout.sums.emplace_back(chain, units, recompute);
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
    list.floors.push_back(
        std::make_unique<ChainFloor>(chain, units, sums, recompute));
  }
  return list;
}

std::vector<BlockLayout> LayoutList::blocksOf(const ChainLayout &layout) const {
  std::vector<BlockLayout> blocks;
  for (size_t block = 0; block < tables.size(); ++block)
    blocks.push_back(tables[block]->entries[layout.entries[block]].layout);
  return blocks;
}

} // namespace shardsmith::search

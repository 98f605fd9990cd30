// SPDX-License-Identifier: Apache-2.0

#include "LayoutList.h"

#include <algorithm>
#include <functional>
#include <tuple>

namespace shardsmith::search {

using namespace workload;

namespace {

/// Calls `visit(entries)` for one entry per block each such that neighbours
/// agree. Blocks are decided in the order of the chain, so that a border is
/// checked as soon as both its sides are known; `block` has `entry`.
class Agreeing {
public:
  Agreeing(const Workload &workload, const PricedTables &tables,
           BlockIndex block, size_t entry,
           std::function<void(const std::vector<size_t> &)> visit)
      : workload(workload), tables(tables), visit(std::move(visit)),
        chosen(workload.blocks.size(), nullptr),
        indices(workload.blocks.size(), 0) {
    chosen[block] = &tables[block]->entries[entry];
    indices[block] = entry;
  }

  void extend(size_t segment = 0) {
    if (segment == workload.segments.size()) {
      visit(indices);
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
  }

private:
  const Workload &workload;
  const PricedTables &tables;
  std::function<void(const std::vector<size_t> &)> visit;
  std::vector<const BlockEntry *> chosen;
  std::vector<size_t> indices;
};

} // namespace

bool isFaster(const ChainLayout &a, const ChainLayout &b) {
  return std::tie(a.sums.onPool(0).time, a.entries) <
         std::tie(b.sums.onPool(0).time, b.entries);
}

LayoutList::LayoutList(const Workload &workload, const Chain &chain,
                       PricedTables givenTables, unsigned pools,
                       RecomputeMask recompute)
    : workload(&workload), chain(&chain), tables(std::move(givenTables)),
      pools(pools), recompute(recompute) {
  const std::vector<int64_t> &units = chain.unitsOfBlocks();
  heaviest = size_t(std::ranges::max_element(units) - units.begin());
  if (std::ranges::none_of(
          tables, [](const auto &table) { return table->entries.empty(); }))
    addGroups();
}

void LayoutList::addGroups() {
  for (size_t entry = 0; entry < tables[heaviest]->entries.size(); ++entry) {
    parts.push_back(std::make_unique<Group>());
    parts.back()->entry = entry;
  }
  auto rangeOf = [&](unsigned pool, size_t block, size_t entry) {
    return BlockRange(tables[block]->costs[entry][pool], recompute);
  };
  std::vector<std::vector<BlockRange>> ranges(pools);
  for (unsigned pool = 0; pool < pools; ++pool)
    for (size_t block = 0; block < tables.size(); ++block) {
      BlockRange &range = ranges[pool].emplace_back(rangeOf(pool, block, 0));
      for (size_t entry = 1; entry < tables[block]->entries.size(); ++entry)
        range.add(rangeOf(pool, block, entry));
    }
  allFloors = PoolFloors(*chain, ranges, recompute);
  for (std::unique_ptr<Group> &group : parts) {
    for (unsigned pool = 0; pool < pools; ++pool)
      ranges[pool][heaviest] = rangeOf(pool, heaviest, group->entry);
    group->floors = PoolFloors(*chain, ranges, recompute);
  }
  std::ranges::sort(parts, {}, [](const std::unique_ptr<Group> &group) {
    return std::pair(group->floors.sums().onPool.front()->time, group->entry);
  });
}

void LayoutList::join(Group &group) const {
  auto isKnown = [&](const std::vector<size_t> &entries) {
    for (size_t block = 0; block < tables.size(); ++block)
      if (tables[block]->isKnown.empty() ||
          !tables[block]->isKnown[entries[block]])
        return false;
    return true;
  };
  auto add = [&](const std::vector<size_t> &entries) {
    if (isKnown(entries))
      return;
    ChainLayout &layout = group.layouts.emplace_back();
    layout.entries = entries;
    layout.prices.resize(pools);
    for (unsigned pool = 0; pool < pools; ++pool)
      for (size_t block = 0; block < tables.size(); ++block)
        layout.prices[pool].push_back(
            tables[block]->costs[entries[block]][pool]);
  };
  Agreeing(*workload, tables, heaviest, group.entry, add).extend();
  for (ChainLayout &layout : group.layouts)
    layout.sums = LayoutSums(*chain, layout.prices, recompute);
  std::ranges::sort(group.layouts, isFaster);
}

const std::vector<ChainLayout> &LayoutList::layoutsOf(size_t index) const {
  Group &group = *parts[index];
  std::call_once(group.isJoined, [&] { join(group); });
  return group.layouts;
}

std::vector<BlockLayout> LayoutList::blocksOf(const ChainLayout &layout) const {
  std::vector<BlockLayout> blocks;
  for (size_t block = 0; block < tables.size(); ++block)
    blocks.push_back(tables[block]->entries[layout.entries[block]].layout);
  return blocks;
}

} // namespace shardsmith::search

// SPDX-License-Identifier: Apache-2.0

#include "LayoutList.h"
#include "ChainBeam.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace shardsmith::search {

using namespace workload;

struct LayoutTables {
  LayoutTables(const Workload &workload, const Chain &chain,
               PricedTables givenTables, unsigned pools,
               RecomputeMask recompute, LayoutCache &room)
      : workload(workload), chain(chain), of(std::move(givenTables)),
        pools(pools), recompute(recompute), room(room), order(of.size()),
        ranges(pools) {
    const std::vector<int64_t> &units = chain.unitsOfBlocks();
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](size_t a, size_t b) {
      return std::pair(-units[a], a) < std::pair(-units[b], b);
    });
    for (unsigned pool = 0; pool < pools; ++pool)
      for (size_t block = 0; block < of.size(); ++block) {
        BlockRange &range = ranges[pool].emplace_back(rangeOf(pool, block, 0));
        for (size_t entry = 1; entry < of[block]->entries.size(); ++entry)
          range.add(rangeOf(pool, block, entry));
      }
  }

  BlockRange rangeOf(unsigned pool, size_t block, size_t entry) const {
    return BlockRange(of[block]->costs[entry][pool], recompute);
  }

  /// An upper bound on the number of layouts that have these entries in common.
  double combinations(size_t blocksChosen) const {
    double product = 1;
    for (size_t i = blocksChosen; i < order.size(); ++i)
      product *= double(of[order[i]]->entries.size());
    return product;
  }

  /// The entry of each block; null for open blocks.
  std::vector<const BlockEntry *>
  entriesOf(const std::vector<size_t> &chosen) const {
    std::vector<const BlockEntry *> entries(of.size(), nullptr);
    for (size_t i = 0; i < chosen.size(); ++i)
      entries[order[i]] = &of[order[i]]->entries[chosen[i]];
    return entries;
  }
  /// Whether neighbours agree wherever two blocks follow each other that are
  /// both chosen.
  bool agree(const std::vector<const BlockEntry *> &entries) const {
    for (size_t i = 1; i < workload.segments.size(); ++i) {
      const BlockEntry *before = entries[workload.segments[i - 1].block];
      const BlockEntry *after = entries[workload.segments[i].block];
      if (before && after && before->outputs != after->inputs)
        return false;
    }
    return true;
  }

  const Workload &workload;
  const Chain &chain;
  /// Per block.
  PricedTables of;
  unsigned pools;
  RecomputeMask recompute;
  LayoutCache &room;
  /// The order in which blocks are chosen: those with most units first.
  std::vector<size_t> order;
  /// The ranges over all entries, per pool and block.
  std::vector<std::vector<BlockRange>> ranges;
  /// If not empty, the list has only these layouts: the entry per layout and
  /// block.
  std::vector<std::vector<size_t>> listed;
};

namespace {

/// Calls `visit(entries)` for every choice of one entry per block such that
/// neighbours agree. Blocks are decided in the order of the chain, so that a
/// border is checked as soon as both of its sides are known.
class Agreeing {
public:
  Agreeing(const LayoutTables &tables, const std::vector<size_t> &given,
           std::function<void(const std::vector<size_t> &)> visit)
      : tables(tables), visit(std::move(visit)),
        chosen(tables.entriesOf(given)), indices(tables.of.size(), 0) {
    for (size_t i = 0; i < given.size(); ++i)
      indices[tables.order[i]] = given[i];
  }

  void extend(size_t segment = 0) {
    const std::vector<Segment> &segments = tables.workload.segments;
    if (segment == segments.size()) {
      visit(indices);
      return;
    }
    BlockIndex block = segments[segment].block;
    const BlockEntry *before =
        segment == 0 ? nullptr : chosen[segments[segment - 1].block];
    auto agrees = [&](const BlockEntry &entry) {
      return !before || before->outputs == entry.inputs;
    };
    if (chosen[block]) {
      if (agrees(*chosen[block]))
        extend(segment + 1);
      return;
    }
    for (size_t i = 0; i < tables.of[block]->entries.size(); ++i) {
      const BlockEntry &entry = tables.of[block]->entries[i];
      if (!agrees(entry))
        continue;
      chosen[block] = &entry;
      indices[block] = i;
      extend(segment + 1);
    }
    chosen[block] = nullptr;
  }

private:
  const LayoutTables &tables;
  std::function<void(const std::vector<size_t> &)> visit;
  std::vector<const BlockEntry *> chosen;
  std::vector<size_t> indices;
};

/// Groups with fewer layouts are not split: bounding the parts would take as
/// long as bounding the layouts.
constexpr double fewLayouts = 64;

} // namespace

bool isFaster(const ChainLayout &a, const ChainLayout &b) {
  return std::tie(a.sums.onPool(0).time, a.entries) <
         std::tie(b.sums.onPool(0).time, b.entries);
}

LayoutGroup::LayoutGroup(const LayoutTables &tables,
                         std::vector<size_t> givenEntries)
    : tables(tables), chosen(std::move(givenEntries)) {
  std::vector<std::vector<BlockRange>> ranges = tables.ranges;
  for (unsigned pool = 0; pool < tables.pools; ++pool)
    for (size_t i = 0; i < chosen.size(); ++i) {
      size_t block = tables.order[i];
      ranges[pool][block] = tables.rangeOf(pool, block, chosen[i]);
    }
  leastOfAll = PoolIdeals(tables.chain, ranges, tables.recompute);
}

bool LayoutGroup::isSplit() const {
  return chosen.empty() || tables.combinations(chosen.size()) > fewLayouts;
}

void LayoutGroup::split(Parts &parts) const {
  auto add = [&](std::vector<size_t> entries) {
    parts.groups.push_back(
        std::make_unique<LayoutGroup>(tables, std::move(entries)));
  };
  if (tables.listed.empty())
    splitByEntry(add);
  else
    for (const std::vector<size_t> &layout : tables.listed) {
      std::vector<size_t> entries;
      for (size_t block : tables.order)
        entries.push_back(layout[block]);
      add(std::move(entries));
    }
  auto timeOf = [](const std::unique_ptr<LayoutGroup> &group) {
    return group->ideals().sums().onPool.front()->time;
  };
  std::ranges::sort(parts.groups, [&](const auto &a, const auto &b) {
    return timeOf(a) != timeOf(b) ? timeOf(a) < timeOf(b)
                                  : a->chosen < b->chosen;
  });
}

void LayoutGroup::splitByEntry(
    const std::function<void(std::vector<size_t>)> &add) const {
  size_t block = tables.order[chosen.size()];
  std::vector<const BlockEntry *> entries = tables.entriesOf(chosen);
  std::vector<size_t> more = chosen;
  more.push_back(0);
  for (size_t entry = 0; entry < tables.of[block]->entries.size(); ++entry) {
    entries[block] = &tables.of[block]->entries[entry];
    more.back() = entry;
    if (tables.agree(entries))
      add(more);
  }
}

void LayoutGroup::join(Parts &parts) const {
  auto isKnown = [&](const std::vector<size_t> &entries) {
    for (size_t block = 0; block < tables.of.size(); ++block)
      if (tables.of[block]->isKnown.empty() ||
          !tables.of[block]->isKnown[entries[block]])
        return false;
    return true;
  };
  auto add = [&](const std::vector<size_t> &entries) {
    if (isKnown(entries))
      return;
    ChainLayout &layout = parts.layouts.emplace_back();
    layout.entries = entries;
    layout.prices.resize(tables.pools);
    for (unsigned pool = 0; pool < tables.pools; ++pool)
      for (size_t block = 0; block < tables.of.size(); ++block)
        layout.prices[pool].push_back(
            tables.of[block]->costs[entries[block]][pool]);
  };
  Agreeing(tables, chosen, add).extend();
  for (ChainLayout &layout : parts.layouts)
    layout.sums = LayoutSums(tables.chain, layout.prices, tables.recompute);
  std::ranges::sort(parts.layouts, isFaster);
}

std::shared_ptr<const LayoutGroup::Parts> LayoutGroup::makeParts() const {
  auto parts = std::make_shared<Parts>();
  if (isSplit())
    split(*parts);
  else
    join(*parts);
  return parts;
}

std::shared_ptr<const LayoutGroup::Parts> LayoutGroup::parts() const {
  {
    std::lock_guard lock(mutex);
    if (kept)
      return kept;
    auto size = int64_t(
        isSplit() ? tables.of[tables.order[chosen.size()]]->entries.size()
                  : tables.combinations(chosen.size()));
    if (tables.room.fetch_sub(size) >= size)
      return kept = makeParts();
    tables.room += size;
  }
  return makeParts();
}

LayoutList::LayoutList() = default;
LayoutList::~LayoutList() = default;
LayoutList::LayoutList(LayoutList &&) noexcept = default;
LayoutList &LayoutList::operator=(LayoutList &&) noexcept = default;

LayoutList::LayoutList(const Workload &workload, const Chain &chain,
                       PricedTables givenTables, unsigned pools,
                       RecomputeMask recompute, LayoutCache &room)
    : LayoutList(workload, chain, std::move(givenTables), pools, recompute,
                 room, std::numeric_limits<double>::infinity()) {}

LayoutList::LayoutList(const Workload &workload, const Chain &chain,
                       PricedTables givenTables, unsigned pools,
                       RecomputeMask recompute, LayoutCache &room,
                       double mostCombinations) {
  for (const std::shared_ptr<const PricedTable> &table : givenTables) {
    whole &= table->isWhole;
    if (table->entries.empty())
      return;
  }
  auto all = std::make_unique<LayoutTables>(
      workload, chain, std::move(givenTables), pools, recompute, room);
  if (ChainBeam beam(workload, chain, all->of);
      beam.combinations() > mostCombinations) {
    whole = false;
    all->listed = beam.run();
    // No two neighbours agree.
    if (all->listed.empty())
      return;
  }
  tables = std::move(all);
  root = std::make_unique<LayoutGroup>(*tables, std::vector<size_t>());
}

const PricedTable &LayoutList::tableOf(size_t block) const {
  return *tables->of[block];
}

std::vector<BlockLayout> LayoutList::blocksOf(const ChainLayout &layout) const {
  std::vector<BlockLayout> blocks;
  for (size_t block = 0; block < tables->of.size(); ++block)
    blocks.push_back(tableOf(block).entries[layout.entries[block]].layout);
  return blocks;
}

} // namespace shardsmith::search

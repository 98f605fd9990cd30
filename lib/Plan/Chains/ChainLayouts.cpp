// SPDX-License-Identifier: Apache-2.0

#include "ChainLayouts.h"

#include <algorithm>

namespace shardsmith::search {

using namespace workload;

template <typename LayoutsOf>
std::shared_ptr<const PricedTable>
ChainLayouts::price(const PoolKeys &keys, LayoutsOf layoutsOf) const {
  std::vector<std::unique_ptr<UnitCostModel>> prices;
  std::vector<const UnitCostModel *> kinds;
  for (const UnitKey &key : keys) {
    prices.push_back(std::make_unique<UnitCostModel>(models.modelOf(key)));
    kinds.push_back(prices.back().get());
  }
  auto table = std::make_shared<PricedTable>();
  LimitedTable layouts = layoutsOf(kinds);
  table->entries = std::move(layouts.entries);
  table->isWhole = layouts.isWhole;
  for (const BlockEntry &entry : table->entries) {
    std::vector<UnitCosts> &costs = table->costs.emplace_back();
    BlockIndex block = keys.front().block;
    costs.push_back(models.inPlans(block, entry.costs));
    for (size_t kind = 1; kind < kinds.size(); ++kind)
      costs.push_back(models.inPlans(block, kinds[kind]->price(entry.layout)));
  }
  return table;
}

std::vector<ChainLayouts::PoolKeys>
ChainLayouts::keysOf(const Strategy &outer, const Placement &placement) const {
  std::vector<PoolKeys> blocks(workload.blocks.size());
  for (BlockIndex block = 0; block < blocks.size(); ++block)
    for (unsigned pool = 0; pool < models.pools(); ++pool)
      blocks[block].push_back(
          models.keyOf(block, pool, outer, placement.links[pool]));
  return blocks;
}

const LayoutList &ChainLayouts::of(const Strategy &outer,
                                   const Placement &placement,
                                   Compare compare) {
  std::vector<PoolKeys> blocks = keysOf(outer, placement);
  return *joined.of({blocks, compare}, [&] {
    PricedTables all;
    for (const PoolKeys &keys : blocks)
      all.push_back(priced.of({keys, compare}, [&] {
        ++tables;
        return price(keys, [&](const auto &kinds) {
          BlockIndex block = keys.front().block;
          return limitedTable(kinds, models.repeats(block), compare, {},
                              mustStop, models.waysOf(block));
        });
      }));
    return std::make_unique<LayoutList>(
        join(std::move(all), room, mostInGroups));
  });
}

StageWork ChainLayouts::mostMemory(const Strategy &outer,
                                   const Placement &placement) {
  StageWork work;
  Bytes output;
  const std::vector<int64_t> &counts = chain.unitsOfBlocks();
  std::vector<PoolKeys> blocks = keysOf(outer, placement);
  for (size_t block = 0; block < blocks.size(); ++block) {
    // Memory is the same on all device kinds.
    const UnitKey &key = blocks[block].front();
    UnitCosts unit = most.of(key, [&] {
      return shardsmith::mostMemory(models.modelOf(key),
                                    models.repeats(key.block));
    });
    // A recomputed unit is held as a whole while it runs.
    unit.transient += unit.saved[size_t(Recompute::None)];
    Bytes saved = std::ranges::max(unit.saved);
    unit.saved.fill(saved);
    output = std::max(output, unit.outputBytes);
    work.append(unit, Recompute::None, counts[block]);
  }
  work.outputBytes = output;
  return work;
}

LayoutList ChainLayouts::few(const Strategy &outer,
                             const Placement &placement) {
  PricedTables few;
  for (const PoolKeys &keys : keysOf(outer, placement))
    few.push_back(pricedFew.of(keys, [&] {
      return price(keys, [&](const auto &kinds) {
        return LimitedTable{
            extremeLayouts(kinds, models.repeats(keys.front().block),
                           models.waysOf(keys.front().block), {}, mustStop),
            false};
      });
    }));
  return join(std::move(few), noRoom, mostOfFew);
}

} // namespace shardsmith::search

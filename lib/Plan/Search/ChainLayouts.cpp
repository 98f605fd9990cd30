// SPDX-License-Identifier: Apache-2.0

#include "ChainLayouts.h"

#include <algorithm>
#include <set>

namespace shardsmith::search {

using namespace workload;

std::shared_ptr<const PricedTable>
ChainLayouts::price(const PoolKeys &keys) const {
  std::vector<std::unique_ptr<UnitCostModel>> prices;
  std::vector<const UnitCostModel *> kinds;
  for (const UnitKey &key : keys) {
    prices.push_back(std::make_unique<UnitCostModel>(models.modelOf(key)));
    kinds.push_back(prices.back().get());
  }
  auto table = std::make_shared<PricedTable>();
  table->entries = blockTable(kinds, models.repeats(keys.front().block));
  for (const BlockEntry &entry : table->entries) {
    std::vector<UnitCosts> &costs = table->costs.emplace_back();
    costs.push_back(entry.costs);
    for (size_t kind = 1; kind < kinds.size(); ++kind)
      costs.push_back(kinds[kind]->price(entry.layout));
  }
  return table;
}

/// Per layout of the borders, on the first kind of device.
std::shared_ptr<const PricedTable>
ChainLayouts::fewOf(const PricedTable &table) const {
  auto numbersOf = [&](const UnitCosts &costs) {
    Bytes saved = Bytes::saturated();
    for (size_t choice = 0; choice < recomputeChoices; ++choice)
      if (constraints.recompute[choice])
        saved = std::min(saved, costs.saved[choice]);
    Nanoseconds time = costs.time(fastestChoice(costs, constraints.recompute));
    return std::array{time.count(), saved.count(),
                      costs.denseParameters + costs.expertParameters};
  };
  // Which entries have the least of each number.
  constexpr size_t numbers = 3;
  using Border =
      std::pair<std::vector<TensorLayout>, std::vector<TensorLayout>>;
  std::map<Border, std::array<size_t, numbers>> least;
  for (size_t i = 0; i < table.entries.size(); ++i) {
    const BlockEntry &entry = table.entries[i];
    auto [place, isNew] = least.try_emplace({entry.inputs, entry.outputs});
    for (size_t number = 0; number < numbers; ++number) {
      size_t &best = place->second[number];
      if (isNew || numbersOf(table.costs[i].front())[number] <
                       numbersOf(table.costs[best].front())[number])
        best = i;
    }
  }
  std::set<size_t> chosen;
  for (const auto &[border, entries] : least)
    chosen.insert(entries.begin(), entries.end());
  auto few = std::make_shared<PricedTable>();
  for (size_t i : chosen) {
    few->entries.push_back(table.entries[i]);
    few->costs.push_back(table.costs[i]);
  }
  return few;
}

PricedTables ChainLayouts::tablesOf(const std::vector<PoolKeys> &blocks) {
  PricedTables tables;
  for (const PoolKeys &keys : blocks) {
    tables.push_back(priced.of(keys, [&] {
      ++this->tables;
      return price(keys);
    }));
  }
  return tables;
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
                                   const Placement &placement) {
  std::vector<PoolKeys> blocks = keysOf(outer, placement);
  return *joined.of(blocks, [&] {
    return std::make_unique<LayoutList>(join(tablesOf(blocks)));
  });
}

LayoutList ChainLayouts::few(const Strategy &outer,
                             const Placement &placement) {
  PricedTables tables = tablesOf(keysOf(outer, placement));
  for (std::shared_ptr<const PricedTable> &table : tables)
    table = fewOf(*table);
  return join(std::move(tables));
}

} // namespace shardsmith::search

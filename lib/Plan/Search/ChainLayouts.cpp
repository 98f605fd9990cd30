// SPDX-License-Identifier: Apache-2.0

#include "ChainLayouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace shardsmith::search {

using namespace workload;

namespace {

/// Equal texts for equal paths.
void describe(std::string &key, const GroupPath &path) {
  auto add = [&](const auto &value) {
    key.append(reinterpret_cast<const char *>(&value), sizeof(value));
  };
  add(path.members);
  for (const PathLevel &level : path.levels) {
    for (const std::string *name :
         {&level.name, &level.group, &level.link, &level.linkKind}) {
      key += *name;
      key += '\0';
    }
    add(level.fanout);
    add(level.latencySeconds);
    add(level.bytesPerSecond);
    add(level.pairBytesPerSecond);
    add(level.multicast);
  }
  key += ';';
}

std::string keyOf(const UnitSetting &setting) {
  std::string key;
  for (int64_t number :
       {setting.microBatch, setting.tensor, setting.context, setting.expert,
        int64_t(setting.contextMethod), int64_t(setting.sequenceParallel),
        int64_t(setting.tiesOnOneRank)}) {
    key.append(reinterpret_cast<const char *>(&number), sizeof(number));
  }
  describe(key, setting.tensorPath);
  describe(key, setting.contextPath);
  describe(key, setting.expertPath);
  return key;
}

} // namespace

/// The layouts of one block under one setting.
struct ChainLayouts::Priced {
  std::vector<BlockEntry> entries;
  /// Per entry and pool.
  std::vector<std::vector<UnitCosts>> costs;
};

ChainLayouts::ChainLayouts(const CostContext &context,
                           const SearchConstraints &constraints)
    : context(context), constraints(constraints), chain(context.workload),
      collectives(context.topology.cluster(), context.profile),
      facts(blockFacts(context.workload)) {
  for (unsigned pool = 0; pool < context.topology.pools().size(); ++pool)
    kernels.emplace_back(context.topology.deviceType(pool), context.profile);
}

UnitSetting ChainLayouts::relevant(BlockIndex block,
                                   UnitSetting setting) const {
  setting.sequenceParallel = constraints.sequenceParallel;
  return facts[block].relevant(std::move(setting));
}

/// Where devices differ, layouts that are worth having on any of them.
std::vector<BlockEntry>
ChainLayouts::entriesOf(BlockIndex block,
                        const std::vector<UnitSetting> &settings,
                        std::vector<std::vector<UnitCosts>> &costs) {
  std::vector<UnitCostModel> models;
  models.reserve(settings.size());
  for (size_t pool = 0; pool < settings.size(); ++pool)
    models.emplace_back(context.workload, block, settings[pool], kernels[pool],
                        collectives);
  std::vector<BlockEntry> entries;
  for (size_t pool = 0; pool < models.size(); ++pool)
    for (BlockEntry &entry : blockTable(models[pool], facts[block].repeats)) {
      auto isSame = [&](const BlockEntry &other) {
        return other.layout == entry.layout;
      };
      if (pool > 0 && std::ranges::any_of(entries, isSame))
        continue;
      std::vector<UnitCosts> prices;
      for (size_t other = 0; other < models.size(); ++other)
        prices.push_back(other == pool ? entry.costs
                                       : models[other].price(entry.layout));
      auto cannotRun = [](const UnitCosts &each) {
        return each.forward.isSaturated() || each.backwardInput.isSaturated() ||
               each.backwardWeight.isSaturated();
      };
      if (std::ranges::any_of(prices, cannotRun))
        continue;
      entries.push_back(std::move(entry));
      costs.push_back(std::move(prices));
    }
  return entries;
}

LayoutList ChainLayouts::join(const std::vector<UnitSetting> &settings) {
  const Workload &workload = context.workload;
  std::vector<std::shared_ptr<Priced>> tables;
  for (BlockIndex block = 0; block < workload.blocks.size(); ++block) {
    std::vector<UnitSetting> seen;
    std::string key = std::to_string(block) + ':';
    for (const UnitSetting &setting : settings) {
      seen.push_back(relevant(block, setting));
      key += keyOf(seen.back());
    }
    std::shared_ptr<Priced> &table = priced[key];
    if (!table) {
      table = std::make_shared<Priced>();
      table->entries = entriesOf(block, seen, table->costs);
      ++this->tables;
    }
    tables.push_back(table);
  }

  // Entries are chosen block by block in the order of the chain, so that a
  // border is checked as soon as both its sides are known.
  std::vector<ChainLayout> layouts;
  std::vector<const BlockEntry *> chosen(workload.blocks.size(), nullptr);
  std::vector<size_t> indices(workload.blocks.size(), 0);
  std::function<void(size_t)> extend = [&](size_t segment) {
    if (segment == workload.segments.size()) {
      ChainLayout &layout = layouts.emplace_back();
      layout.entries = indices;
      layout.prices.assign(settings.size(), {});
      for (size_t block = 0; block < chosen.size(); ++block) {
        layout.layouts.push_back(chosen[block]->layout);
        for (size_t pool = 0; pool < settings.size(); ++pool)
          layout.prices[pool].push_back(
              tables[block]->costs[indices[block]][pool]);
      }
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
  LayoutList list{std::move(layouts), {}};
  for (size_t pool = 0; !list.layouts.empty() && pool < settings.size();
       ++pool) {
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

const LayoutList &ChainLayouts::of(const Strategy &outer) {
  std::vector<UnitSetting> settings;
  std::string key;
  for (unsigned pool = 0; pool < kernels.size(); ++pool) {
    settings.push_back(unitSetting(context, outer, pool));
    key += keyOf(settings.back());
  }
  std::lock_guard lock(mutex);
  auto [entry, isNew] = joined.try_emplace(key);
  if (isNew)
    entry->second = join(settings);
  return entry->second;
}

Nanoseconds ChainLayouts::fastestUnit(BlockIndex block, const Strategy &outer) {
  std::lock_guard lock(mutex);
  Nanoseconds least = Nanoseconds::saturated();
  for (unsigned pool = 0; pool < kernels.size(); ++pool) {
    UnitSetting setting = relevant(block, unitSetting(context, outer, pool));
    auto [entry, isNew] = fastest.try_emplace(
        fmt::format("{}:{}:{}", block, pool, keyOf(setting)));
    if (isNew) {
      UnitCostModel model(context.workload, block, setting, kernels[pool],
                          collectives);
      entry->second = fastestUnit(model, facts[block].repeats);
    }
    least = std::min(least, entry->second);
  }
  return least;
}

Nanoseconds ChainLayouts::fastestUnit(const UnitCostModel &model,
                                      bool repeats) const {
  Nanoseconds least = Nanoseconds::saturated();
  for (size_t choice = 0; choice < recomputeChoices; ++choice) {
    if (!constraints.recompute[choice])
      continue;
    least = std::min(
        least, shardsmith::fastestUnit(model, Recompute(choice), repeats));
    // Nothing is faster than to recompute nothing.
    if (Recompute(choice) == Recompute::None)
      break;
  }
  return least;
}

Nanoseconds ChainLayouts::kernelFloor(BlockIndex block,
                                      const UnitSetting &setting) const {
  const Workload &workload = context.workload;
  Nanoseconds least = Nanoseconds::saturated();
  for (const KernelTimes &pool : kernels) {
    UnitCostModel model(workload, block, setting, pool, collectives);
    UnitCosts sum;
    for (OpIndex op = 0; op < workload.blocks[block].ops.size(); ++op) {
      Nanoseconds best = Nanoseconds::saturated();
      for (OpSplit split : model.shapes().splits(op)) {
        const UnitCosts &costs = model.op(op, split);
        best = std::min(best, costs.forward + costs.backwardInput +
                                  costs.backwardWeight);
      }
      sum.backwardInput += best;
    }
    UnitCosts finished = model.finish(sum);
    least = std::min(least, finished.forward + finished.backwardInput);
  }
  return least;
}

std::vector<Nanoseconds> ChainLayouts::kernelFloors(int64_t tensor,
                                                    int64_t context,
                                                    int64_t expert,
                                                    int64_t microBatch) {
  UnitSetting setting;
  setting.microBatch = microBatch;
  setting.tensor = tensor;
  setting.context = context;
  setting.expert = expert;
  std::vector<Nanoseconds> times;
  std::lock_guard lock(mutex);
  for (BlockIndex block = 0; block < facts.size(); ++block) {
    UnitSetting seen = relevant(block, setting);
    auto [entry, isNew] =
        floors.try_emplace({int64_t(block), seen.tensor, seen.context,
                            seen.expert, seen.microBatch});
    if (isNew)
      entry->second = kernelFloor(block, seen);
    times.push_back(entry->second);
  }
  return times;
}

} // namespace shardsmith::search

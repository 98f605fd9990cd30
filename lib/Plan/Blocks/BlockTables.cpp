// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/Blocks/BlockTable.h"

namespace shardsmith {

using namespace workload;

struct BlockTables::Cached {
  BlockIndex block;
  unsigned pool;
  UnitSetting setting;
  std::vector<BlockEntry> entries;
};

BlockTables::BlockTables(const Workload &workload,
                         const CollectiveTimes &collectives)
    : workload(workload), collectives(collectives),
      facts(blockFacts(workload)) {}

BlockTables::~BlockTables() = default;

size_t BlockTables::size() const { return cached.size(); }

const std::vector<BlockEntry> &BlockTables::table(BlockIndex block,
                                                  const UnitSetting &given,
                                                  unsigned pool,
                                                  const KernelTimes &kernels) {
  UnitSetting setting = facts[block].relevant(given);
  for (const std::unique_ptr<Cached> &table : cached)
    if (table->block == block && table->pool == pool &&
        table->setting == setting)
      return table->entries;
  UnitCostModel model(workload, block, setting, kernels, collectives);
  cached.push_back(std::make_unique<Cached>(
      Cached{block, pool, std::move(setting),
             blockTable(model, facts[block].repeats)}));
  return cached.back()->entries;
}

} // namespace shardsmith

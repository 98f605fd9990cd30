// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/BlockTable.h"

#include <algorithm>

namespace shardsmith {

using namespace workload;

namespace {

bool hasOp(const Block &block, OpKind kind) {
  return std::ranges::any_of(block.ops,
                             [&](const Op &op) { return op.kind == kind; });
}

bool hasExperts(const Block &block) {
  return std::ranges::any_of(block.ops, [](const Op &op) {
    return op.expertsPerToken > 0 ||
           std::ranges::any_of(op.factors, [](const Factor &factor) {
             return factor.role == FactorRole::Expert;
           });
  });
}

/// Settings that differ in nothing the block can see become equal.
UnitSetting relevant(const Workload &workload, BlockIndex index,
                     UnitSetting setting) {
  const Block &block = workload.blocks[index];
  if (!hasExperts(block)) {
    setting.expert = 1;
    setting.expertPath = {};
  }
  if (setting.context == 1 || !hasOp(block, OpKind::Attention))
    setting.contextMethod = ContextMethod::Ring;
  if (setting.tensor == 1)
    setting.sequenceParallel = true;
  bool hasTies = false;
  for (size_t i = 0; i < block.parameters.size(); ++i)
    hasTies |= workload.isTied(index, i);
  setting.tiesOnOneRank &= hasTies;
  return setting;
}

} // namespace

struct BlockTables::Cached {
  BlockIndex block;
  unsigned pool;
  UnitSetting setting;
  std::vector<BlockEntry> entries;
};

BlockTables::BlockTables(const Workload &workload,
                         const CollectiveTimes &collectives)
    : workload(workload), collectives(collectives),
      repeats(workload.blocks.size(), false) {
  const Segment *previous = nullptr;
  for (const Segment &segment : workload.segments) {
    if (segment.count > 1 || (previous && previous->block == segment.block))
      repeats[segment.block] = true;
    previous = &segment;
  }
}

BlockTables::~BlockTables() = default;

size_t BlockTables::size() const { return cached.size(); }

const std::vector<BlockEntry> &BlockTables::table(BlockIndex block,
                                                  const UnitSetting &given,
                                                  unsigned pool,
                                                  const KernelTimes &kernels) {
  UnitSetting setting = relevant(workload, block, given);
  for (const std::unique_ptr<Cached> &table : cached)
    if (table->block == block && table->pool == pool &&
        table->setting == setting)
      return table->entries;
  UnitCostModel model(workload, block, setting, kernels, collectives);
  cached.push_back(std::make_unique<Cached>(Cached{
      block, pool, std::move(setting), blockTable(model, repeats[block])}));
  return cached.back()->entries;
}

} // namespace shardsmith

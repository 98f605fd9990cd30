// SPDX-License-Identifier: Apache-2.0

#include "UnitModels.h"
#include "../Support/NumberHash.h"

#include "shardsmith/Cost/Step/StepModel.h"

#include <algorithm>
#include <numeric>

namespace shardsmith::search {

using namespace workload;

size_t UnitKey::Hash::operator()(const UnitKey &key) const {
  NumberHash hash;
  hash.add(key.block | uint64_t(key.pool) << 32);
  hash.add(uint64_t(key.microBatch));
  hash.add(uint64_t(key.tensor) << 32 ^ uint64_t(key.context));
  hash.add(uint64_t(key.expert) << 1 | uint64_t(key.contextMethod));
  hash.add(key.links.tensor | uint64_t(key.links.context) << 32);
  hash.add(key.links.expert);
  return hash;
}

UnitModels::UnitModels(const CostContext &context,
                       const SearchConstraints &constraints,
                       Placements &placements)
    : context(context), constraints(constraints), placements(placements),
      collectives(context.topology.cluster(), context.profile),
      facts(blockFacts(context.workload)) {
  ParameterSharing sharing = sharedParameters(context.workload);
  for (unsigned pool = 0; pool < context.topology.pools().size(); ++pool) {
    kernels.emplace_back(context.topology.deviceType(pool), context.profile);
    memory = std::max(memory, usableMemory(context, pool));
  }
  for (const KernelTimes &device : kernels) {
    std::vector<std::shared_ptr<const PricedBlock>> &blocks =
        priced.emplace_back();
    for (BlockIndex block = 0; block < facts.size(); ++block)
      blocks.push_back(std::make_shared<PricedBlock>(
          context.workload, block, sharing, device,
          constraints.parameterSplits ? (*constraints.parameterSplits)[block]
                                      : BlockSplits()));
  }
}

UnitKey UnitModels::keyOf(BlockIndex block, unsigned pool,
                          const Strategy &outer, const UnitLinks &links) const {
  UnitSetting seen = facts[block].relevant(unitSetting(outer));
  // Groups of one have no links.
  UnitLinks used = {seen.tensor == 1 ? 0 : links.tensor,
                    seen.context == 1 ? 0 : links.context,
                    seen.expert == 1 ? 0 : links.expert};
  UnitKey key;
  static_cast<UnitDegrees &>(key) = seen;
  key.block = block;
  key.pool = pool;
  key.microBatch = seen.microBatch;
  key.links = used;
  return key;
}

bool UnitModels::hasOps(BlockIndex block, BlockPart part,
                        bool countPositions) const {
  const PricedBlock &known = *priced.front()[block];
  for (OpIndex op = 0; op < known.block.ops.size(); ++op)
    if (known.isIn(op, part, countPositions))
      return true;
  return false;
}

RecomputeMask UnitModels::waysOf(BlockIndex block) const {
  if (mayRecompute(block))
    return constraints.recompute;
  RecomputeMask none = {};
  none[size_t(Recompute::None)] = true;
  return none;
}

UnitCosts UnitModels::inPlans(BlockIndex block, UnitCosts costs) const {
  if (mayRecompute(block))
    return costs;
  costs.recompute.fill({});
  costs.saved.fill(costs.saved[size_t(Recompute::None)]);
  return costs;
}

UnitKey UnitModels::countingPositions(UnitKey key) const {
  const BlockStructure &structure = *priced[key.pool][key.block]->structure;
  key.contextMethod = ContextMethod::Ring;
  key.links.context = 0;
  if (structure.dealsOut(key)) {
    int64_t common = std::gcd(key.microBatch, key.context);
    key.microBatch /= common;
    key.context /= common;
  }
  return key;
}

UnitCostModel
UnitModels::modelOf(const UnitKey &key,
                    std::shared_ptr<ExchangeCache> exchanges) const {
  UnitSetting setting;
  setting.microBatch = key.microBatch;
  static_cast<UnitDegrees &>(setting) = key;
  setting.paths =
      key.links.map([&](uint32_t number) { return placements.paths(number); });
  setting.sequenceParallel = constraints.sequenceParallel || key.tensor == 1;
  setting.splitsFeatures = constraints.splitsFeatures || key.tensor == 1;
  return UnitCostModel(priced[key.pool][key.block], std::move(setting),
                       collectives, std::move(exchanges));
}

} // namespace shardsmith::search

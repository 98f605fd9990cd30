// SPDX-License-Identifier: Apache-2.0

#include "UnitModels.h"

#include "shardsmith/Cost/StepModel.h"

#include <algorithm>

namespace shardsmith::search {

using namespace workload;

UnitModels::UnitModels(const CostContext &context,
                       const SearchConstraints &constraints,
                       Placements &placements)
    : context(context), constraints(constraints), placements(placements),
      collectives(context.topology.cluster(), context.profile),
      facts(blockFacts(context.workload)) {
  for (unsigned pool = 0; pool < context.topology.pools().size(); ++pool) {
    kernels.emplace_back(context.topology.deviceType(pool), context.profile);
    memory = std::max(memory, usableMemory(context, pool));
  }
}

UnitKey UnitModels::keyOf(BlockIndex block, unsigned pool,
                          const Strategy &outer, const UnitLinks &links) const {
  UnitSetting seen = facts[block].relevant(unitSetting(outer));
  // Groups of one have no links.
  UnitLinks used = {seen.tensor == 1 ? 0 : links.tensor,
                    seen.context == 1 ? 0 : links.context,
                    seen.expert == 1 ? 0 : links.expert};
  return {block,        pool,        seen.microBatch,    seen.tensor,
          seen.context, seen.expert, seen.contextMethod, seen.tiesOnOneRank,
          used};
}

UnitCostModel UnitModels::modelOf(const UnitKey &key) const {
  UnitSetting setting;
  setting.microBatch = key.microBatch;
  setting.tensor = key.tensor;
  setting.context = key.context;
  setting.expert = key.expert;
  setting.tensorPath = placements.paths(key.links.tensor);
  setting.contextPath = placements.paths(key.links.context);
  setting.expertPath = placements.paths(key.links.expert);
  setting.contextMethod = key.contextMethod;
  setting.sequenceParallel = constraints.sequenceParallel || key.tensor == 1;
  setting.tiesOnOneRank = key.tiesOnOneRank;
  return UnitCostModel(context.workload, key.block, setting, kernels[key.pool],
                       collectives);
}

} // namespace shardsmith::search

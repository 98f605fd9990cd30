// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/Blocks/BlockTable.h"

#include <algorithm>

namespace shardsmith {

using namespace workload;

UnitSetting BlockFacts::relevant(UnitSetting setting) const {
  if (!hasExperts) {
    setting.expert = 1;
    setting.paths.expert = {};
  }
  setting.forgetMethodUnless(hasAttention);
  if (setting.tensor == 1)
    setting.sequenceParallel = setting.splitsFeatures = true;
  return setting;
}

std::vector<BlockFacts> blockFacts(const Workload &workload) {
  std::vector<BlockFacts> facts(workload.blocks.size());
  const Segment *previous = nullptr;
  for (const Segment &segment : workload.segments) {
    facts[segment.block].repeats |=
        segment.count > 1 || (previous && previous->block == segment.block);
    previous = &segment;
  }
  for (BlockIndex index = 0; index < facts.size(); ++index) {
    const Block &block = workload.blocks[index];
    for (const Op &op : block.ops) {
      facts[index].hasAttention |= op.attention.has_value();
      facts[index].hasExperts |= op.seesExperts();
    }
  }
  return facts;
}

} // namespace shardsmith

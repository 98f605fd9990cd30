// SPDX-License-Identifier: Apache-2.0

#include "SearchViewParts.h"

#include "shardsmith/Plan/Blocks/BlockTable.h"
#include "shardsmith/Workload/ParameterSharing.h"

namespace shardsmith::search {

using namespace workload;

namespace {

std::string factsOf(const BlockFacts &facts) {
  std::string text;
  if (facts.repeats)
    text += ", follows itself";
  if (facts.hasAttention)
    text += ", has attention";
  if (facts.hasExperts)
    text += ", has experts";
  return text;
}

/// The bytes that a unit hands to the next one, per sequence.
Bytes handedOn(const Block &block) {
  Bytes bytes;
  for (TensorIndex output : block.outputs)
    bytes += block.tensors[output].bytes();
  return bytes;
}

} // namespace

std::string showChain(const CostContext &context) {
  const Workload &workload = context.workload;
  Chain chain(workload);
  std::vector<BlockFacts> facts = blockFacts(workload);
  ViewText text;
  text.line("chain: {} units in {} segments of {} blocks, {} sequences of {} "
            "positions",
            chain.units(), chain.segments(), workload.blocks.size(),
            workload.globalBatch, workload.sequenceLength);
  for (size_t segment = 0; segment < chain.segments(); ++segment) {
    int64_t begin = chain.begin(segment);
    text.line("segment {}: units [{}, {}) of {}", segment, begin,
              begin + chain.count(segment),
              nameOfBlock(workload, chain.blockOf(segment)));
  }
  for (BlockIndex index = 0; index < workload.blocks.size(); ++index) {
    const Block &block = workload.blocks[index];
    int64_t parameters = 0;
    for (TensorIndex parameter : block.parameters)
      parameters += block.tensors[parameter].elementCount();
    text.line("{}: {} units, {} ops, {} parameters, hands on {} bytes{}",
              nameOfBlock(workload, index), chain.unitsOfBlocks()[index],
              block.ops.size(), parameters, handedOn(block).count(),
              factsOf(facts[index]));
  }
  if (std::optional<size_t> segment = longSegment(chain))
    text.line("long segment: {}", *segment);
  else
    text.line("no long segment: ranks with several stages get listed cuts");
  if (!workload.microBatchObstacle.empty())
    text.line("one micro-batch: {}", workload.microBatchObstacle);
  return text.take();
}

} // namespace shardsmith::search

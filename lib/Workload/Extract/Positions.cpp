// SPDX-License-Identifier: Apache-2.0

#include "Positions.h"

#include "shardsmith/Transforms/PositionOrder.h"

using namespace mlir;

namespace shardsmith::workload {
namespace {

/// The queries of an attention, as a part of a dimension of its probabilities.
std::optional<PositionPart> queriesOf(const ModelGraph &graph,
                                      const Attention &attention) {
  std::optional<PositionPart> part;
  ArrayRef<Leaf> leaves = graph.leavesOf(attention.probabilities.value);
  for (auto [leaf, number] :
       llvm::zip(leaves, attention.probabilities.leaves)) {
    bool isQuery = number != Attention::noLeaf &&
                   attention.leaves[number].part == AttentionLeaf::Part::Query;
    if (part && leaf.dim == part->dim)
      part->inner *= leaf.size;
    if (isQuery)
      part = PositionPart{leaf.dim, 1, leaf.size};
  }
  return part;
}

} // namespace

std::string findPositionObstacle(const ModelGraph &graph,
                                 const std::deque<Attention> &attentions) {
  PositionOrder order(graph.getModule());
  bool isCausal = false;
  for (const Attention &attention : attentions) {
    std::optional<PositionPart> part =
        attention.causal ? queriesOf(graph, attention) : std::nullopt;
    if (!part)
      continue;
    isCausal = true;
    for (OpOperand &use : attention.mix->getOpOperands())
      if (use.get() == attention.probabilities.value)
        order.reorder(use, *part);
  }
  return isCausal ? order.follow() : std::string();
}

} // namespace shardsmith::workload

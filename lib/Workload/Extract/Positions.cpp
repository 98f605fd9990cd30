// SPDX-License-Identifier: Apache-2.0

#include "Positions.h"

#include "shardsmith/Train/ExpertRows.h"
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

/// An operand of causal attention, and where it has the queries.
struct Queries {
  OpOperand *use;
  PositionPart part;
};

std::vector<Queries> causalQueries(const ModelGraph &graph,
                                   const std::deque<Attention> &attentions) {
  std::vector<Queries> result;
  for (const Attention &attention : attentions) {
    std::optional<PositionPart> part =
        attention.causal ? queriesOf(graph, attention) : std::nullopt;
    if (!part)
      continue;
    for (OpOperand &use : attention.mix->getOpOperands())
      if (use.get() == attention.probabilities.value)
        result.push_back({&use, *part});
  }
  return result;
}

} // namespace

std::string findPositionObstacle(const ModelGraph &graph,
                                 const std::deque<Attention> &attentions) {
  std::vector<Queries> all = causalQueries(graph, attentions);
  if (all.empty())
    return {};
  // As programs have it when their positions are dealt out.
  IRMapping copies;
  OwningOpRef<ModuleOp> unsorted =
      copyWithExpertRowsFollowed(graph.getModule(), copies);
  PositionOrder order(unsorted ? *unsorted : graph.getModule());
  for (auto [use, part] : all) {
    Operation *owner = use->getOwner();
    if (unsorted)
      owner = copies.lookup(owner);
    order.reorder(owner->getOpOperand(use->getOperandNumber()), part);
  }
  return order.follow();
}

} // namespace shardsmith::workload

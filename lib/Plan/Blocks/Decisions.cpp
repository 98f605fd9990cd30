// SPDX-License-Identifier: Apache-2.0

#include "Decisions.h"

namespace shardsmith::blocks {

DecisionPool::Index DecisionPool::leaf(Decision decision) {
  nodes.push_back({Node::Leaf, decision.about, decision.index, decision.value});
  return Index(nodes.size() - 1);
}

DecisionPool::Index DecisionPool::both(Index a, Index b) {
  if (a == nothing)
    return b;
  if (b == nothing)
    return a;
  nodes.push_back({Node::Union, Decision::About::Split, a, b});
  return Index(nodes.size() - 1);
}

void DecisionPool::visit(Index index,
                         const std::function<void(Decision)> &visitor) const {
  const Node &node = nodes[index];
  if (node.kind == Node::Leaf)
    visitor({node.about, node.first, node.second});
  if (node.kind != Node::Union)
    return;
  visit(node.first, visitor);
  visit(node.second, visitor);
}

} // namespace shardsmith::blocks

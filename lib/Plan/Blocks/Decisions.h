// SPDX-License-Identifier: Apache-2.0
//
// What was decided on the way to a cost.

#ifndef SHARDSMITH_LIB_PLAN_BLOCKS_DECISIONS_H
#define SHARDSMITH_LIB_PLAN_BLOCKS_DECISIONS_H

#include <cstdint>
#include <functional>
#include <vector>

namespace shardsmith::blocks {

/// The split of an op, or the layout in which a tensor is kept.
struct Decision {
  enum class About : uint8_t { Split, Kept };
  About about;
  /// The op's or the tensor's number in its block.
  uint32_t index;
  /// The number of the choice among those that are possible.
  uint32_t value;

  static Decision split(uint32_t op, uint32_t value) {
    return {About::Split, op, value};
  }
  static Decision kept(uint32_t tensor, uint32_t value) {
    return {About::Kept, tensor, value};
  }
};

/// Sets of decisions, each a leaf or the union of two others.
class DecisionPool {
public:
  using Index = uint32_t;
  /// Decides nothing.
  static constexpr Index nothing = 0;

  DecisionPool() : nodes(1) {}
  Index leaf(Decision decision);
  Index both(Index a, Index b);
  size_t size() const { return nodes.size(); }
  /// Calls `visitor` with every decision of a set, in no particular order.
  void visit(Index index, const std::function<void(Decision)> &visitor) const;

private:
  struct Node {
    enum { Nothing, Leaf, Union } kind = Nothing;
    /// What the decision of a leaf is about.
    Decision::About about = Decision::About::Split;
    /// The index and the value of a leaf's decision, or the two sets of a
    /// union.
    uint32_t first = 0, second = 0;
  };
  std::vector<Node> nodes;
};

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_DECISIONS_H

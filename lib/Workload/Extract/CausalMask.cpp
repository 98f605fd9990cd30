// SPDX-License-Identifier: Apache-2.0

#include "CausalMask.h"

#include "ConstantValues.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;

namespace shardsmith::workload {
namespace {

/// What masks write for keys that must not be seen: the least number of some
/// type, or one of the customary large ones.
constexpr double masked = -1e4;

/// Whether the mask hides this element; nothing if that is unknown.
std::optional<bool> isHidden(const ModelGraph &graph, Operation *op,
                             ArrayRef<int64_t> at) {
  if (isa<stablehlo::AddOp>(op)) {
    for (Value operand : op->getOperands())
      if (auto addend = elementAt(graph, operand, at))
        return *addend <= masked;
    return std::nullopt;
  }
  auto select = dyn_cast<stablehlo::SelectOp>(op);
  if (!select)
    return std::nullopt;
  if (cast<RankedTensorType>(select.getPred().getType()).getRank() == 0)
    return std::nullopt;
  auto pred = elementAt(graph, select.getPred(), at);
  if (!pred)
    return std::nullopt;
  auto chosen = elementAt(graph, op->getOperand(*pred != 0 ? 1 : 2), at);
  return chosen && *chosen <= masked;
}

} // namespace

bool hidesFuture(const ModelGraph &graph, Operation *op, unsigned queryLeaf,
                 unsigned keyLeaf) {
  if (!isa<stablehlo::AddOp, stablehlo::SelectOp>(op))
    return false;
  ArrayRef<Leaf> leaves = graph.leavesOf(op->getResult(0));
  int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  int64_t count = std::min(leaves[queryLeaf].size, leaves[keyLeaf].size);
  auto isHiddenAt = [&](int64_t query, int64_t key) {
    SmallVector<int64_t, 4> at(rank, 0);
    for (auto [leaf, index] : {std::pair(queryLeaf, query), {keyLeaf, key}}) {
      for (size_t minor = leaf + 1; minor < leaves.size(); ++minor)
        if (leaves[minor].dim == leaves[leaf].dim)
          index *= leaves[minor].size;
      at[leaves[leaf].dim] += index;
    }
    return isHidden(graph, op, at);
  };
  // The far corner, and both sides of the diagonal in three places. Other
  // masks may hide more, so keys that are seen may be unknown.
  if (count < 2 || isHiddenAt(0, count - 1) != true)
    return false;
  for (int64_t at : {int64_t(0), (count - 1) / 2, count - 2})
    if (isHiddenAt(at, at + 1) != true || isHiddenAt(at, at) == true)
      return false;
  return true;
}

} // namespace shardsmith::workload

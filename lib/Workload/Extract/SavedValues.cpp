// SPDX-License-Identifier: Apache-2.0
//
// The part of FusedOpBuilder that finds what the backward pass reads.

#include "FusedOp.h"

using namespace mlir;

namespace shardsmith::workload {

/// An op that is linear in an operand needs the operands outside of that
/// linear set; another op needs all of them.
void FusedOpBuilder::markSaved() {
  for (Operation *op : group.ops) {
    LeafRule rule = graph.leafRuleOf(op);
    if (!graph.hasGradient(op))
      continue;
    for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
      if (!graph.hasGradient(operand))
        continue;
      ArrayRef<unsigned> linear;
      for (ArrayRef<unsigned> set : rule.linearOperandSets)
        if (llvm::is_contained(set, unsigned(index)))
          linear = set;
      for (auto [other, value] : llvm::enumerate(op->getOperands()))
        if (!llvm::is_contained(linear, unsigned(other)))
          save(value);
    }
  }
}

/// A value inside the group is computed again from what the group reads.
void FusedOpBuilder::save(Value value) {
  value = sourceOf(graph, value).root;
  if (graph.originOf(value) != Origin::Activation ||
      !savedValues.insert(value).second)
    return;
  if (!isProducedHere(value) || llvm::is_contained(results, value)) {
    if (!isRouted(value))
      builder.setSaved(value);
    return;
  }
  for (Value operand : value.getDefiningOp()->getOperands())
    save(operand);
}

} // namespace shardsmith::workload

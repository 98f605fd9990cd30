// SPDX-License-Identifier: Apache-2.0

#include "FactorSpread.h"

using namespace mlir;

namespace shardsmith::workload {

FactorSpread::FactorSpread(const ModelGraph &graph,
                           ArrayRef<Operation *> list) {
  ops.reserve(list.size());
  for (Operation *op : list) {
    Tied &tied = ops.emplace_back(Tied{op, graph.leafRuleOf(op), {}});
    for (Value operand : op->getOperands())
      tied.sources.push_back(sourceOf(graph, operand));
  }
}

std::optional<FactorIndex> FactorSpread::lookup(Value value,
                                                unsigned leaf) const {
  auto found = known.find({value, leaf});
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

std::optional<FactorIndex>
FactorSpread::lookup(const Tied &tied, unsigned operand, unsigned leaf) const {
  if (auto factor = lookup(tied.op->getOperand(operand), leaf))
    return factor;
  const Source &source = tied.sources[operand];
  int place = source.leafOf[leaf];
  return place < 0 ? std::nullopt : lookup(source.root, place);
}

/// True if something became known.
bool FactorSpread::visit(const Tied &tied) {
  SmallVector<std::optional<FactorIndex>> of(tied.rule.factors.size());
  auto learn = [&](unsigned ruleFactor, std::optional<FactorIndex> factor) {
    if (factor && !of[ruleFactor])
      of[ruleFactor] = factor;
  };
  for (auto [index, leaves] : llvm::enumerate(tied.rule.operands))
    for (auto [leaf, ruleFactor] : llvm::enumerate(leaves))
      learn(ruleFactor, lookup(tied, index, leaf));
  for (auto [index, leaves] : llvm::enumerate(tied.rule.results))
    for (auto [leaf, ruleFactor] : llvm::enumerate(leaves))
      learn(ruleFactor, lookup(tied.op->getResult(index), leaf));

  bool changed = false;
  auto teach = [&](Value value, unsigned leaf, unsigned ruleFactor) {
    if (of[ruleFactor])
      changed |= known.try_emplace({value, leaf}, *of[ruleFactor]).second;
  };
  for (auto [index, leaves] : llvm::enumerate(tied.rule.operands))
    for (auto [leaf, ruleFactor] : llvm::enumerate(leaves)) {
      teach(tied.op->getOperand(index), leaf, ruleFactor);
      const Source &source = tied.sources[index];
      if (source.leafOf[leaf] >= 0)
        teach(source.root, source.leafOf[leaf], ruleFactor);
    }
  for (auto [index, leaves] : llvm::enumerate(tied.rule.results))
    for (auto [leaf, ruleFactor] : llvm::enumerate(leaves))
      teach(tied.op->getResult(index), leaf, ruleFactor);
  return changed;
}

std::vector<MappedOp> FactorSpread::run() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Tied &tied : ops)
      changed |= visit(tied);
    for (const Tied &tied : llvm::reverse(ops))
      changed |= visit(tied);
  }
  std::vector<MappedOp> mapped;
  mapped.reserve(ops.size());
  for (const Tied &tied : ops) {
    MappedOp &entry = mapped.emplace_back();
    entry.op = tied.op;
    for (auto [index, leaves] : llvm::enumerate(tied.rule.operands)) {
      PartFactors &factors = entry.operands.emplace_back();
      for (unsigned leaf = 0; leaf < leaves.size(); ++leaf)
        factors.push_back(lookup(tied, index, leaf));
    }
    for (auto [index, leaves] : llvm::enumerate(tied.rule.results)) {
      PartFactors &factors = entry.results.emplace_back();
      for (unsigned leaf = 0; leaf < leaves.size(); ++leaf)
        factors.push_back(lookup(tied.op->getResult(index), leaf));
    }
  }
  return mapped;
}

} // namespace shardsmith::workload

// SPDX-License-Identifier: Apache-2.0

#include "BlockBuilder.h"

#include "FactorSpread.h"

using namespace mlir;

namespace shardsmith::workload {

FactorIndex OpDraft::addFactor(int64_t size, FactorKind kind, FactorRole role) {
  op.factors.push_back({"", size, kind, role});
  return op.factors.size() - 1;
}

FactorIndex OpDraft::addFactor(const Leaf &leaf, FactorKind kind) {
  return addFactor(builder.graph.normalizedSize(leaf), kind,
                   builder.graph.axes.roleOf(leaf.axis));
}

void OpDraft::addOperand(Value value, ArrayRef<FactorIndex> factors) {
  Source source = sourceOf(builder.graph, value);
  ArrayRef<Leaf> leaves = builder.graph.leavesOf(source.root);
  noteInner(value, factors);
  TensorUse use;
  use.tensor = builder.tensorOf(source.root);
  use.dims.resize(leaves.size());
  for (auto [leaf, factor] : llvm::enumerate(factors))
    if (int place = source.leafOf[leaf]; place >= 0 && factor != noFactor)
      use.dims[place] = {factor};
  for (auto [index, leaf] : llvm::enumerate(leaves)) {
    if (!use.dims[index].empty() || source.reads[index] <= 1)
      continue;
    // What a slice takes is still what the op runs over.
    std::optional<FactorIndex> taken;
    for (auto [place, factor] : llvm::zip_equal(source.leafOf, factors))
      if (place < 0 && factor != noFactor &&
          op.factors[factor].size == source.reads[index])
        taken = factor;
    if (taken)
      op.factors[*taken].kind = FactorKind::Whole;
    else
      taken = addFactor(source.reads[index], FactorKind::Whole,
                        builder.graph.axes.roleOf(leaf.axis));
    use.dims[index] = {*taken};
  }
  op.operands.push_back(std::move(use));
}

void OpDraft::noteInner(Value value, ArrayRef<FactorIndex> factors) {
  if (builder.keepsMap)
    noted.push_back({value, {factors.begin(), factors.end()}});
}

void OpDraft::addResult(Value root, ArrayRef<FactorIndex> factors) {
  noteInner(root, factors);
  TensorUse use;
  use.tensor = builder.tensorOf(root);
  for (FactorIndex factor : factors) {
    use.dims.emplace_back();
    if (factor != noFactor)
      use.dims.back().push_back(factor);
  }
  op.results.push_back(std::move(use));
}

void OpDraft::followRule(Operation *source, ArrayRef<unsigned> operandsRead) {
  const ModelGraph &graph = builder.graph;
  LeafRule rule = graph.leafRuleOf(source);
  SmallVector<FactorIndex> numbers(rule.factors.size(), noFactor);
  auto factorsOf = [&](Value value, ArrayRef<unsigned> factors) {
    SmallVector<FactorIndex> found;
    for (auto [leaf, factor] :
         llvm::zip_equal(graph.leavesOf(value), factors)) {
      if (numbers[factor] == noFactor) {
        FactorKind kind = FactorKind::Whole;
        if (rule.factors[factor].kind == shardsmith::FactorKind::PassThrough)
          kind = FactorKind::PassThrough;
        if (rule.factors[factor].kind == shardsmith::FactorKind::Reduction)
          kind = FactorKind::Reduction;
        Leaf part = leaf;
        part.size = std::min(part.size, rule.factors[factor].size);
        numbers[factor] = addFactor(part, kind);
      }
      found.push_back(numbers[factor]);
    }
    return found;
  };
  for (unsigned index : operandsRead) {
    Value operand = source->getOperand(index);
    addOperand(operand, factorsOf(operand, rule.operands[index]));
  }
  for (auto [result, factors] :
       llvm::zip_equal(source->getResults(), rule.results))
    addResult(result, factorsOf(result, factors));
  for (ArrayRef<unsigned> set : rule.linearOperandSets) {
    std::vector<unsigned> mapped;
    for (unsigned operand : set)
      if (auto found = llvm::find(operandsRead, operand);
          found != operandsRead.end())
        mapped.push_back(found - operandsRead.begin());
    if (mapped.size() == set.size())
      op.linearOperandSets.push_back(std::move(mapped));
  }
}

std::vector<FactorIndex> OpDraft::dropUnusedFactors() {
  std::vector<FactorIndex> number(op.factors.size(), noFactor);
  std::vector<Factor> kept;
  auto renumber = [&](FactorIndex &factor) {
    if (number[factor] == noFactor) {
      number[factor] = kept.size();
      kept.push_back(op.factors[factor]);
    }
    factor = number[factor];
  };
  for (auto *uses : {&op.results, &op.operands})
    for (TensorUse &use : *uses)
      for (std::vector<FactorIndex> &dim : use.dims)
        llvm::for_each(dim, renumber);
  if (op.attention) {
    AttentionParts &parts = *op.attention;
    for (FactorIndex *part : {&parts.keyValueHeads, &parts.queries, &parts.keys,
                              &parts.headSize, &parts.valueSize})
      renumber(*part);
    if (parts.group)
      renumber(*parts.group);
  }
  op.factors = std::move(kept);
  return number;
}

std::string nameOf(Operation *op) {
  std::string name;
  op->getLoc()->walk([&](Location location) {
    auto named = dyn_cast<NameLoc>(location);
    if (!named)
      return WalkResult::advance();
    name = named.getName().str();
    return WalkResult::interrupt();
  });
  return name.empty() ? op->getName().stripDialect().str() : name;
}

void OpDraft::finish(std::string name, ArrayRef<Operation *> ops) {
  std::vector<FactorIndex> number = dropUnusedFactors();
  if (builder.keepsMap) {
    FactorSpread spread(builder.graph, ops);
    for (const Noted &entry : noted)
      for (auto [part, factor] : llvm::enumerate(entry.factors))
        if (factor != noFactor && number[factor] != noFactor)
          spread.note(entry.value, part, number[factor]);
    for (MappedOp &mapped : spread.run()) {
      mapped.index = builder.result.block.ops.size();
      builder.result.mappedOps.push_back(std::move(mapped));
    }
  }
  // What no result has must be reduced or whole.
  std::vector<bool> inResult(op.factors.size());
  for (const TensorUse &use : op.results)
    for (const std::vector<FactorIndex> &dim : use.dims)
      for (FactorIndex factor : dim)
        inResult[factor] = true;
  for (auto [index, factor] : llvm::enumerate(op.factors))
    if (!inResult[index] && factor.kind == FactorKind::PassThrough)
      factor.kind = FactorKind::Whole;
  builder.result.block.ops.push_back(std::move(op));
  builder.result.opNames.push_back(std::move(name));
  builder.lastOps.push_back(ops.back());
}

} // namespace shardsmith::workload

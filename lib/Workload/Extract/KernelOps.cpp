// SPDX-License-Identifier: Apache-2.0
//
// The part of BlockBuilder for ops that are kernels by themselves.

#include "BlockBuilder.h"
#include "Fusible.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Workload/ElementTypes.h"

using namespace mlir;

namespace shardsmith::workload {
namespace {

bool isPosition(FactorRole role) {
  return role == FactorRole::Batch || role == FactorRole::Sequence;
}

} // namespace

void BlockBuilder::emitAttention(const Attention &attention) {
  using Part = AttentionLeaf::Part;
  OpDraft draft(*this);
  AttentionParts parts;
  std::optional<FactorIndex> heads;
  auto first = [&](std::optional<FactorIndex> &known, FactorIndex factor) {
    if (!known)
      known = factor;
  };
  std::optional<FactorIndex> headSize, valueSize;
  for (const AttentionLeaf &leaf : attention.leaves) {
    FactorKind kind = leaf.part == Part::Key        ? FactorKind::Whole
                      : leaf.part == Part::HeadSize ? FactorKind::Reduction
                                                    : FactorKind::PassThrough;
    FactorIndex factor = draft.addFactor(Leaf{leaf.axis, 0, leaf.size}, kind);
    switch (leaf.part) {
    case Part::Batch:
      break;
    case Part::KeyValueHead:
      first(heads, factor);
      break;
    case Part::Group:
      first(parts.group, factor);
      break;
    case Part::Query:
      parts.queries = factor;
      break;
    case Part::Key:
      parts.keys = factor;
      break;
    case Part::HeadSize:
      first(headSize, factor);
      break;
    case Part::Value:
      first(valueSize, factor);
      break;
    }
  }
  auto orOne = [&](std::optional<FactorIndex> factor, FactorKind kind) {
    return factor ? *factor : draft.addFactor(1, kind, FactorRole::Other);
  };
  // A factor of one element has no leaf.
  parts.keyValueHeads = orOne(heads, FactorKind::Whole);
  parts.headSize = orOne(headSize, FactorKind::Reduction);
  parts.valueSize = orOne(valueSize, FactorKind::Whole);
  parts.causal = attention.causal;

  auto factorsOf = [](const Attention::Operand &operand) {
    return SmallVector<FactorIndex>(operand.leaves.begin(),
                                    operand.leaves.end());
  };
  for (const Attention::Operand *operand :
       {&attention.query, &attention.key, &attention.value}) {
    draft.addOperand(operand->value, factorsOf(*operand));
    setSaved(operand->value);
  }
  for (const Attention::Operand &other : attention.others) {
    draft.addOperand(other.value, factorsOf(other));
    setSaved(other.value);
  }
  draft.addResult(attention.result.value, factorsOf(attention.result));
  setSaved(attention.result.value);

  // The probabilities as an unfused stack keeps them.
  Value inner = attention.probabilities.value;
  draft.noteInner(inner, factorsOf(attention.probabilities));
  Tensor probabilities;
  TensorUse use;
  use.tensor = result.block.tensors.size();
  for (auto [leaf, factor] : llvm::zip_equal(
           graph.leavesOf(inner), factorsOf(attention.probabilities))) {
    probabilities.shape.push_back(graph.normalizedSize(leaf));
    use.dims.push_back({factor});
  }
  probabilities.type = elementTypeOf(getElementTypeOrSelf(inner.getType()));
  probabilities.savedForBackward = probabilities.insideAttention = true;
  result.block.tensors.push_back(std::move(probabilities));
  draft.op.results.push_back(std::move(use));

  draft.op.attention = parts;
  draft.op.flops = flopsPerSequence(graph, attention.scores) +
                   flopsPerSequence(graph, attention.mix);
  draft.op.hasBackward = graph.hasGradient(attention.mix);
  draft.finish("attention", attention.ops);
}

void BlockBuilder::emitProduct(Operation *op, ProductParts parts) {
  OpDraft draft(*this);
  draft.op.product = parts;
  draft.followRule(op, {0, 1});
  draft.op.flops = flopsPerSequence(graph, op);
  draft.op.hasBackward = graph.hasGradient(op);
  if (parts.isPerExpert) {
    draft.op.expertsPerToken = 1;
    for (const Leaf &leaf : graph.leavesOf(op->getOperand(0)))
      if (leaf.dim == 0 && !isPosition(graph.axes.roleOf(leaf.axis)))
        draft.op.expertsPerToken *= leaf.size;
    fromExperts.insert(op->getResult(0));
  }
  // The derivative of one operand reads the other.
  for (unsigned index : {0u, 1u})
    if (graph.hasGradient(op->getOperand(1 - index)))
      setSaved(op->getOperand(index));
  draft.finish(nameOf(op), op);
}

void BlockBuilder::emitLookup(Operation *op) {
  OpDraft draft(*this);
  draft.op.lookup = LookupParts{};
  SmallVector<unsigned> read = {0};
  if (graph.originOf(op->getOperand(1)) == Origin::Data)
    read.push_back(1);
  draft.followRule(op, read);
  draft.op.hasBackward = graph.hasGradient(op);
  draft.finish(nameOf(op), op);
}

/// Rows that the router sends to experts, or rows that experts send back;
/// nothing for rows of a table.
std::optional<ExchangeParts>
BlockBuilder::exchangeOfGather(Operation *op) const {
  Value rows = op->getOperand(0), indices = op->getOperand(1);
  if (graph.originOf(rows) != Origin::Activation ||
      graph.originOf(indices) != Origin::Activation)
    return std::nullopt;
  bool comesBack = fromExperts.contains(sourceOf(graph, rows).root);
  return ExchangeParts{.isToExperts = !comesBack};
}

/// Rows keep their token: what a row of one side and one of the other have in
/// common are their axes.
///
///     dispatch   [b·s, h] → [b·s·k, h]        combine   [b·s·k, h] → [b·s, h]
void BlockBuilder::emitExchange(Operation *op, ExchangeParts parts) {
  unsigned rowsOperand = isa<stablehlo::ScatterOp>(op) ? 2 : 0;
  Value from = op->getOperand(rowsOperand), to = op->getResult(0);
  LeafRule rule = graph.leafRuleOf(op);
  OpDraft draft(*this);
  draft.op.exchange = parts;
  ArrayRef<Leaf> fromLeaves = graph.leavesOf(from),
                 toLeaves = graph.leavesOf(to);
  SmallVector<FactorIndex> fromFactors(fromLeaves.size(), OpDraft::noFactor),
      toFactors;
  for (auto [index, leaf] : llvm::enumerate(toLeaves)) {
    FactorIndex factor = draft.addFactor(leaf, FactorKind::PassThrough);
    toFactors.push_back(factor);
    for (auto [other, candidate] : llvm::enumerate(fromLeaves)) {
      bool isSame =
          rule.operands[rowsOperand][other] == rule.results[0][index] ||
          (candidate.axis == leaf.axis &&
           fromFactors[other] == OpDraft::noFactor);
      if (!isSame)
        continue;
      fromFactors[other] = factor;
      break;
    }
  }
  // Rows of one token's experts are added up.
  for (auto [leaf, factor] : llvm::zip_equal(fromLeaves, fromFactors))
    if (factor == OpDraft::noFactor)
      factor = draft.addFactor(leaf, isPosition(graph.axes.roleOf(leaf.axis))
                                         ? FactorKind::Whole
                                         : FactorKind::Reduction);
  int64_t experts = 1;
  for (const Leaf &leaf : parts.isToExperts ? toLeaves : fromLeaves)
    if (leaf.dim == 0 && !isPosition(graph.axes.roleOf(leaf.axis)))
      experts *= leaf.size;
  draft.op.expertsPerToken = experts;
  draft.addOperand(from, fromFactors);
  draft.addResult(to, toFactors);
  draft.op.linearOperandSets = {{0}};
  draft.op.flops = flopsPerSequence(graph, op);
  draft.op.hasBackward = graph.hasGradient(op);
  draft.finish(nameOf(op), op);
}

/// An op that the planner knows nothing special about.
void BlockBuilder::emitStandalone(Operation *op) {
  OpDraft draft(*this);
  SmallVector<unsigned> read;
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (graph.originOf(operand) != Origin::Constant &&
        !(operand.getDefiningOp() && graph.isRouting(operand.getDefiningOp())))
      read.push_back(index);
  draft.followRule(op, read);
  draft.op.flops = flopsPerSequence(graph, op);
  draft.op.hasBackward = graph.hasGradient(op);
  if (draft.op.hasBackward)
    for (unsigned index : read)
      setSaved(op->getOperand(index));
  draft.finish(nameOf(op), op);
}

} // namespace shardsmith::workload

// SPDX-License-Identifier: Apache-2.0

#include "FusedOp.h"

#include "Fusible.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;

namespace shardsmith::workload {

using Kind = shardsmith::FactorKind;

void FusedOpBuilder::run() {
  for (Operation *op : group.ops)
    tieOp(op);
  findResults();
  addUses();
  addLinearSets();
  bool hasBackward = llvm::any_of(
      group.ops, [&](Operation *op) { return graph.hasGradient(op); });
  draft.op.hasBackward = hasBackward;
  for (Operation *op : group.ops)
    draft.op.flops += flopsPerSequence(graph, op);
  draft.op.rowStatistics = statistics.size();
  if (hasBackward)
    markSaved();
  for (Operation *op : group.ops)
    for (Value operand : op->getOperands())
      if (builder.fromExperts.contains(sourceOf(graph, operand).root))
        for (Value result : op->getResults())
          builder.fromExperts.insert(result);
  draft.finish(nameOf(group.ops.back()), group.ops);
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

FusedOpBuilder::Class FusedOpBuilder::root(Class klass) {
  while (parents[klass] != klass)
    klass = parents[klass] = parents[parents[klass]];
  return klass;
}

FusedOpBuilder::Class FusedOpBuilder::classOf(Value value, unsigned leaf) {
  auto [entry, isNew] =
      classes.try_emplace(std::pair(value, leaf), parents.size());
  if (isNew) {
    parents.push_back(parents.size());
    leaves.push_back(graph.leavesOf(value)[leaf]);
  }
  return root(entry->second);
}

/// A class is as large as the smallest of its leaves: slices read less.
void FusedOpBuilder::unite(Class a, Class b) {
  a = root(a);
  b = root(b);
  if (a == b)
    return;
  parents[b] = a;
  if (leaves[b].size < leaves[a].size)
    leaves[a] = leaves[b];
}

bool FusedOpBuilder::isProducedHere(Value value) const {
  return value.getDefiningOp() && inGroup.contains(value.getDefiningOp());
}

bool FusedOpBuilder::isRouted(Value value) const {
  return value.getDefiningOp() && graph.isRouting(value.getDefiningOp());
}

/// One number per row, in the order that the router made: rows of one token
/// are on both sides, known by their axes.
void FusedOpBuilder::tieRoutedRows(Operation *op) {
  Value from = op->getOperand(0), to = op->getResult(0);
  for (auto [index, leaf] : llvm::enumerate(graph.leavesOf(to)))
    for (auto [other, candidate] : llvm::enumerate(graph.leavesOf(from)))
      if (leaf.axis == candidate.axis)
        unite(classOf(to, index), classOf(from, other));
  tieSource(from);
}

void FusedOpBuilder::tieOp(Operation *op) {
  if (isa<stablehlo::GatherOp>(op) && isRouted(op->getOperand(1)))
    return tieRoutedRows(op);
  LeafRule rule = graph.leafRuleOf(op);
  SmallVector<std::optional<Class>> known(rule.factors.size());
  auto visit = [&](Value value, ArrayRef<unsigned> leafFactors) {
    for (auto [leaf, factor] : llvm::enumerate(leafFactors)) {
      Class klass = classOf(value, leaf);
      if (known[factor])
        unite(*known[factor], klass);
      else
        known[factor] = klass;
    }
  };
  for (auto [operand, leafFactors] :
       llvm::zip_equal(op->getOperands(), rule.operands)) {
    if (graph.originOf(operand) == Origin::Constant || isRouted(operand))
      continue;
    visit(operand, leafFactors);
    tieSource(operand);
  }
  for (auto [result, leafFactors] :
       llvm::zip_equal(op->getResults(), rule.results))
    visit(result, leafFactors);
  for (auto [factor, klass] : llvm::zip_equal(rule.factors, known))
    if (klass && factor.kind != Kind::PassThrough)
      marks.push_back({op, *klass, factor.kind,
                       factor.reduction == shardsmith::ReductionKind::Sum});
}

/// What is read through views is tied to what is in memory.
void FusedOpBuilder::tieSource(Value value) {
  Source source = sourceOf(graph, value);
  for (auto [leaf, place] : llvm::enumerate(source.leafOf))
    if (place >= 0)
      unite(classOf(source.root, place), classOf(value, leaf));
  if (isProducedHere(source.root))
    return;
  // Masks and one-hot labels are made on the way.
  Operation *producer = source.root.getDefiningOp();
  if (producer && graph.originOf(source.root) == Origin::Data &&
      isFusible(producer)) {
    if (onData.insert(producer).second)
      tieOp(producer);
    return;
  }
  externals.insert(source.root);
  for (auto [leaf, count] : llvm::enumerate(source.reads))
    if (count > 0)
      reads[{source.root, unsigned(leaf)}][source.starts[leaf]] = count;
}

/// Slices that begin at one place are one slice.
int64_t FusedOpBuilder::elementsRead(Value operand, unsigned leaf) const {
  int64_t total = 0;
  if (auto found = reads.find({operand, leaf}); found != reads.end())
    for (auto [start, count] : found->second)
      total += count;
  return std::min(total, graph.leavesOf(operand)[leaf].size);
}

//===----------------------------------------------------------------------===//
// Kinds of factors
//===----------------------------------------------------------------------===//

bool FusedOpBuilder::staysLinear(DenseSet<Value> &partial, Operation *op,
                                 bool isAffine) {
  SmallVector<unsigned> partialOperands;
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (partial.contains(sourceOf(graph, operand).root))
      partialOperands.push_back(index);
  if (partialOperands.empty())
    return true;
  LeafRule rule = graph.leafRuleOf(op);
  if (llvm::none_of(rule.linearOperandSets, [&](ArrayRef<unsigned> set) {
        if (!isAffine)
          return set == ArrayRef<unsigned>(partialOperands);
        return llvm::all_of(partialOperands, [&](unsigned operand) {
          return llvm::is_contained(set, operand);
        });
      }))
    return false;
  for (Value result : op->getResults())
    partial.insert(result);
  return true;
}

bool FusedOpBuilder::isLinearAfter(const DenseSet<Operation *> &reduces) {
  DenseSet<Value> partial;
  for (Operation *op : group.ops) {
    if (!staysLinear(partial, op, /*isAffine=*/true))
      return false;
    if (reduces.contains(op))
      partial.insert(op->getResult(0));
  }
  return true;
}

bool FusedOpBuilder::isLinearIn(const DenseSet<Value> &operands) {
  DenseSet<Value> partial = operands;
  for (Operation *op : group.ops)
    if (!staysLinear(partial, op, /*isAffine=*/false))
      return false;
  return llvm::all_of(results,
                      [&](Value result) { return partial.contains(result); });
}

FactorKind FusedOpBuilder::kindOf(Class klass, bool isInResult) {
  DenseSet<Operation *> reduces;
  bool areSums = true;
  for (const Mark &mark : marks) {
    if (root(mark.klass) != klass)
      continue;
    if (mark.kind != Kind::Reduction)
      return FactorKind::Whole;
    reduces.insert(mark.op);
    areSums &= mark.isSum;
  }
  if (reduces.empty())
    return FactorKind::PassThrough;
  if (!isInResult && areSums && isLinearAfter(reduces))
    return FactorKind::Reduction;
  statistics.insert(reduces.begin(), reduces.end());
  return FactorKind::RowStatistic;
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

void FusedOpBuilder::findResults() {
  for (Operation *op : group.ops)
    for (Value result : op->getResults()) {
      bool isRead =
          llvm::any_of(builder.readers.lookup(result), [&](Operation *reader) {
            return !inGroup.contains(reader);
          });
      if (isRead || builder.outputs.contains(result) ||
          result == graph.getLoss())
        results.push_back(result);
    }
  // Where nothing is read, as in a chain that ends in dead code, the last
  // result stands for the group.
  if (results.empty())
    results.push_back(group.ops.back()->getResult(0));
}

void FusedOpBuilder::addUses() {
  DenseSet<Class> inResults;
  for (Value result : results)
    for (unsigned leaf = 0; leaf < graph.leavesOf(result).size(); ++leaf)
      inResults.insert(classOf(result, leaf));

  // The factor of a class; a second place in one tensor is another factor,
  // which must be whole.
  auto factorOf = [&](Class klass, SmallVectorImpl<FactorIndex> &taken) {
    auto [entry, isNew] = factors.try_emplace(klass, 0);
    if (isNew)
      entry->second = draft.addFactor(leaves[klass],
                                      kindOf(klass, inResults.contains(klass)));
    FactorIndex factor = entry->second;
    if (llvm::is_contained(taken, factor))
      factor = draft.addFactor(leaves[klass], FactorKind::Whole);
    taken.push_back(factor);
    return factor;
  };
  for (Value result : results) {
    SmallVector<FactorIndex> taken;
    for (unsigned leaf = 0; leaf < graph.leavesOf(result).size(); ++leaf)
      factorOf(classOf(result, leaf), taken);
    draft.addResult(result, taken);
  }
  for (Value operand : externals) {
    SmallVector<FactorIndex> taken, dims;
    for (auto [index, leaf] : llvm::enumerate(graph.leavesOf(operand))) {
      FactorIndex factor = OpDraft::noFactor;
      if (auto found = classes.find({operand, unsigned(index)});
          found != classes.end())
        factor = factorOf(root(found->second), taken);
      else if (auto joined = joinedAgain(operand, index))
        factor = factorOf(*joined, taken);
      else if (int64_t count = elementsRead(operand, index); count > 1)
        factor = draft.addFactor(count, FactorKind::Whole,
                                 graph.axes.roleOf(leaf.axis));
      dims.push_back(factor);
    }
    draft.addOperand(operand, dims);
  }
}

/// All parts of a dimension that is cut are read, and a result has as many
/// parts of the same inside: cut and joined again, as rotary positions do,
/// they are parts of one dimension.
std::optional<FusedOpBuilder::Class>
FusedOpBuilder::joinedAgain(Value operand, unsigned leaf) {
  ArrayRef<Leaf> from = graph.leavesOf(operand);
  if (leaf + 1 == from.size() || from[leaf].dim != from[leaf + 1].dim ||
      elementsRead(operand, leaf) < from[leaf].size)
    return std::nullopt;
  auto inside = classes.find({operand, leaf + 1});
  if (inside == classes.end())
    return std::nullopt;
  for (Value result : results) {
    ArrayRef<Leaf> to = graph.leavesOf(result);
    for (unsigned other = 0; other + 1 < to.size(); ++other)
      if (to[other].size == from[leaf].size &&
          to[other].dim == to[other + 1].dim &&
          classOf(result, other + 1) == root(inside->second))
        return classOf(result, other);
  }
  return std::nullopt;
}

void FusedOpBuilder::addLinearSets() {
  std::vector<unsigned> all;
  for (auto [index, operand] : llvm::enumerate(externals))
    if (graph.originOf(operand) == Origin::Activation &&
        graph.hasGradient(operand))
      all.push_back(index);
  std::vector<std::vector<unsigned>> candidates;
  if (all.size() > 1)
    candidates.push_back(all);
  for (unsigned index : all)
    candidates.push_back({index});
  for (const std::vector<unsigned> &set : candidates) {
    DenseSet<Value> operands;
    for (unsigned index : set)
      operands.insert(externals[index]);
    if (isLinearIn(operands))
      draft.op.linearOperandSets.push_back(set);
  }
}

} // namespace shardsmith::workload

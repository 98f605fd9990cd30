// SPDX-License-Identifier: Apache-2.0
//
// The part of ModelGraph that ties dimensions together.

#include "Fusible.h"
#include "ModelGraph.h"

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interfaces/FactorRuleModel.h"

using namespace mlir;

namespace shardsmith::workload {

const shardsmith::FactorRule &ModelGraph::ruleOf(Operation *op) {
  auto [entry, isNew] = rules.try_emplace(op);
  if (isNew)
    entry->second = axisRuleOf(op);
  return entry->second;
}

/// What an op ties together becomes one axis. Constants come last: where equal
/// ones are shared, one may be used with dimensions that have nothing in common
/// but their size, such as an iota that numbers samples here and positions
/// there. It is tied to none of them then.
void ModelGraph::tieAxes() {
  ConstantTies pending;
  forEachOp([&](Operation *op) { tieAxes(op, pending); });
  assignRoles();
  llvm::MapVector<AxisId, SmallVector<AxisId>> uses;
  for (auto [constant, axis] : pending)
    uses[axes.root(constant)].push_back(axis);
  for (auto &[constant, all] : uses)
    if (llvm::all_equal(llvm::map_range(
            all, [&](AxisId axis) { return axes.rolesOf(axis); })))
      for (AxisId axis : all)
        axes.unify(constant, axis);
  assignRoles();
}

void ModelGraph::tieAxes(Operation *op, ConstantTies &pending) {
  auto tie = [&](Value a, AxisId x, Value b, AxisId y) {
    bool isConstant = originOf(a) == Origin::Constant;
    if (isConstant == (originOf(b) == Origin::Constant))
      axes.unify(x, y);
    else
      pending.push_back(isConstant ? std::pair(x, y) : std::pair(y, x));
  };
  if (func::FuncOp callee = calleeOf(op)) {
    auto tieAll = [&](ValueRange outside, ValueRange inside) {
      for (auto [a, b] : llvm::zip_equal(outside, inside))
        for (auto [x, y] : llvm::zip_equal(facts[a].dims, facts[b].dims))
          tie(a, x, b, y);
    };
    tieAll(op->getOperands(), callee.getArguments());
    tieAll(op->getResults(),
           callee.getBody().front().getTerminator()->getOperands());
    return;
  }
  if (op->hasTrait<OpTrait::IsTerminator>())
    return;
  tieFactors(op, tie);
  for (SameExtent same : sameExtents(op)) {
    Value operand = op->getOperand(same.operand),
          result = op->getResult(same.result);
    tie(operand, facts[operand].dims[same.dim], result,
        facts[result].dims[same.dim]);
  }
}

/// Every dimension that a rule makes of several factors is cut; then all
/// places of one factor are tied to the first that is no constant's.
void ModelGraph::tieFactors(
    Operation *op, llvm::function_ref<void(Value, AxisId, Value, AxisId)> tie) {
  const shardsmith::FactorRule &rule = ruleOf(op);
  SmallVector<std::optional<std::pair<Value, AxisId>>> first(
      rule.factors.size());
  auto visit = [&](Value value, const TensorFactors &dims) {
    for (auto [dim, factors] : llvm::enumerate(dims)) {
      AxisId axis = facts[value].dims[dim];
      SmallVector<int64_t, 4> sizes;
      SmallVector<shardsmith::FactorIndex, 4> large;
      int64_t product = 1;
      for (shardsmith::FactorIndex factor : factors) {
        int64_t size = rule.factors[factor].size;
        product *= size;
        if (size == 1)
          continue;
        sizes.push_back(size);
        large.push_back(factor);
      }
      // A slice that covers most of a dimension is no cut of it.
      if (product != axes.sizeOf(axis) || large.empty())
        continue;
      SmallVector<AxisId, 2> parts{axis};
      if (large.size() > 1)
        parts = axes.split(axis, sizes);
      for (auto [factor, part] : llvm::zip(large, parts)) {
        if (first[factor])
          tie(first[factor]->first, first[factor]->second, value, part);
        else
          first[factor] = {value, part};
      }
    }
  };
  for (bool isConstant : {false, true}) {
    auto visitSome = [&](ValueRange values, ArrayRef<TensorFactors> factors) {
      for (auto [value, dims] : llvm::zip(values, factors))
        if ((originOf(value) == Origin::Constant) == isConstant)
          visit(value, dims);
    };
    visitSome(op->getOperands(), rule.operands);
    visitSome(op->getResults(), rule.results);
  }
}

void ModelGraph::assignRoles() {
  for (BlockArgument argument : main.getArguments()) {
    if (originOf(argument) != Origin::Data)
      continue;
    auto attribute = main.getArgAttrOfType<IntegerAttr>(
        argument.getArgNumber(), smith::kBatchDimAttributeName);
    int64_t batchDim = attribute ? attribute.getInt() : 0;
    // Integers are tokens or labels of samples, one per position.
    bool isTokens = batchDim >= 0 &&
                    isa<IntegerType>(getElementTypeOrSelf(argument.getType()));
    for (auto [dim, axis] : llvm::enumerate(facts[argument].dims))
      if (int64_t(dim) == batchDim)
        axes.setRole(axis, FactorRole::Batch);
      else if (isTokens)
        axes.setRole(axis, FactorRole::Sequence);
  }
  forEachOp([&](Operation *op) {
    passRolesOn(op);
    if (std::optional<unsigned> dim = groupDimensionOf(op))
      axes.setRole(facts[op->getOperand(1)].dims[*dim], FactorRole::Expert);
  });
}

/// Positions stay positions where some are cut off or added.
void ModelGraph::passRolesOn(Operation *op) {
  if (!isa<stablehlo::SliceOp, stablehlo::PadOp, stablehlo::ConcatenateOp>(op))
    return;
  for (auto [dim, to] : llvm::enumerate(facts[op->getResult(0)].dims)) {
    SmallVector<AxisId, 4> leaves;
    axes.appendLeaves(to, leaves);
    if (leaves.size() != 1 || axes.roleOf(leaves[0]) != FactorRole::Other)
      continue;
    for (Value operand : op->getOperands()) {
      if (dim >= facts[operand].dims.size())
        continue;
      SmallVector<AxisId, 4> from;
      axes.appendLeaves(facts[operand].dims[dim], from);
      if (from.size() == 1 && axes.roleOf(from[0]) != FactorRole::Other)
        axes.setRole(to, axes.roleOf(from[0]));
    }
  }
}

void ModelGraph::findLeaves() {
  for (auto &[value, entry] : facts)
    for (auto [dim, axis] : llvm::enumerate(entry.dims)) {
      SmallVector<AxisId, 4> leaves;
      axes.appendLeaves(axis, leaves);
      for (AxisId leaf : leaves)
        entry.leaves.push_back({leaf, unsigned(dim), axes.sizeOf(leaf)});
    }
}

int64_t ModelGraph::normalizedSize(const Leaf &leaf) const {
  return axes.roleOf(leaf.axis) == FactorRole::Batch ? 1 : leaf.size;
}

namespace {

/// Builds a rule over leaves, one dimension of one tensor at a time.
class LeafRuleBuilder {
public:
  LeafRuleBuilder(const shardsmith::FactorRule &rule, LeafRule &result)
      : rule(rule), result(result), parts(rule.factors.size()) {}

  /// The factors of the leaves of one dimension.
  void addDimension(ArrayRef<Leaf> leaves,
                    ArrayRef<shardsmith::FactorIndex> factors,
                    SmallVectorImpl<unsigned> &uses) {
    size_t next = 0;
    SmallVector<unsigned, 4> found;
    for (shardsmith::FactorIndex factor : factors) {
      if (rule.factors[factor].size == 1)
        continue;
      size_t count =
          leavesCovered(leaves.drop_front(next), rule.factors[factor].size);
      if (count == 0 || !addFactor(factor, leaves.slice(next, count), found))
        return addPrivate(leaves, uses);
      next += count;
    }
    if (next != leaves.size())
      return addPrivate(leaves, uses);
    uses.append(found.begin(), found.end());
  }

private:
  /// How many leaves make up `size`: several exactly, or one at least.
  static size_t leavesCovered(ArrayRef<Leaf> leaves, int64_t size) {
    int64_t product = 1;
    for (auto [index, leaf] : llvm::enumerate(leaves)) {
      product *= leaf.size;
      if (product == size ||
          (index == 0 && leaves.size() == 1 && product > size))
        return index + 1;
      if (product > size)
        return 0;
    }
    return 0;
  }

  bool addFactor(shardsmith::FactorIndex factor, ArrayRef<Leaf> leaves,
                 SmallVectorImpl<unsigned> &uses) {
    SmallVector<unsigned, 2> &known = parts[factor];
    if (known.empty()) {
      const shardsmith::Factor &source = rule.factors[factor];
      for (const Leaf &leaf : leaves) {
        known.push_back(result.factors.size());
        int64_t size = leaves.size() == 1 ? source.size : leaf.size;
        result.factors.push_back({size, source.kind, source.reduction});
      }
    }
    if (known.size() != leaves.size())
      return false;
    for (auto [part, leaf] : llvm::zip_equal(known, leaves))
      if (result.factors[part].size > leaf.size)
        return false;
    uses.append(known.begin(), known.end());
    return true;
  }

  void addPrivate(ArrayRef<Leaf> leaves, SmallVectorImpl<unsigned> &uses) {
    for (const Leaf &leaf : leaves) {
      uses.push_back(result.factors.size());
      result.factors.push_back(
          {leaf.size, shardsmith::FactorKind::NeedReplication});
    }
  }

  const shardsmith::FactorRule &rule;
  LeafRule &result;
  SmallVector<SmallVector<unsigned, 2>> parts;
};

} // namespace

LeafRule ModelGraph::leafRuleOf(Operation *op) const {
  const shardsmith::FactorRule &rule = rules.find(op)->second;
  LeafRule result;
  result.linearOperandSets = rule.linearOperandSets;
  LeafRuleBuilder builder(rule, result);
  auto add = [&](Value value, const TensorFactors &dims,
                 SmallVector<unsigned, 4> &uses) {
    ArrayRef<Leaf> leaves = leavesOf(value);
    size_t rank = cast<RankedTensorType>(value.getType()).getRank();
    for (unsigned dim = 0; dim < rank; ++dim) {
      ArrayRef<Leaf> own =
          leaves.take_while([&](const Leaf &leaf) { return leaf.dim == dim; });
      leaves = leaves.drop_front(own.size());
      ArrayRef<shardsmith::FactorIndex> factors;
      if (dim < dims.size())
        factors = dims[dim];
      builder.addDimension(own, factors, uses);
    }
  };
  result.operands.resize(op->getNumOperands());
  result.results.resize(op->getNumResults());
  // A constant that is tied to nothing may be cut at other places, or nowhere.
  for (bool isConstant : {false, true})
    for (auto [index, value] : llvm::enumerate(op->getOperands()))
      if ((originOf(value) == Origin::Constant) == isConstant)
        add(value, rule.operands[index], result.operands[index]);
  for (auto [index, value] : llvm::enumerate(op->getResults()))
    add(value, rule.results[index], result.results[index]);
  return result;
}

} // namespace shardsmith::workload

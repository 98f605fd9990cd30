// SPDX-License-Identifier: Apache-2.0
//
// Ops that work along some dimensions, which must be whole, and repeat over
// the others, which pass through.

#include "Families.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;

namespace shardsmith::stablehlo {
namespace {

/// One factor per dimension, shared by all operands and results, which have
/// the same rank; `isWhole` dimensions must be replicated and may differ in
/// size between the tensors.
FactorRule batchwiseRule(Operation *op,
                         llvm::function_ref<bool(unsigned)> isWhole) {
  unsigned operands = op->getNumOperands(), results = op->getNumResults();
  FactorRuleBuilder builder(operands, results);
  for (auto [index, size] : llvm::enumerate(shapeOf(op->getResult(0)))) {
    unsigned dim = index;
    SmallVector<FactorRuleBuilder::Place> from, to;
    for (unsigned operand = 0; operand < operands; ++operand)
      from.push_back({operand, dim});
    for (unsigned result = 0; result < results; ++result)
      to.push_back({result, dim});
    if (!isWhole(dim)) {
      builder.add(size, from, to);
      continue;
    }
    for (FactorRuleBuilder::Place place : from)
      builder.add(
          shapeOf(op->getOperand(place.tensor)) [dim], { place }, {},
          FactorKind::NeedReplication);
    for (FactorRuleBuilder::Place place : to)
      builder.add(
          shapeOf(op->getResult(place.tensor)) [dim], {}, {place},
          FactorKind::NeedReplication);
  }
  return builder.build();
}

FactorRule sortRule(SortOp op) {
  int64_t rank = shapeOf(op->getResult(0)).size();
  int64_t sorted = op.getDimension();
  if (sorted < 0)
    sorted += rank;
  return batchwiseRule(op, [&](unsigned dim) { return dim == sorted; });
}

/// The last two dimensions are the matrices.
template <typename OpTy> FactorRule matrixRule(OpTy op) {
  int64_t rank = shapeOf(op->getResult(0)).size();
  return batchwiseRule(op, [&](unsigned dim) { return dim + 2 >= rank; });
}

bool isOne(std::optional<ArrayRef<int64_t>> values, size_t dim) {
  return !values || (*values)[dim] == 1;
}

bool isUnpadded(std::optional<DenseIntElementsAttr> padding, size_t dim) {
  if (!padding)
    return true;
  auto lowHigh = padding->getValues<int64_t>();
  return lowHigh[2 * dim] == 0 && lowHigh[2 * dim + 1] == 0;
}

/// Each window must be whole; dimensions without windows pass through.
FactorRule reduceWindowRule(ReduceWindowOp op) {
  unsigned inputs = op.getInputs().size();
  FactorRuleBuilder builder(op->getNumOperands(), op->getNumResults());
  for (auto [index, size] : llvm::enumerate(shapeOf(op.getInputs()[0]))) {
    unsigned dim = index;
    SmallVector<FactorRuleBuilder::Place> from, to;
    for (unsigned input = 0; input < inputs; ++input) {
      from.push_back({input, dim});
      to.push_back({input, dim});
    }
    int64_t resultSize = shapeOf(op->getResult(0))[dim];
    if (op.getWindowDimensions()[dim] == 1 && resultSize == size &&
        isUnpadded(op.getPadding(), dim)) {
      builder.add(size, from, to);
      continue;
    }
    builder.add(size, from, {}, FactorKind::NeedReplication);
    builder.add(resultSize, {}, to, FactorKind::NeedReplication);
  }
  return builder.build();
}

/// Operand and result have the same shape, the source one element a window.
/// Each window must be whole; dimensions without windows pass through.
FactorRule selectAndScatterRule(SelectAndScatterOp op) {
  ArrayRef<int64_t> operand = shapeOf(op.getOperand()),
                    source = shapeOf(op.getSource());
  FactorRuleBuilder builder(3, 1);
  for (unsigned dim = 0; dim < operand.size(); ++dim) {
    if (operand[dim] == source[dim] && isOne(op.getWindowDimensions(), dim) &&
        isUnpadded(op.getPadding(), dim)) {
      builder.add(operand[dim], {{0, dim}, {1, dim}}, {{0, dim}});
      continue;
    }
    builder.add(operand[dim], {{0, dim}}, {{0, dim}},
                FactorKind::NeedReplication);
    builder.add(source[dim], {{1, dim}}, {}, FactorKind::NeedReplication);
  }
  return builder.build();
}

/// The per-feature vectors share the feature factor with the operand.
FactorRule batchNormInferenceRule(BatchNormInferenceOp op) {
  FactorRuleBuilder builder(op->getNumOperands(), 1);
  for (auto [index, size] : llvm::enumerate(shapeOf(op.getOperand()))) {
    unsigned dim = index;
    SmallVector<FactorRuleBuilder::Place> from{{0, dim}};
    if (dim == op.getFeatureIndex())
      for (unsigned vector = 1; vector < op->getNumOperands(); ++vector)
        from.push_back({vector, 0});
    builder.add(size, from, {{0, dim}});
  }
  return builder.build();
}

/// Random bits are drawn whole on every device and sliced by their readers,
/// so that they do not depend on the plan.
FactorRule rngBitGeneratorRule(RngBitGeneratorOp op) {
  return replicatedRule(op);
}

} // namespace

void attachBatchwiseFactorRules(MLIRContext *context) {
  FactorRuleModel<BatchNormInferenceOp, batchNormInferenceRule>::attach(
      context);
  FactorRuleModel<CholeskyOp, matrixRule<CholeskyOp>>::attach(context);
  FactorRuleModel<ReduceWindowOp, reduceWindowRule>::attach(context);
  FactorRuleModel<RngBitGeneratorOp, rngBitGeneratorRule>::attach(context);
  FactorRuleModel<SelectAndScatterOp, selectAndScatterRule>::attach(context);
  FactorRuleModel<SortOp, sortRule>::attach(context);
  FactorRuleModel<TriangularSolveOp, matrixRule<TriangularSolveOp>>::attach(
      context);
}

} // namespace shardsmith::stablehlo

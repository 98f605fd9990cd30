// SPDX-License-Identifier: Apache-2.0
//
// Ops that work along some dimensions, which must be whole, and repeat over
// the others, which pass through.

#include "Families.h"
#include "Neighbours.h"

#include "shardsmith/Dialect/StableHLO/Matching.h"
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

int64_t lowPaddingAt(std::optional<DenseIntElementsAttr> padding, size_t dim) {
  return padding ? padding->getValues<int64_t>()[2 * dim] : 0;
}

bool isUnpadded(std::optional<DenseIntElementsAttr> padding, size_t dim) {
  return lowPaddingAt(padding, dim) == 0 &&
         (!padding || padding->getValues<int64_t>()[2 * dim + 1] == 0);
}

/// Windows see elements of neighbours; dimensions without windows pass
/// through.
///
///   window of 3 every 2 elements, padded by 1:  e in [2*p-1, 2*p+2)
ReachingRule reduceWindowRule(ReduceWindowOp op) {
  unsigned inputs = op.getInputs().size();
  ReachingRuleBuilder builder(op->getNumOperands(), op->getNumResults());
  for (auto [index, size] : llvm::enumerate(shapeOf(op.getInputs()[0]))) {
    unsigned dim = index;
    SmallVector<FactorRuleBuilder::Place> from, to;
    for (unsigned input = 0; input < inputs; ++input) {
      from.push_back({input, dim});
      to.push_back({input, dim});
    }
    int64_t window = op.getWindowDimensions()[dim];
    Reach reach{.first = -lowPaddingAt(op.getPadding(), dim),
                .step = numberAt(op.getWindowStrides(), dim),
                .extent =
                    (window - 1) * numberAt(op.getWindowDilations(), dim) + 1,
                .dilation = numberAt(op.getBaseDilations(), dim)};
    builder.addReaching(from, to, size, shapeOf(op->getResult(0))[dim], reach);
  }
  return builder.buildReaching();
}

/// Operand and result have the same shape, the source one element a window. An
/// element needs the windows that it is in, and all that these see:
///
///   window of 3 every 2 elements:  operand e in [p-2, p+3)
///                                  source  e*2 in [p-2, p+1)
///
/// Padding would take part in the selection on a device, so it must be whole,
/// as must be what an unknown body scatters.
ReachingRule selectAndScatterRule(SelectAndScatterOp op) {
  ArrayRef<int64_t> operand = shapeOf(op.getOperand()),
                    source = shapeOf(op.getSource());
  bool isKnown = matchReduction(op.getScatter()).has_value();
  ReachingRuleBuilder builder(3, 1);
  for (unsigned dim = 0; dim < operand.size(); ++dim) {
    int64_t window = numberAt(op.getWindowDimensions(), dim),
            stride = numberAt(op.getWindowStrides(), dim);
    bool isPadded = !isUnpadded(op.getPadding(), dim);
    if (operand[dim] == source[dim] && window == 1 && !isPadded) {
      builder.add(operand[dim], {{0, dim}, {1, dim}}, {{0, dim}});
      continue;
    }
    if (isPadded || !isKnown || operand[dim] == 0 || source[dim] == 0) {
      builder.add(operand[dim], {{0, dim}}, {{0, dim}},
                  FactorKind::NeedReplication);
      builder.add(source[dim], {{1, dim}}, {}, FactorKind::NeedReplication);
      continue;
    }
    FactorIndex factor =
        builder.add(std::min(operand[dim], source[dim]), {{0, dim}, {1, dim}},
                    {{0, dim}}, FactorKind::Permutation);
    Reach ofOperand{.first = 1 - window, .extent = 2 * window - 1};
    Reach ofSource{.first = 1 - window, .extent = window, .dilation = stride};
    builder.neighbourhoods.push_back(
        {factor, 0, dim, operand[dim], operand[dim], ofOperand});
    builder.neighbourhoods.push_back(
        {factor, 1, dim, operand[dim], source[dim], ofSource});
  }
  return builder.buildReaching();
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
  ReachingRuleModel<ReduceWindowOp, reduceWindowRule>::attach(context);
  FactorRuleModel<RngBitGeneratorOp, rngBitGeneratorRule>::attach(context);
  ReachingRuleModel<SelectAndScatterOp, selectAndScatterRule>::attach(context);
  FactorRuleModel<SortOp, sortRule>::attach(context);
  FactorRuleModel<TriangularSolveOp, matrixRule<TriangularSolveOp>>::attach(
      context);
}

} // namespace shardsmith::stablehlo

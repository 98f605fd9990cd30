// SPDX-License-Identifier: Apache-2.0
//
// Ops that sum over factors their results do not have.

#include "Families.h"

#include "shardsmith/Dialect/StableHLO/Matching.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;

namespace shardsmith::stablehlo {
namespace {

/// Result dimensions: batch, free dimensions of lhs, free dimensions of rhs.
///
///   ([b, i, k], [b, k, j])->([b, i, j])  reduction={k}
FactorRule dotGeneralRule(DotGeneralOp op) {
  DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs());
  FactorRuleBuilder builder(2, 1);
  unsigned resultDim = 0;
  for (auto [left, right] : llvm::zip_equal(numbers.getLhsBatchingDimensions(),
                                            numbers.getRhsBatchingDimensions()))
    builder.add(lhs[left], {{0, unsigned(left)}, {1, unsigned(right)}},
                {{0, resultDim++}});

  auto addFree = [&](unsigned operand, ArrayRef<int64_t> shape,
                     ArrayRef<int64_t> batching,
                     ArrayRef<int64_t> contracting) {
    for (auto [dim, size] : llvm::enumerate(shape))
      if (!llvm::is_contained(batching, int64_t(dim)) &&
          !llvm::is_contained(contracting, int64_t(dim)))
        builder.add(size, {{operand, unsigned(dim)}}, {{0, resultDim++}});
  };
  addFree(0, lhs, numbers.getLhsBatchingDimensions(),
          numbers.getLhsContractingDimensions());
  addFree(1, rhs, numbers.getRhsBatchingDimensions(),
          numbers.getRhsContractingDimensions());

  for (auto [left, right] :
       llvm::zip_equal(numbers.getLhsContractingDimensions(),
                       numbers.getRhsContractingDimensions()))
    builder.add(lhs[left], {{0, unsigned(left)}, {1, unsigned(right)}}, {},
                FactorKind::Reduction);
  builder.addLinearSet({0});
  builder.addLinearSet({1});
  return builder.build();
}

/// Batch and output features pass through, input features are summed. The
/// spatial dimensions would need halo exchange and stay whole, and so do
/// dimensions of which groups are a part. With groups of samples, the input
/// features are summed in every group alike: the gradient of a depthwise
/// kernel is such a convolution, and its input features are samples.
///
///   lhs [b, x, f], kernel [w, f, o] -> [b, y, o]  reduction={f}
FactorRule convolutionRule(ConvolutionOp op) {
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs()),
                    out = shapeOf(op);
  unsigned lhsBatch = numbers.getInputBatchDimension(),
           lhsFeature = numbers.getInputFeatureDimension(),
           kernelInput = numbers.getKernelInputFeatureDimension(),
           kernelOutput = numbers.getKernelOutputFeatureDimension(),
           outBatch = numbers.getOutputBatchDimension(),
           outFeature = numbers.getOutputFeatureDimension();
  bool batchGrouped = op.getBatchGroupCount() != 1;
  bool featureGrouped = op.getFeatureGroupCount() != 1;
  FactorRuleBuilder builder(2, 1);
  auto whole = [&](unsigned tensor, unsigned dim, int64_t size) {
    builder.add(size, {{tensor, dim}}, {}, FactorKind::NeedReplication);
  };
  auto wholeResult = [&](unsigned dim, int64_t size) {
    builder.add(size, {}, {{0, dim}}, FactorKind::NeedReplication);
  };

  if (batchGrouped) {
    whole(0, lhsBatch, lhs[lhsBatch]);
    wholeResult(outBatch, out[outBatch]);
  } else {
    builder.add(lhs[lhsBatch], {{0, lhsBatch}}, {{0, outBatch}});
  }
  if (batchGrouped || featureGrouped) {
    whole(1, kernelOutput, rhs[kernelOutput]);
    wholeResult(outFeature, out[outFeature]);
  } else {
    builder.add(rhs[kernelOutput], {{1, kernelOutput}}, {{0, outFeature}});
  }
  if (featureGrouped) {
    whole(0, lhsFeature, lhs[lhsFeature]);
    whole(1, kernelInput, rhs[kernelInput]);
  } else {
    builder.add(lhs[lhsFeature], {{0, lhsFeature}, {1, kernelInput}}, {},
                FactorKind::Reduction);
  }
  for (int64_t dim : numbers.getInputSpatialDimensions())
    whole(0, dim, lhs[dim]);
  for (int64_t dim : numbers.getKernelSpatialDimensions())
    whole(1, dim, rhs[dim]);
  for (int64_t dim : numbers.getOutputSpatialDimensions())
    wholeResult(dim, out[dim]);
  builder.addLinearSet({0});
  builder.addLinearSet({1});
  return builder.build();
}

/// Kept dimensions pass through. Reduced ones can be split if shards combine
/// with one associative op; an argmax (two inputs, larger body) cannot.
FactorRule reduceRule(ReduceOp op) {
  unsigned inputs = op.getInputs().size();
  std::optional<ReductionKind> reduction;
  if (inputs == 1)
    reduction = matchReduction(op.getBody());
  FactorRuleBuilder builder(op->getNumOperands(), op->getNumResults());
  unsigned resultDim = 0;
  for (auto [index, size] : llvm::enumerate(shapeOf(op.getInputs()[0]))) {
    unsigned dim = index;
    SmallVector<FactorRuleBuilder::Place> from, to;
    for (unsigned input = 0; input < inputs; ++input)
      from.push_back({input, dim});
    if (llvm::is_contained(op.getDimensions(), int64_t(dim))) {
      builder.add(size, from, {},
                  reduction ? FactorKind::Reduction
                            : FactorKind::NeedReplication,
                  reduction.value_or(ReductionKind::Sum));
      continue;
    }
    for (unsigned result = 0; result < op->getNumResults(); ++result)
      to.push_back({result, resultDim});
    ++resultDim;
    builder.add(size, from, to);
  }
  // An initial value other than zero would be added once per shard.
  if (reduction == ReductionKind::Sum && isZero(op.getInitValues()[0]))
    builder.addLinearSet({0});
  return builder.build();
}

} // namespace

void attachContractionFactorRules(MLIRContext *context) {
  FactorRuleModel<ConvolutionOp, convolutionRule>::attach(context);
  FactorRuleModel<DotGeneralOp, dotGeneralRule>::attach(context);
  FactorRuleModel<ReduceOp, reduceRule>::attach(context);
}

} // namespace shardsmith::stablehlo

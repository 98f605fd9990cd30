// SPDX-License-Identifier: Apache-2.0
//
// Ops that sum over factors their results do not have.

#include "Families.h"
#include "Neighbours.h"

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

/// A spatial dimension of image, kernel and result. Position p of the result
/// sees the image under the kernel, and position q of the kernel sees the
/// image wherever the kernel goes. The longer of the two may be split:
///
///   forward pass, gradient of the image   windows of the kernel, elsewhere
///                                         than in its own shard at the borders
///   gradient of the kernel                the "kernel" is a cotangent as large
///                                         as the image; its shards are summed
class SpatialDimension {
public:
  SpatialDimension(ConvolutionOp op, unsigned index) {
    ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
    image = numbers.getInputSpatialDimensions()[index];
    kernel = numbers.getKernelSpatialDimensions()[index];
    result = numbers.getOutputSpatialDimensions()[index];
    imageSize = shapeOf(op.getLhs())[image];
    kernelSize = shapeOf(op.getRhs())[kernel];
    resultSize = shapeOf(op)[result];
    stride = numberAt(op.getWindowStrides(), index);
    imageDilation = numberAt(op.getLhsDilation(), index);
    kernelDilation = numberAt(op.getRhsDilation(), index);
    if (op.getPadding())
      low = op.getPadding()->getValues<int64_t>()[2 * index];
    isReversed = op.getWindowReversal() && (*op.getWindowReversal())[index];
  }

  void addTo(ReachingRuleBuilder &builder) const {
    if (resultSize >= kernelSize)
      splitResult(builder);
    else
      splitKernel(builder);
  }

private:
  void splitResult(ReachingRuleBuilder &builder) const {
    builder.addReaching({{0, image}}, {{0, result}}, imageSize, resultSize,
                        {.first = -low,
                         .step = stride,
                         .extent = (kernelSize - 1) * kernelDilation + 1,
                         .dilation = imageDilation});
    builder.add(kernelSize, {{1, kernel}}, {}, FactorKind::NeedReplication);
  }

  void splitKernel(ReachingRuleBuilder &builder) const {
    builder.add(resultSize, {}, {{0, result}}, FactorKind::NeedReplication);
    if (imageSize == 0 || resultSize == 0) {
      builder.add(imageSize, {{0, image}}, {}, FactorKind::NeedReplication);
      builder.add(kernelSize, {{1, kernel}}, {}, FactorKind::NeedReplication);
      return;
    }
    Reach reach{.first = -low,
                .step = kernelDilation,
                .extent = (resultSize - 1) * stride + 1,
                .dilation = imageDilation};
    if (isReversed) {
      reach.first += (kernelSize - 1) * kernelDilation;
      reach.step = -kernelDilation;
    }
    FactorIndex factor =
        builder.add(std::min(imageSize, kernelSize), {{0, image}, {1, kernel}},
                    {}, FactorKind::Reduction);
    if (imageSize != kernelSize || reach != Reach())
      builder.neighbourhoods.push_back(
          {factor, 0, image, kernelSize, imageSize, reach});
  }

  unsigned image, kernel, result;
  int64_t imageSize, kernelSize, resultSize, stride, imageDilation,
      kernelDilation, low = 0;
  bool isReversed;
};

/// Batch and output features pass through, input features are summed. Groups
/// are the major part of the dimensions that they split:
///
///   lhs [b, x, gf], kernel [w, f, go] -> [b, y, go]   reduction={f}
///   lhs [gb, x, f], kernel [w, f, go] -> [b, y, go]   reduction={f}
ReachingRule convolutionRule(ConvolutionOp op) {
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs()),
                    out = shapeOf(op);
  unsigned lhsBatch = numbers.getInputBatchDimension(),
           lhsFeature = numbers.getInputFeatureDimension(),
           kernelInput = numbers.getKernelInputFeatureDimension(),
           kernelOutput = numbers.getKernelOutputFeatureDimension(),
           outBatch = numbers.getOutputBatchDimension(),
           outFeature = numbers.getOutputFeatureDimension();
  auto batchGroups = int64_t(op.getBatchGroupCount());
  auto featureGroups = int64_t(op.getFeatureGroupCount());
  ReachingRuleBuilder builder(2, 1);
  if (int64_t groups = batchGroups * featureGroups; groups != 1)
    builder.add(
        groups,
        {{0, batchGroups != 1 ? lhsBatch : lhsFeature}, {1, kernelOutput}},
        {{0, outFeature}});
  builder.add(out[outBatch], {{0, lhsBatch}}, {{0, outBatch}});
  builder.add(rhs[kernelOutput] / (batchGroups * featureGroups),
              {{1, kernelOutput}}, {{0, outFeature}});
  builder.add(lhs[lhsFeature] / featureGroups,
              {{0, lhsFeature}, {1, kernelInput}}, {}, FactorKind::Reduction);
  for (unsigned index = 0; index < numbers.getInputSpatialDimensions().size();
       ++index)
    SpatialDimension(op, index).addTo(builder);
  builder.addLinearSet({0});
  builder.addLinearSet({1});
  return builder.buildReaching();
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
  ReachingRuleModel<ConvolutionOp, convolutionRule>::attach(context);
  FactorRuleModel<DotGeneralOp, dotGeneralRule>::attach(context);
  FactorRuleModel<ReduceOp, reduceRule>::attach(context);
}

} // namespace shardsmith::stablehlo

// SPDX-License-Identifier: Apache-2.0
// Convolution: dimension numbers, groups and the windowed sizes.

#include "Rules.h"
#include "Window.h"

using namespace mlir;

namespace shardsmith::stablehlo {

namespace {

/// Two special dimensions and the spatial ones are all dimensions, each once.
LogicalResult checkRoles(const Reporter &report, StringRef name, int64_t first,
                         int64_t second, ArrayRef<int64_t> spatial,
                         int64_t rank) {
  SmallVector<int64_t> all(spatial);
  all.append({first, second});
  return failure(
      failed(checkCount(report, name, all.size(), rank, "dimension")) ||
      failed(checkUnique(report, name, all, rank)));
}

LogicalResult checkDivides(const Reporter &report, StringRef groups,
                           int64_t count, StringRef what, int64_t size) {
  if (ShapedType::isDynamic(size) || size % count == 0)
    return success();
  return report("needs ", groups, " to divide ", what, ", found ", count,
                " and ", size);
}

int64_t divided(int64_t size, int64_t count) {
  return ShapedType::isDynamic(size) ? size : size / count;
}

} // namespace

LogicalResult ConvolutionOp::verify() {
  Reporter report = reporterOf(*this);
  ConvDimensionNumbersAttr numbers = getDimensionNumbers();
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType();
  int64_t rank = lhs.getRank();
  if (rhs.getRank() != rank || getType().getRank() != rank)
    return report("needs input, kernel and result of one rank, found ", rank,
                  ", ", rhs.getRank(), " and ", getType().getRank());
  if (failed(checkRoles(report, "input dimension numbers",
                        numbers.getInputBatchDimension(),
                        numbers.getInputFeatureDimension(),
                        numbers.getInputSpatialDimensions(), rank)) ||
      failed(checkRoles(report, "kernel dimension numbers",
                        numbers.getKernelInputFeatureDimension(),
                        numbers.getKernelOutputFeatureDimension(),
                        numbers.getKernelSpatialDimensions(), rank)) ||
      failed(checkRoles(report, "output dimension numbers",
                        numbers.getOutputBatchDimension(),
                        numbers.getOutputFeatureDimension(),
                        numbers.getOutputSpatialDimensions(), rank)))
    return failure();

  int64_t featureGroups = getFeatureGroupCount();
  int64_t batchGroups = getBatchGroupCount();
  if (featureGroups > 1 && batchGroups > 1)
    return report("needs feature_group_count or batch_group_count to be 1, "
                  "found ",
                  featureGroups, " and ", batchGroups);
  int64_t batch = lhs.getDimSize(numbers.getInputBatchDimension());
  int64_t features = lhs.getDimSize(numbers.getInputFeatureDimension());
  int64_t kernelInputs =
      rhs.getDimSize(numbers.getKernelInputFeatureDimension());
  int64_t kernelOutputs =
      rhs.getDimSize(numbers.getKernelOutputFeatureDimension());
  if (failed(checkDivides(report, "feature_group_count", featureGroups,
                          "the input features", features)) ||
      failed(checkDivides(report, "feature_group_count", featureGroups,
                          "the kernel's output features", kernelOutputs)) ||
      failed(checkDivides(report, "batch_group_count", batchGroups,
                          "the batch size", batch)) ||
      failed(checkDivides(report, "batch_group_count", batchGroups,
                          "the kernel's output features", kernelOutputs)))
    return failure();
  if (!agree(kernelInputs, divided(features, featureGroups)))
    return report("needs ", divided(features, featureGroups),
                  " input features in the kernel, found ", kernelInputs);

  Shape inputSizes, kernelSizes;
  for (int64_t dim : numbers.getInputSpatialDimensions())
    inputSizes.push_back(lhs.getDimSize(dim));
  for (int64_t dim : numbers.getKernelSpatialDimensions())
    kernelSizes.push_back(rhs.getDimSize(dim));
  if (getWindowReversal() &&
      failed(checkCount(report, "window reversal", getWindowReversal()->size(),
                        kernelSizes.size(), "window dimension")))
    return failure();
  if (llvm::any_of(kernelSizes, ShapedType::isDynamic))
    return success();
  // A kernel without elements is legal and produces zeros.
  Shape sizesOrOne(kernelSizes);
  for (int64_t &size : sizesOrOne)
    size = std::max<int64_t>(size, 1);
  auto window = readWindow(report, sizesOrOne, getWindowStrides(), getPadding(),
                           getLhsDilation(), getRhsDilation());
  if (failed(window))
    return failure();
  for (auto [dimension, size] : llvm::zip(*window, kernelSizes))
    dimension.size = size;
  FailureOr<Shape> positions =
      countWindowPositions(report, inputSizes, *window);
  if (failed(positions))
    return failure();

  Shape shape(rank);
  shape[numbers.getOutputBatchDimension()] = divided(batch, batchGroups);
  shape[numbers.getOutputFeatureDimension()] = kernelOutputs;
  for (auto [dim, size] :
       llvm::zip(numbers.getOutputSpatialDimensions(), *positions))
    shape[dim] = size;
  return checkResultShape(report, getType(), shape);
}

} // namespace shardsmith::stablehlo

// SPDX-License-Identifier: Apache-2.0
// Derivative of convolutions: two convolutions.
//
// Without the spatial dimensions a convolution is a matrix product; m counts
// samples, j and k input and output features:
//
//     forward            z[m, k] = x[m, j] · w[j, k]
//     gradient of x      dx[m, j] = g[m, k] · w[k, j]
//     gradient of w      dw[j, k] = x[j, m] · g[m, k]
//
// Along a spatial dimension the gradient of x slides the mirrored kernel over
// the cotangent, and the gradient of w slides the cotangent over x; strides of
// the forward pass become dilations and the other way round.
//
// With c groups of features, z[m, ck] = x[m, cj] · w[j, ck]:
//     dx[m, cj] = g[m, ck] · w[k, cj]   features grouped; in w, the group moves
//                                       from output to input features
//     dw[j, ck] = x[cj, m] · g[m, ck]   batch grouped
// With c groups of samples, z[m, ck] = x[cm, j] · w[j, ck]:
//     dx[cm, j] = g[m, ck] · w[k, cj]   features grouped; in w and in the
//                                       result, the group moves
//     dw[j, ck] = x[j, cm] · g[m, ck]   features grouped

#include "Families.h"
#include "WindowGeometry.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {
namespace {

/// Splits dimension `from` into (groups, rest) and makes the groups the major
/// part of dimension `to`.
TensorValue moveGroups(TensorValue operand, int64_t from, int64_t to,
                       int64_t groups) {
  SmallVector<int64_t> split(operand.shape());
  split[from] /= groups;
  SmallVector<int64_t> merged = split;
  merged[to] *= groups;
  split.insert(split.begin() + from, groups);

  SmallVector<int64_t> permutation;
  for (int64_t d = 0; d <= operand.rank(); ++d)
    if (d != from)
      permutation.push_back(d);
  permutation.insert(permutation.begin() + to, from);
  return reshape(transpose(reshape(operand, split), permutation), merged);
}

/// A convolution and what its gradients have in common.
class ConvolutionDerivative {
public:
  ConvolutionDerivative(ConvolutionOp op, TensorValue g)
      : op(op), g(g), builder(g.builder()),
        dimensions(op.getDimensionNumbers()),
        featureGroups(op.getFeatureGroupCount()),
        batchGroups(op.getBatchGroupCount()) {
    ArrayRef<int64_t> inputDims = dimensions.getInputSpatialDimensions();
    SmallVector<int64_t> padding =
        paddingNumbers(op.getPadding(), inputDims.size());
    for (auto [index, inputDim] : llvm::enumerate(inputDims)) {
      int64_t kernelDim = dimensions.getKernelSpatialDimensions()[index];
      int64_t outputDim = dimensions.getOutputSpatialDimensions()[index];
      spatial.push_back(
          {.input = op.getLhs().getType().getDimSize(inputDim),
           .window = op.getRhs().getType().getDimSize(kernelDim),
           .output = g.shape()[outputDim],
           .stride = numberOr(op.getWindowStrides(), index, 1),
           .low = padding[2 * index],
           .high = padding[2 * index + 1],
           .inputDilation = numberOr(op.getLhsDilation(), index, 1),
           .windowDilation = numberOr(op.getRhsDilation(), index, 1)});
      auto reversal = op.getWindowReversal();
      isReversed.push_back(reversal && (*reversal)[index]);
    }
  }

  TensorValue inputGradient() {
    int64_t groups = featureGroups * batchGroups;
    int64_t kernelInput = dimensions.getKernelInputFeatureDimension();
    int64_t kernelOutput = dimensions.getKernelOutputFeatureDimension();
    TensorValue kernel = convert({builder, op.getRhs()}, g.elementType());
    if (groups > 1)
      kernel = moveGroups(kernel, kernelOutput, kernelInput, groups);

    SmallVector<int64_t> padding;
    SmallVector<bool> reversal;
    for (auto [dimension, reversed] : llvm::zip_equal(spatial, isReversed)) {
      auto [before, after] = dimension.inputGradientPadding();
      padding.append({before, after});
      reversal.push_back(!reversed);
    }
    auto numbers = ConvDimensionNumbersAttr::get(
        op.getContext(), dimensions.getOutputBatchDimension(),
        dimensions.getOutputFeatureDimension(),
        dimensions.getOutputSpatialDimensions(), kernelOutput, kernelInput,
        dimensions.getKernelSpatialDimensions(),
        dimensions.getInputBatchDimension(),
        dimensions.getInputFeatureDimension(),
        dimensions.getInputSpatialDimensions());

    // Groups of samples come out as groups of features.
    RankedTensorType inputType = op.getLhs().getType();
    SmallVector<int64_t> shape(inputType.getShape());
    shape[dimensions.getInputBatchDimension()] /= batchGroups;
    shape[dimensions.getInputFeatureDimension()] *= batchGroups;
    TensorValue result =
        convolve(g, kernel, shape, collect(&WindowDimension::inputDilation),
                 padding, collect(&WindowDimension::stride),
                 collect(&WindowDimension::windowDilation), reversal, numbers,
                 /*featureGroupCount=*/groups, /*batchGroupCount=*/1);
    if (batchGroups > 1)
      result = moveGroups(result, dimensions.getInputFeatureDimension(),
                          dimensions.getInputBatchDimension(), batchGroups);
    return convert(result, inputType.getElementType());
  }

  TensorValue kernelGradient() {
    TensorValue input = convert({builder, op.getLhs()}, g.elementType());
    SmallVector<int64_t> padding;
    for (const WindowDimension &dimension : spatial) {
      auto [before, after] = dimension.windowGradientPadding();
      padding.append({before, after});
    }
    auto numbers = ConvDimensionNumbersAttr::get(
        op.getContext(), dimensions.getInputFeatureDimension(),
        dimensions.getInputBatchDimension(),
        dimensions.getInputSpatialDimensions(),
        dimensions.getOutputBatchDimension(),
        dimensions.getOutputFeatureDimension(),
        dimensions.getOutputSpatialDimensions(),
        dimensions.getKernelInputFeatureDimension(),
        dimensions.getKernelOutputFeatureDimension(),
        dimensions.getKernelSpatialDimensions());

    RankedTensorType kernelType = op.getRhs().getType();
    TensorValue result = convolve(
        input, g, kernelType.getShape(),
        collect(&WindowDimension::windowDilation), padding,
        collect(&WindowDimension::inputDilation),
        collect(&WindowDimension::stride), /*reversal=*/{}, numbers,
        /*featureGroupCount=*/batchGroups, /*batchGroupCount=*/featureGroups);
    return convert(mirrorReversed(result), kernelType.getElementType());
  }

private:
  /// What was read in reverse order gets its gradient in reverse order.
  TensorValue mirrorReversed(TensorValue kernel) {
    SmallVector<int64_t> mirrored;
    for (auto [dimension, reversed] :
         llvm::zip_equal(dimensions.getKernelSpatialDimensions(), isReversed))
      if (reversed)
        mirrored.push_back(dimension);
    if (mirrored.empty())
      return kernel;
    return {builder, ReverseOp::create(builder, kernel.value(), mirrored)};
  }

  SmallVector<int64_t> collect(int64_t WindowDimension::*field) const {
    return llvm::map_to_vector(
        spatial, [field](const WindowDimension &d) { return d.*field; });
  }

  TensorValue convolve(TensorValue lhs, TensorValue rhs,
                       ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                       ArrayRef<int64_t> padding, ArrayRef<int64_t> lhsDilation,
                       ArrayRef<int64_t> rhsDilation, ArrayRef<bool> reversal,
                       ConvDimensionNumbersAttr numbers,
                       int64_t featureGroupCount, int64_t batchGroupCount) {
    auto type = RankedTensorType::get(shape, g.elementType());
    DenseBoolArrayAttr reversalAttribute;
    if (!reversal.empty())
      reversalAttribute = builder.getDenseBoolArrayAttr(reversal);
    return {builder,
            ConvolutionOp::create(builder, type, lhs.value(), rhs.value(),
                                  builder.getDenseI64ArrayAttr(strides),
                                  paddingAttribute(builder, padding),
                                  builder.getDenseI64ArrayAttr(lhsDilation),
                                  builder.getDenseI64ArrayAttr(rhsDilation),
                                  reversalAttribute, numbers,
                                  builder.getI64IntegerAttr(featureGroupCount),
                                  builder.getI64IntegerAttr(batchGroupCount),
                                  op.getPrecisionConfigAttr())};
  }

  ConvolutionOp op;
  TensorValue g;
  ImplicitLocOpBuilder &builder;
  ConvDimensionNumbersAttr dimensions;
  int64_t featureGroups;
  int64_t batchGroups;
  SmallVector<WindowDimension> spatial;
  SmallVector<bool> isReversed;
};

} // namespace

void attachConvolutionDerivatives(MLIRContext *context) {
  attachDerivative<ConvolutionOp>(
      context, [](ConvolutionOp op, TensorValue g, Cotangents &cotangents) {
        ConvolutionDerivative derivative(op, g);
        cotangents[0] = derivative.inputGradient();
        cotangents[1] = derivative.kernelGradient();
        return success();
      });
}

} // namespace shardsmith

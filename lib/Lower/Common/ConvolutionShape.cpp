// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/Common/ConvolutionShape.h"

#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;

namespace shardsmith::lower {
namespace {

SmallVector<int64_t> stridesOf(Value tensor) {
  ArrayRef<int64_t> shape = shapeOf(tensor);
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

int64_t oneOr(std::optional<ArrayRef<int64_t>> values, size_t index) {
  return values ? (*values)[index] : 1;
}

} // namespace

ConvolutionShape::ConvolutionShape(stablehlo::ConvolutionOp op) {
  auto numbers = op.getDimensionNumbers();
  ArrayRef<int64_t> lhsShape = shapeOf(op.getLhs()),
                    rhsShape = shapeOf(op.getRhs()),
                    resultShape = shapeOf(op.getResult());
  SmallVector<int64_t> lhsStrides = stridesOf(op.getLhs()),
                       rhsStrides = stridesOf(op.getRhs()),
                       resultStrides = stridesOf(op.getResult());
  auto batchGroups = static_cast<int64_t>(op.getBatchGroupCount());
  groups = static_cast<int64_t>(op.getFeatureGroupCount()) * batchGroups;
  samples = resultShape[numbers.getOutputBatchDimension()];
  features = rhsShape[numbers.getKernelInputFeatureDimension()];
  outputs = rhsShape[numbers.getKernelOutputFeatureDimension()] / groups;
  lhs.sample = lhsStrides[numbers.getInputBatchDimension()];
  lhs.feature = lhsStrides[numbers.getInputFeatureDimension()];
  lhs.group = batchGroups > 1 ? samples * lhs.sample : features * lhs.feature;
  rhs.output = rhsStrides[numbers.getKernelOutputFeatureDimension()];
  rhs.feature = rhsStrides[numbers.getKernelInputFeatureDimension()];
  rhs.group = outputs * rhs.output;
  result.sample = resultStrides[numbers.getOutputBatchDimension()];
  result.output = resultStrides[numbers.getOutputFeatureDimension()];
  result.group = outputs * result.output;

  SmallVector<int64_t> paddings;
  if (op.getPadding())
    paddings = llvm::to_vector(op.getPadding()->getValues<int64_t>());
  for (auto [i, lhsDim] :
       llvm::enumerate(numbers.getInputSpatialDimensions())) {
    int64_t rhsDim = numbers.getKernelSpatialDimensions()[i],
            resultDim = numbers.getOutputSpatialDimensions()[i];
    space.push_back(
        {.lhsSize = lhsShape[lhsDim],
         .rhsSize = rhsShape[rhsDim],
         .resultSize = resultShape[resultDim],
         .lhsStride = lhsStrides[lhsDim],
         .rhsStride = rhsStrides[rhsDim],
         .resultStride = resultStrides[resultDim],
         .step = oneOr(op.getWindowStrides(), i),
         .padding = paddings.empty() ? 0 : paddings[2 * i],
         .lhsDilation = oneOr(op.getLhsDilation(), i),
         .rhsDilation = oneOr(op.getRhsDilation(), i),
         .isReversed = op.getWindowReversal() && (*op.getWindowReversal())[i]});
  }
}

} // namespace shardsmith::lower

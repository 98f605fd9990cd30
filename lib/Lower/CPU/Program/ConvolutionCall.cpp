// SPDX-License-Identifier: Apache-2.0
//
// Dimension numbers become strides. The groups g of a convolution are the
// major part of these dimensions:
//
//                      lhs        rhs       result
//     feature groups   features   outputs   features
//     batch groups     samples    outputs   features

#include "ConvolutionCall.h"

#include "../Elements/Storage.h"
#include "RuntimeCalls.h"

#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;

namespace shardsmith::cpu {
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

std::string whyNotConvolution(stablehlo::ConvolutionOp op) {
  size_t space = op.getDimensionNumbers().getInputSpatialDimensions().size();
  if (space > SMITH_CONVOLUTION_MAX_SPACE)
    return "convolution over " + std::to_string(space) +
           " spatial dimensions, at most " +
           std::to_string(SMITH_CONVOLUTION_MAX_SPACE) + " are possible";
  for (Value tensor : {op.getLhs(), op.getRhs(), op.getResult()}) {
    Type element = getElementTypeOrSelf(tensor);
    if (!isSupportedElement(element) || element.isInteger(1)) {
      std::string text;
      llvm::raw_string_ostream(text) << "convolution of " << element;
      return text;
    }
  }
  return "";
}

smith_convolution describeConvolution(stablehlo::ConvolutionOp op, int32_t id) {
  auto numbers = op.getDimensionNumbers();
  Value lhs = op.getLhs(), rhs = op.getRhs(), result = op.getResult();
  SmallVector<int64_t> lhsStrides = stridesOf(lhs), rhsStrides = stridesOf(rhs),
                       resultStrides = stridesOf(result);
  auto batchGroups = static_cast<int64_t>(op.getBatchGroupCount());
  smith_convolution to = {};
  to.id = id;
  to.lhs_dtype = dtypeOf(getElementTypeOrSelf(lhs));
  to.rhs_dtype = dtypeOf(getElementTypeOrSelf(rhs));
  to.result_dtype = dtypeOf(getElementTypeOrSelf(result));
  to.g = static_cast<int64_t>(op.getFeatureGroupCount()) * batchGroups;
  to.n = shapeOf(result)[numbers.getOutputBatchDimension()];
  to.c = shapeOf(rhs)[numbers.getKernelInputFeatureDimension()];
  to.o = shapeOf(rhs)[numbers.getKernelOutputFeatureDimension()] / to.g;
  to.lhs_n_stride = lhsStrides[numbers.getInputBatchDimension()];
  to.lhs_c_stride = lhsStrides[numbers.getInputFeatureDimension()];
  to.lhs_g_stride =
      batchGroups > 1 ? to.n * to.lhs_n_stride : to.c * to.lhs_c_stride;
  to.rhs_o_stride = rhsStrides[numbers.getKernelOutputFeatureDimension()];
  to.rhs_c_stride = rhsStrides[numbers.getKernelInputFeatureDimension()];
  to.rhs_g_stride = to.o * to.rhs_o_stride;
  to.result_n_stride = resultStrides[numbers.getOutputBatchDimension()];
  to.result_o_stride = resultStrides[numbers.getOutputFeatureDimension()];
  to.result_g_stride = to.o * to.result_o_stride;

  SmallVector<int64_t> padding;
  if (op.getPadding())
    padding = llvm::to_vector(op.getPadding()->getValues<int64_t>());
  for (auto [i, lhsDim] :
       llvm::enumerate(numbers.getInputSpatialDimensions())) {
    int64_t rhsDim = numbers.getKernelSpatialDimensions()[i],
            resultDim = numbers.getOutputSpatialDimensions()[i];
    to.space[to.space_count++] = {
        .lhs_size = shapeOf(lhs)[lhsDim],
        .rhs_size = shapeOf(rhs)[rhsDim],
        .result_size = shapeOf(result)[resultDim],
        .lhs_stride = lhsStrides[lhsDim],
        .rhs_stride = rhsStrides[rhsDim],
        .result_stride = resultStrides[resultDim],
        .step = oneOr(op.getWindowStrides(), i),
        .padding = padding.empty() ? 0 : padding[2 * i],
        .lhs_dilation = oneOr(op.getLhsDilation(), i),
        .rhs_dilation = oneOr(op.getRhsDilation(), i),
        .is_reversed = op.getWindowReversal() && (*op.getWindowReversal())[i]};
  }
  return to;
}

} // namespace shardsmith::cpu

// SPDX-License-Identifier: Apache-2.0

#include "ConvolutionCall.h"

#include "../Elements/Storage.h"
#include "RuntimeCalls.h"

#include "shardsmith/Lower/Common/ConvolutionShape.h"

using namespace mlir;

namespace shardsmith::cpu {

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
  lower::ConvolutionShape shape(op);
  smith_convolution to = {};
  to.id = id;
  to.lhs_dtype = dtypeOf(getElementTypeOrSelf(op.getLhs()));
  to.rhs_dtype = dtypeOf(getElementTypeOrSelf(op.getRhs()));
  to.result_dtype = dtypeOf(getElementTypeOrSelf(op.getResult()));
  to.g = shape.groups;
  to.n = shape.samples;
  to.c = shape.features;
  to.o = shape.outputs;
  to.lhs_g_stride = shape.lhs.group;
  to.lhs_n_stride = shape.lhs.sample;
  to.lhs_c_stride = shape.lhs.feature;
  to.rhs_g_stride = shape.rhs.group;
  to.rhs_o_stride = shape.rhs.output;
  to.rhs_c_stride = shape.rhs.feature;
  to.result_g_stride = shape.result.group;
  to.result_n_stride = shape.result.sample;
  to.result_o_stride = shape.result.output;
  for (const lower::ConvolutionShape::Space &space : shape.space)
    to.space[to.space_count++] = {.lhs_size = space.lhsSize,
                                  .rhs_size = space.rhsSize,
                                  .result_size = space.resultSize,
                                  .lhs_stride = space.lhsStride,
                                  .rhs_stride = space.rhsStride,
                                  .result_stride = space.resultStride,
                                  .step = space.step,
                                  .padding = space.padding,
                                  .lhs_dilation = space.lhsDilation,
                                  .rhs_dilation = space.rhsDilation,
                                  .is_reversed = space.isReversed};
  return to;
}

} // namespace shardsmith::cpu

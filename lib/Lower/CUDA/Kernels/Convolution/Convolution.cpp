// SPDX-License-Identifier: Apache-2.0

#include "../OwnFunctions.h"
#include "../Products/ProductTiles.h"
#include "EmitConvolution.h"

#include "shardsmith/Lower/Common/ConvolutionShape.h"

using namespace mlir;

namespace shardsmith::cuda {
namespace {

bool isOfDoubles(Value tensor) { return getElementTypeOrSelf(tensor).isF64(); }

/// Groups of so few outputs would leave most of a tile's columns unused.
bool areGroupsNarrow(stablehlo::ConvolutionOp op) {
  ConvolutionShape shape(op);
  return shape.groups > 1 && shape.outputs < columnsOfFragment;
}

} // namespace

std::string whyNotConvolution(Operation *op) {
  auto convolution = cast<stablehlo::ConvolutionOp>(op);
  if (hasIntegers(convolution))
    return "";
  SmallVector<Value> narrow{convolution.getLhs(), convolution.getRhs(),
                            convolution.getResult()};
  llvm::erase_if(narrow, isOfDoubles);
  return whyNotFloats(op, narrow);
}

// Sums are modulo 2⁶⁴, and so are results of fewer bits modulo theirs.
bool hasIntegers(stablehlo::ConvolutionOp op) {
  auto isInteger = [](Value tensor) {
    auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(tensor));
    return type && type.getWidth() > 1;
  };
  return isInteger(op.getLhs()) && isInteger(op.getRhs()) &&
         isInteger(op.getResult());
}

bool hasDoubles(stablehlo::ConvolutionOp op) {
  return isOfDoubles(op.getLhs()) || isOfDoubles(op.getRhs()) ||
         isOfDoubles(op.getResult());
}

void emitConvolution(DeviceKernel &device, Operation *op) {
  auto convolution = cast<stablehlo::ConvolutionOp>(op);
  if (hasIntegers(convolution) || hasDoubles(convolution) ||
      areGroupsNarrow(convolution))
    emitDirectConvolution(device, convolution);
  else
    emitTiledConvolution(device, convolution);
}

} // namespace shardsmith::cuda

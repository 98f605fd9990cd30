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
  SmallVector<Value> narrow{convolution.getLhs(), convolution.getRhs(),
                            convolution.getResult()};
  llvm::erase_if(narrow, isOfDoubles);
  return whyNotFloats(op, narrow);
}

bool hasDoubles(stablehlo::ConvolutionOp op) {
  return isOfDoubles(op.getLhs()) || isOfDoubles(op.getRhs()) ||
         isOfDoubles(op.getResult());
}

void emitConvolution(DeviceKernel &device, Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    device.memory.add(operand.get(), device.buffer(operand.getOperandNumber()));
  auto convolution = cast<stablehlo::ConvolutionOp>(op);
  if (hasDoubles(convolution) || areGroupsNarrow(convolution))
    emitDirectConvolution(device, convolution);
  else
    emitTiledConvolution(device, convolution);
}

} // namespace shardsmith::cuda

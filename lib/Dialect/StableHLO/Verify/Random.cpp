// SPDX-License-Identifier: Apache-2.0
// Random numbers: states and distributions.

#include "Rules.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

LogicalResult RngOp::verify() {
  Reporter report = reporterOf(*this);
  Type element = getType().getElementType();
  for (Value bound : {Value(getA()), Value(getB())})
    if (rankOf(bound) != 0 || elementType(bound) != element)
      return report("needs scalar bounds of ", element, ", found ",
                    bound.getType());
  RankedTensorType shape = getShape().getType();
  if (shape.getRank() != 1 || !agree(shape.getDimSize(0), getType().getRank()))
    return report("needs shape to be a vector of ", getType().getRank(),
                  " entries, found ", shape);
  return success();
}

LogicalResult RngBitGeneratorOp::verify() {
  Reporter report = reporterOf(*this);
  RankedTensorType state = getInitialState().getType();
  if (state.getRank() != 1 || !state.getElementType().isUnsignedInteger(64))
    return report("needs a state of ui64 in one dimension, found ", state);
  int64_t size = state.getDimSize(0);
  RngAlgorithm algorithm = getRngAlgorithm();
  if (algorithm == RngAlgorithm::THREE_FRY && !agree(size, 2))
    return report("with THREE_FRY needs a state of 2 numbers, found ", size);
  if (algorithm == RngAlgorithm::PHILOX && !agree(size, 2) && !agree(size, 3))
    return report("with PHILOX needs a state of 2 or 3 numbers, found ", size);
  if (!areCompatibleTypes(state, getOutputState().getType()))
    return report("needs the next state to be of type ", state, ", found ",
                  getOutputState().getType());
  return success();
}

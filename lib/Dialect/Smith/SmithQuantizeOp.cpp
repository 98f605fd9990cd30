// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/QuantizeOp.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithQuantizeOp.cpp.inc"

namespace shardsmith::smith {

LogicalResult QuantizeOp::verify() {
  Type element = getElementTypeOrSelf(getInput().getType());
  if (!element.isBF16() && !element.isF16() && !element.isF32())
    return emitOpError() << "needs a tensor of bf16, f16 or f32, found "
                         << element;
  if (getValues().has_value() == getGradients().has_value())
    return emitOpError("needs a type of values or one of gradients");
  Type narrow = getValues() ? *getValues() : *getGradients();
  if (!isa<Float8E4M3FNType, Float8E5M2Type>(narrow))
    return emitOpError() << "rounds to f8E4M3FN or f8E5M2, found " << narrow;
  return success();
}

LogicalResult
QuantizeOp::buildDerivative(ImplicitLocOpBuilder &builder,
                            ArrayRef<Value> resultCotangents,
                            SmallVectorImpl<Value> &operandCotangents) {
  Value gradient = resultCotangents.front();
  if (gradient && getGradientsAttr())
    gradient = QuantizeOp::create(builder, gradient.getType(), gradient,
                                  /*values=*/getGradientsAttr(),
                                  /*gradients=*/nullptr);
  operandCotangents.assign(1, gradient);
  return success();
}

} // namespace shardsmith::smith

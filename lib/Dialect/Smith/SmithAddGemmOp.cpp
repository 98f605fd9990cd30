// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/AddGemmOp.h"

#include "ProductViews.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithAddGemmOp.cpp.inc"

namespace shardsmith::smith {

LogicalResult AddGemmOp::verify() {
  if (failed(verifyProduct(*this)))
    return failure();
  if (!getSum() && !getBias() && !getScale())
    return emitOpError("adds nothing; smith.gemm is the product alone");
  if (getSum() && getSum().getType() != getType())
    return emitOpError() << "adds to " << getSum().getType()
                         << ", which is not the result's type " << getType();
  if (!getBias())
    return success();
  Type bias = RankedTensorType::get(
      {getSizes()[1]}, cast<RankedTensorType>(getType()).getElementType());
  if (getBias().getType() != bias)
    return emitOpError() << "expects a bias of type " << bias << ", found "
                         << getBias().getType();
  if (getResultStrides().back() != 1)
    return emitOpError() << "has a bias along a dimension of stride "
                         << getResultStrides().back() << "; expected 1";
  return success();
}

} // namespace shardsmith::smith

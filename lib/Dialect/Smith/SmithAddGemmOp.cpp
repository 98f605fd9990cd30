// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/AddGemmOp.h"

#include "ProductViews.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithAddGemmOp.cpp.inc"

namespace shardsmith::smith {

LogicalResult AddGemmOp::verify() { return verifyProduct(*this); }

} // namespace shardsmith::smith

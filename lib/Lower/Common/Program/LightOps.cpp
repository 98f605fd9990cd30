// SPDX-License-Identifier: Apache-2.0

#include "LightOps.h"

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;

namespace shardsmith::lower {

bool isCollective(Operation *op) {
  return isa<smith::AllReduceOp, smith::AllGatherOp, smith::ReduceScatterOp>(
      op);
}

bool isLight(Operation *op) {
  return isCollective(op) ||
         isa<smith::KernelOp, smith::ShardIndexOp, stablehlo::ConstantOp,
             stablehlo::ReshapeOp>(op);
}

} // namespace shardsmith::lower

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/StableHLO/Positions.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;

namespace shardsmith::stablehlo {
namespace {

/// What the op reads or writes at the positions; null for ops without any.
const TensorFactors *rowsOf(Operation *op, const FactorRule &rule) {
  if (isa<GatherOp, DynamicSliceOp>(op))
    return &rule.results.front();
  if (isa<DynamicUpdateSliceOp>(op))
    return &rule.operands[1];
  if (isa<ScatterOp>(op))
    return &rule.operands.back();
  return nullptr;
}

} // namespace

bool pointsInto(Operation *op, const FactorRule &rule, FactorIndex factor) {
  const TensorFactors *rows = rowsOf(op, rule);
  return rows && occursIn(rule.operands.front(), factor) &&
         !occursIn(*rows, factor);
}

} // namespace shardsmith::stablehlo

// SPDX-License-Identifier: Apache-2.0

#include "IndexViews.h"

#include "shardsmith/Dialect/StableHLO/Matching.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;

namespace shardsmith {

using stablehlo::ComparisonDirection;

Value withoutViews(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<stablehlo::ReshapeOp, stablehlo::ConvertOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

Value withoutGuards(Value value) {
  while (true) {
    value = withoutViews(value);
    Operation *op = value.getDefiningOp();
    if (auto broadcast = dyn_cast_or_null<stablehlo::BroadcastInDimOp>(op)) {
      RankedTensorType from = typeOf(broadcast.getOperand());
      if (from.getNumElements() != typeOf(value).getNumElements())
        return value;
      value = broadcast.getOperand();
    } else if (auto largest = dyn_cast_or_null<stablehlo::MaxOp>(op)) {
      if (stablehlo::isZero(largest.getLhs()))
        value = largest.getRhs();
      else if (stablehlo::isZero(largest.getRhs()))
        value = largest.getLhs();
      else
        return value;
    } else if (auto select = dyn_cast_or_null<stablehlo::SelectOp>(op)) {
      auto compare = select.getPred().getDefiningOp<stablehlo::CompareOp>();
      if (!compare ||
          compare.getComparisonDirection() != ComparisonDirection::LT ||
          compare.getLhs() != select.getOnFalse() ||
          !stablehlo::isZero(compare.getRhs()))
        return value;
      value = select.getOnFalse();
    } else {
      return value;
    }
  }
}

} // namespace shardsmith

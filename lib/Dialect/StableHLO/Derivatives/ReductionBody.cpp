// SPDX-License-Identifier: Apache-2.0

#include "ReductionBody.h"

#include "shardsmith/Dialect/StableHLO/Matching.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardsmith {

BodyKind classifyBody(Region &body) {
  if (stablehlo::returnsSecondArgument(body))
    return BodyKind::replacement;
  Operation *combine = stablehlo::matchCombiner(body);
  if (!combine)
    return BodyKind::other;
  return llvm::TypeSwitch<Operation *, BodyKind>(combine)
      .Case<stablehlo::AddOp>([](auto) { return BodyKind::sum; })
      .Case<stablehlo::MaxOp>([](auto) { return BodyKind::maximum; })
      .Case<stablehlo::MinOp>([](auto) { return BodyKind::minimum; })
      .Case<stablehlo::MulOp>([](auto) { return BodyKind::product; })
      .Default([](Operation *) { return BodyKind::other; });
}

bool isConstantStart(Value init) {
  while (auto broadcast = init.getDefiningOp<stablehlo::BroadcastInDimOp>())
    init = broadcast.getOperand();
  return matchPattern(init, m_Constant());
}

} // namespace shardsmith

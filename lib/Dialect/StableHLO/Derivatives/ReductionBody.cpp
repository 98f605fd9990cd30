// SPDX-License-Identifier: Apache-2.0

#include "ReductionBody.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace shardsmith {

BodyKind classifyBody(Region &body) {
  if (!body.hasOneBlock() || body.getNumArguments() != 2)
    return BodyKind::other;
  Block &block = body.front();
  Value first = block.getArgument(0), second = block.getArgument(1);
  auto terminator = dyn_cast<stablehlo::ReturnOp>(block.getTerminator());
  if (!terminator || terminator->getNumOperands() != 1)
    return BodyKind::other;

  Value returned = terminator->getOperand(0);
  if (returned == second)
    return BodyKind::replacement;
  Operation *combine = returned.getDefiningOp();
  if (!combine || combine->getNumOperands() != 2)
    return BodyKind::other;
  Value lhs = combine->getOperand(0), rhs = combine->getOperand(1);
  bool combinesBoth =
      (lhs == first && rhs == second) || (lhs == second && rhs == first);
  if (!combinesBoth)
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

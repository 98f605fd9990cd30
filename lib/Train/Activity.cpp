// SPDX-License-Identifier: Apache-2.0

#include "Activity.h"

#include "shardsmith/Dialect/Smith/DerivativeOps.h"
#include "shardsmith/Dialect/Smith/LoopOps.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardsmith {
namespace {

/// Operands of the op and values that its regions capture; of an op with a
/// derivative of its own, what it has a derivative by.
SmallVector<Value> readValues(Operation &op) {
  if (auto custom = dyn_cast<smith::WithDerivativeOp>(op))
    return custom.getInputs();
  SmallVector<Value> values(op.getOperands());
  for (Region &region : op.getRegions())
    region.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (!op.isAncestor(operand.getParentBlock()->getParentOp()))
          values.push_back(operand);
    });
  return values;
}

} // namespace

bool isFloatTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

Activity::Activity(Block &block, Value loss, ValueRange parameters,
                   const DenseSet<Value> &constant) {
  for (Value parameter : parameters)
    origins[parameter] = parameter;
  // What goes around a loop depends on what the iteration before has made.
  while (findOrigins(block, constant)) {
  }
  useful.insert(loss);
  while (findUseful(block)) {
  }
}

bool Activity::findOrigins(Block &block, const DenseSet<Value> &constant) {
  bool hasFoundAgain = false;
  for (Operation &op : block.without_terminator()) {
    Value origin;
    for (Value value : readValues(op))
      if (!origin && isFloatTensor(value))
        origin = origins.lookup(value);
    if (!origin)
      continue;
    for (Value result : op.getResults())
      if (isFloatTensor(result) && !constant.contains(result))
        origins[result] = origin;
    auto next = dyn_cast<smith::LoopNextOp>(op);
    if (next && isFloatTensor(next.getCarry()) &&
        !constant.contains(next.getCarry()))
      hasFoundAgain |= origins.insert({next.getCarry(), origin}).second;
  }
  return hasFoundAgain;
}

bool Activity::findUseful(Block &block) {
  bool hasFoundAgain = false;
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    bool isUseful = llvm::any_of(
        op.getResults(), [&](Value result) { return useful.contains(result); });
    if (!isUseful)
      continue;
    for (Value value : readValues(op))
      if (isFloatTensor(value))
        useful.insert(value);
    if (isa<smith::LoopCarryOp>(op) && isFloatTensor(op.getResult(0)))
      for (Operation *user : op.getUsers())
        if (auto next = dyn_cast<smith::LoopNextOp>(user))
          hasFoundAgain |= useful.insert(next.getNext()).second;
  }
  return hasFoundAgain;
}

} // namespace shardsmith

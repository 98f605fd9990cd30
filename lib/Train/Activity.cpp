// SPDX-License-Identifier: Apache-2.0

#include "Activity.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardsmith {
namespace {

/// Operands of the op and values that its regions capture.
SmallVector<Value> readValues(Operation &op) {
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
  }

  useful.insert(loss);
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    bool isUseful = llvm::any_of(
        op.getResults(), [&](Value result) { return useful.contains(result); });
    if (!isUseful)
      continue;
    for (Value value : readValues(op))
      if (isFloatTensor(value))
        useful.insert(value);
  }
}

} // namespace shardsmith

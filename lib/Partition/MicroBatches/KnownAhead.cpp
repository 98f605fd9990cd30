// SPDX-License-Identifier: Apache-2.0

#include "KnownAhead.h"

#include "mlir/Transforms/RegionUtils.h"
#include "shardsmith/Dialect/Smith/LoopNest.h"
#include "shardsmith/Dialect/Smith/Smith.h"

using namespace mlir;

namespace shardsmith {
namespace {

/// What is computed ahead is at most so many times as large as a batch.
constexpr int64_t largest = 4;

int64_t elementsOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

StringRef roleOf(BlockArgument argument, func::FuncOp function) {
  auto role = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                    smith::kRoleAttributeName);
  return role ? role.getValue() : StringRef();
}

llvm::SetVector<Value> valuesReadBy(Operation *op) {
  llvm::SetVector<Value> read(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), read);
  return read;
}

} // namespace

KnownAhead::KnownAhead(func::FuncOp function, Block *body,
                       llvm::function_ref<bool(Value)> isSplit)
    : function(function) {
  int64_t batchElements = 0;
  for (BlockArgument argument : function.getArguments()) {
    StringRef role = roleOf(argument, function);
    if (role != "batch" && role != "constant")
      continue;
    known.insert(argument);
    values.map(argument, body->getArgument(argument.getArgNumber()));
    if (isSplit(argument))
      batchElements = std::max(batchElements, elementsOf(argument));
  }
  smith::LoopNest nest(function.front());
  for (Operation &op : function.front().without_terminator()) {
    // Of a loop all would have to be there.
    if (!nest.loopsOf(&op).empty())
      continue;
    llvm::SetVector<Value> read = valuesReadBy(&op);
    bool isKnown =
        llvm::all_of(read, [&](Value value) { return known.contains(value); });
    bool isSmall = llvm::all_of(op.getResults(), [&](Value result) {
      return elementsOf(result) <= largest * batchElements;
    });
    if (isKnown && (isSmall || read.empty()))
      known.insert(op.result_begin(), op.result_end());
  }
}

Value KnownAhead::compute(OpBuilder &builder, Value value) {
  if (!known.contains(value))
    return nullptr;
  llvm::SetVector<Operation *> makers;
  makers.insert(value.getDefiningOp());
  for (size_t next = 0; next < makers.size(); ++next)
    for (Value read : valuesReadBy(makers[next]))
      if (Operation *maker = read.getDefiningOp())
        makers.insert(maker);
  for (Operation &op : function.front())
    if (makers.contains(&op) && !values.contains(op.getResult(0)))
      builder.clone(op, values);
  return values.lookup(value);
}

} // namespace shardsmith

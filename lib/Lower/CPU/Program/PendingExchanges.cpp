// SPDX-License-Identifier: Apache-2.0

#include "PendingExchanges.h"

#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/Common/BufferPlan.h"

using namespace mlir;

namespace shardsmith::cpu {
namespace {

/// The place of a tensor; nothing for a constant, which nobody writes.
std::optional<MemoryRange> rangeOf(Value tensor) {
  while (auto reshape = tensor.getDefiningOp<stablehlo::ReshapeOp>())
    tensor = reshape.getOperand();
  if (tensor.getDefiningOp<stablehlo::ConstantOp>())
    return std::nullopt;
  int64_t offset = lower::offsetOf(tensor);
  int64_t bytes = lower::bufferBytes(tensor.getType());
  if (int64_t entry = lower::tableEntry(offset); entry >= 0)
    return MemoryRange{entry, 0, bytes};
  return MemoryRange{-1, offset, offset + bytes};
}

bool meet(ArrayRef<MemoryRange> some, ArrayRef<MemoryRange> others) {
  return llvm::any_of(some, [&](const MemoryRange &one) {
    return llvm::any_of(
        others, [&](const MemoryRange &other) { return one.meets(other); });
  });
}

} // namespace

void MemoryUse::add(Operation *op) {
  op->walk([&](Operation *nested) {
    // Values within the op have no place in memory.
    for (Value operand : nested->getOperands())
      if (!op->isProperAncestor(operand.getParentBlock()->getParentOp()) &&
          operand.getParentBlock()->getParentOp() != op)
        if (std::optional<MemoryRange> range = rangeOf(operand))
          reads.push_back(*range);
  });
  if (isa<stablehlo::ReshapeOp, stablehlo::ConstantOp>(op))
    return;
  for (Value result : op->getResults())
    if (std::optional<MemoryRange> range = rangeOf(result))
      writes.push_back(*range);
  if (!isa<smith::RepeatOp, smith::RunOp>(op))
    return;
  auto number = [](Operation *holder, StringRef name) {
    return holder->getAttrOfType<IntegerAttr>(name).getInt();
  };
  int64_t begin = number(op, lower::workspaceAttributeName);
  int64_t bytes =
      number(smith::getCallee(op), lower::workspaceBytesAttributeName);
  writes.push_back({-1, begin, begin + bytes});
}

void PendingExchanges::begin(ArrayRef<Operation *> message, Value number) {
  messages.push_back({{}, number});
  for (Operation *op : message)
    messages.back().use.add(op);
}

Value PendingExchanges::takeInTheWayOf(Operation *op) {
  MemoryUse use;
  use.add(op);
  for (size_t i = messages.size(); i-- > 0;) {
    const MemoryUse &other = messages[i].use;
    if (!meet(use.reads, other.writes) && !meet(use.writes, other.writes) &&
        !meet(use.writes, other.reads))
      continue;
    Value number = messages[i].number;
    messages.erase(messages.begin(), messages.begin() + ptrdiff_t(i) + 1);
    return number;
  }
  return {};
}

Value PendingExchanges::takeLast() {
  if (messages.empty())
    return {};
  Value number = messages.back().number;
  messages.clear();
  return number;
}

} // namespace shardsmith::cpu

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/Common/Elements/RowLevels.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;

namespace shardsmith::lower {

// Ops stand after their operands, so one sweep knows all levels.
RowLevels findRowLevels(Block &body) {
  RowLevels levels;
  llvm::DenseMap<Value, size_t> levelOf;
  for (Operation &op : body.without_terminator()) {
    size_t level = 0;
    for (Value operand : op.getOperands())
      level = std::max(level, levelOf.lookup(operand));
    if (isa<stablehlo::ReduceOp>(op)) {
      ++level;
      levels.resize(std::max(levels.size(), level));
      levels[level - 1].push_back(&op);
    }
    for (Value result : op.getResults())
      levelOf[result] = level;
  }
  return levels;
}

LaneIndices indexFor(ArrayRef<int64_t> shape, ArrayRef<int64_t> dimensions,
                     ArrayRef<LaneIndex> index) {
  LaneIndices result;
  size_t next = 0;
  for (int64_t size : shape) {
    if (size == 1) {
      result.push_back(LaneIndex::constant(0));
      continue;
    }
    while (dimensions[next] == 1)
      ++next;
    assert(dimensions[next] == size && "value is not aligned to the kernel");
    result.push_back(index[next++]);
  }
  return result;
}

} // namespace shardsmith::lower

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/RecomputedOps.h"

#include <algorithm>

namespace shardsmith {

using namespace workload;

RecomputedOps::RecomputedOps(const Block &block, bool stopsEarly)
    : running(block.ops.size(), true), made(block.tensors.size(), true),
      read(block.tensors.size(), true) {
  if (!stopsEarly)
    return;
  made.assign(made.size(), false);
  read.assign(read.size(), false);
  auto isWanted = [&](const TensorUse &result) {
    // The block behind keeps its inputs, which are this one's outputs.
    bool isOutput = std::ranges::count(block.outputs, result.tensor) > 0;
    return read[result.tensor] ||
           (block.tensors[result.tensor].savedForBackward && !isOutput);
  };
  for (size_t op = block.ops.size(); op-- > 0;) {
    running[op] = std::ranges::any_of(block.ops[op].results, isWanted);
    if (!running[op])
      continue;
    for (const TensorUse &result : block.ops[op].results)
      made[result.tensor] = true;
    for (const TensorUse &operand : block.ops[op].operands)
      read[operand.tensor] = true;
  }
}

} // namespace shardsmith

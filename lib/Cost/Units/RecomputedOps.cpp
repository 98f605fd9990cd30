// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Units/RecomputedOps.h"

#include <algorithm>

namespace shardsmith {

using namespace workload;

RecomputedOps::RecomputedOps(const Block &block)
    : running(block.ops.size()), made(block.tensors.size()),
      read(block.tensors.size()), kept(block.tensors.size()),
      product(block.tensors.size()) {
  for (const Op &op : block.ops)
    if (op.product)
      product[op.results[0].tensor] = true;
}

RecomputedOps RecomputedOps::withInputs(const Block &block, bool stopsEarly) {
  RecomputedOps again(block);
  if (stopsEarly) {
    again.trace(block, /*fusedAttention=*/false);
    return again;
  }
  again.running.assign(again.running.size(), true);
  again.made.assign(again.made.size(), true);
  again.read.assign(again.read.size(), true);
  return again;
}

RecomputedOps RecomputedOps::withProducts(const Block &block,
                                          bool fusedAttention) {
  RecomputedOps again(block);
  int64_t products = 0;
  for (const Op &op : block.ops) {
    TensorIndex result = op.results[0].tensor;
    if (again.product[result])
      again.kept[result] = ++products % 2 == 1;
    else
      again.kept[result] = op.attention.has_value();
  }
  again.trace(block, fusedAttention);
  return again;
}

void RecomputedOps::trace(const Block &block, bool fusedAttention) {
  auto isNeeded = [&](TensorIndex index) {
    const Tensor &tensor = block.tensors[index];
    // The block behind keeps its inputs, which are this one's outputs; fused
    // kernels make attention's inside again by themselves.
    bool isKeptElsewhere = std::ranges::count(block.outputs, index) > 0 ||
                           (tensor.insideAttention && fusedAttention);
    return read[index] || (tensor.savedForBackward && !isKeptElsewhere);
  };
  for (size_t op = block.ops.size(); op-- > 0;) {
    bool runs = false;
    for (const TensorUse &result : block.ops[op].results) {
      if (!isNeeded(result.tensor))
        kept[result.tensor] = false;
      else if (!kept[result.tensor])
        runs = true;
    }
    if (!runs)
      continue;
    running[op] = true;
    for (const TensorUse &result : block.ops[op].results)
      made[result.tensor] = true;
    for (const TensorUse &operand : block.ops[op].operands)
      read[operand.tensor] = true;
  }
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "Repetition.h"

namespace shardsmith::check {

using namespace workload;

// From the values that the backward pass reads back to the unit's inputs.
Repetition::Repetition(const LocalBlock &local,
                       const std::set<TensorIndex> &stored, bool fusedAttention,
                       bool stopsEarly) {
  const Block &block = local.block();
  auto readBackward = [&](TensorIndex tensor) {
    const Tensor &described = block.tensors[tensor];
    // Outputs are stored as the inputs of the unit behind, and fused kernels
    // look after attention's inside.
    if (local.isOutput(tensor))
      return false;
    return described.savedForBackward &&
           !(described.insideAttention && fusedAttention);
  };
  for (size_t left = block.ops.size(); left > 0; --left) {
    size_t op = left - 1;
    bool needed = !stopsEarly;
    for (const TensorUse &result : block.ops[op].results) {
      if (!reads(result.tensor) && !readBackward(result.tensor))
        continue;
      if (stored.contains(result.tensor))
        used.insert(result.tensor);
      else
        needed = true;
    }
    if (!needed)
      continue;
    ops.insert(op);
    for (const TensorUse &operand : block.ops[op].operands)
      readAgain.insert(operand.tensor);
  }
}

Repetition Repetition::besideProducts(const LocalBlock &local,
                                      bool fusedAttention) {
  std::set<TensorIndex> odd, sums;
  bool isOdd = false;
  for (size_t op = 0; op < local.block().ops.size(); ++op) {
    const Op &described = local.block().ops[op];
    TensorIndex result = described.results[0].tensor;
    if (described.attention)
      odd.insert(result);
    if (!described.product)
      continue;
    isOdd = !isOdd;
    if (isOdd)
      odd.insert(result);
    if (local.resultForm(op, 0) == Form::term())
      sums.insert(result);
  }
  Repetition again(local, odd, fusedAttention, true);
  // What leads to a sum is made again all the same: the gradients of the
  // product's operands need it.
  for (size_t op = 0; op < local.block().ops.size(); ++op) {
    TensorIndex result = local.block().ops[op].results[0].tensor;
    if (sums.contains(result) && again.ops.erase(op))
      again.used.insert(result);
  }
  return again;
}

} // namespace shardsmith::check

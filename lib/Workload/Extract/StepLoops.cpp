// SPDX-License-Identifier: Apache-2.0
//
// The part of BlockBuilder for loops that are part of a block: over time, say.
// A block is built as for one iteration; then its ops do the work of all, and
// tensors hold the values of all:
//
//     %n = add %h, %x      n[b, h] = add h[b, h], x[b, h]
//     loop 0 of 512        n[b, h, steps] = add h[b, h, steps], x[b, h, steps]
//
// No axis splits the steps, as each needs the one before. What goes around the
// loop is made from what it begins with, so that the chain of steps is no
// circle.

#include "BlockBuilder.h"

using namespace mlir;

namespace shardsmith::workload {
namespace {

/// What an op that takes an element of a stack, or puts one there, has for the
/// elements of the stack; empty if it is no such op, or has no factors for it.
std::vector<FactorIndex> elementsOfStack(const ModelGraph &graph, Operation *op,
                                         const Op &made) {
  Value stack;
  if (auto slice = dyn_cast<smith::LoopSliceOp>(op))
    stack = slice.getInput();
  else if (auto put = dyn_cast<smith::LoopStackOp>(op))
    stack = put.getResult();
  else
    return {};
  bool isRead = isa<smith::LoopSliceOp>(op);
  const TensorUse &use = isRead ? made.operands.front() : made.results.front();
  Source source = sourceOf(graph, stack);
  std::vector<FactorIndex> factors;
  for (auto [index, leaf] : llvm::enumerate(graph.leavesOf(stack))) {
    if (leaf.dim != 0)
      continue;
    int place = isRead ? source.leafOf[index] : int(index);
    if (place < 0 || use.dims[place].size() != 1 ||
        made.factors[use.dims[place].front()].size != leaf.size)
      return {};
    factors.push_back(use.dims[place].front());
  }
  return factors;
}

} // namespace

void BlockBuilder::repeatSteps() {
  Block &block = result.block;
  std::vector<smith::LoopChain> loopsOfTensor(block.tensors.size());
  for (auto [value, tensor] : tensors)
    loopsOfTensor[tensor] = graph.stepLoopsOf(value);
  for (auto [op, last] : llvm::zip_equal(block.ops, lastOps)) {
    smith::LoopChain chain = graph.stepLoopsOf(last);
    for (const TensorUse &use : op.results)
      if (block.tensors[use.tensor].insideAttention)
        loopsOfTensor[use.tensor] = chain;
    for (int64_t loop : chain) {
      int64_t count = graph.countOf(loop);
      std::vector<FactorIndex> steps;
      if (smith::getMarkedLoop(last) == loop)
        steps = elementsOfStack(graph, last, op);
      if (steps.empty()) {
        std::string name = "steps";
        if (loop != chain.front())
          name += std::to_string(1 + (llvm::find(chain, loop) - chain.begin()));
        steps.push_back(FactorIndex(op.factors.size()));
        op.factors.push_back({name, count, FactorKind::Whole});
      }
      for (auto *uses : {&op.operands, &op.results})
        for (TensorUse &use : *uses)
          if (llvm::is_contained(loopsOfTensor[use.tensor], loop))
            use.dims.push_back(steps);
      op.flops = op.flops * count;
    }
  }
  for (auto [tensor, loops] : llvm::zip_equal(block.tensors, loopsOfTensor))
    for (int64_t loop : loops)
      tensor.shape.push_back(graph.countOf(loop));
}

/// Moves elements; its derivative does, too, and reads none of them.
void BlockBuilder::emitMarker(Operation *op) {
  OpDraft draft(*this);
  draft.followRule(op, {0});
  draft.op.hasBackward = graph.hasGradient(op);
  draft.finish(nameOf(op), op);
}

} // namespace shardsmith::workload

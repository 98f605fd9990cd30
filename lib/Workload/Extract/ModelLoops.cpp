// SPDX-License-Identifier: Apache-2.0
//
// The part of ModelGraph that tells loops over layers from all others. A loop
// over layers takes an element of stacked parameters in each iteration, and
// hands on what goes around it, as a chain of layers does:
//
//     %x = loop_carry %x0   %w = loop_slice %ws   …   %y = loop_next %n for %x
//
// Its body is a block of the workload, with as many repetitions as there are
// iterations: block inputs are what `loop_carry` gives, outputs what
// `loop_next` gets. Any other loop (over time, say) is part of a block, whose
// ops do the work of all iterations.

#include "ModelGraph.h"

using namespace mlir;

namespace shardsmith::workload {

std::optional<int64_t> ModelGraph::outermostLoopOf(Operation *op) const {
  smith::LoopChain chain = nest->loopsOf(op);
  if (chain.empty())
    return std::nullopt;
  return chain.front();
}

std::optional<int64_t> ModelGraph::layerLoopOf(Operation *op) const {
  std::optional<int64_t> loop = outermostLoopOf(op);
  return loop && layerLoops.contains(*loop) ? loop : std::nullopt;
}

smith::LoopChain ModelGraph::stepLoopsOf(Operation *op) const {
  smith::LoopChain chain = nest->loopsOf(op);
  llvm::erase_if(chain,
                 [&](int64_t loop) { return layerLoops.contains(loop); });
  return chain;
}

smith::LoopChain ModelGraph::stepLoopsOf(Value value) const {
  smith::LoopChain chain = nest->loopsOf(value);
  llvm::erase_if(chain,
                 [&](int64_t loop) { return layerLoops.contains(loop); });
  return chain;
}

bool ModelGraph::isLayerBoundary(Value value) const {
  auto isOne = [&](Operation *op) {
    return op && isa<smith::LoopCarryOp, smith::LoopNextOp>(op) &&
           layerLoops.contains(*smith::getMarkedLoop(op));
  };
  return isOne(value.getDefiningOp()) || llvm::any_of(value.getUsers(), isOne);
}

void ModelGraph::findLayerLoops() {
  // Each layer has names for its parameters.
  constexpr int64_t most = 100'000;
  for (auto [loop, count] : nest->counts())
    if (count <= most && isOverLayers(loop))
      layerLoops.insert(loop);
}

/// Whether a value that loop `loop` begins with is read by nothing that is in
/// the loop or behind it. Blocks hand on one value per place, so there is no
/// second place for it.
bool ModelGraph::isLastUseOf(Value start, int64_t loop) {
  mlir::Block &body = main.getBody().front();
  bool isAlone = false;
  SmallVector<Value> views{start};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      user = body.findAncestorOpInBlock(*user);
      if (!isLive(user) && !user->hasTrait<OpTrait::IsTerminator>())
        continue;
      if (isView(user) && !isMaterialized(user)) {
        views.push_back(user->getResult(0));
        continue;
      }
      bool isStart =
          isa<smith::LoopCarryOp>(user) && smith::getMarkedLoop(user) == loop;
      if (isStart && isAlone)
        return false;
      isAlone |= isStart;
      Operation *first = &*llvm::find_if(body, [&](Operation &op) {
        return smith::getMarkedLoop(&op) == loop;
      });
      if (!isStart && (llvm::is_contained(nest->loopsOf(user), loop) ||
                       !user->isBeforeInBlock(first)))
        return false;
    }
  return true;
}

bool ModelGraph::isOverLayers(int64_t loop) {
  mlir::Block &body = main.getBody().front();
  bool takesParameters = false, goesOn = false;
  SmallVector<smith::LoopCarryOp> carried;
  for (Operation &op : body.without_terminator()) {
    smith::LoopChain chain = nest->loopsOf(&op);
    if (!isLive(&op))
      continue;
    if (chain.empty() || chain.front() != loop) {
      goesOn |= !carried.empty() && isCompute(&op);
      // It is in another loop.
      if (smith::getMarkedLoop(&op) == loop)
        return false;
      continue;
    }
    if (smith::getMarkedLoop(&op) != loop)
      continue;
    if (isa<smith::LoopStackOp>(op))
      return false;
    if (isa<smith::LoopSliceOp>(op)) {
      Origin origin = originOf(op.getResult(0));
      if (origin == Origin::Activation)
        return false;
      takesParameters |= origin == Origin::Parameter;
    }
    if (auto carry = dyn_cast<smith::LoopCarryOp>(op);
        carry && originOf(carry) == Origin::Activation)
      carried.push_back(carry);
  }
  if (!takesParameters || carried.empty() || !goesOn)
    return false;
  for (smith::LoopCarryOp carry : carried) {
    Value next;
    for (Operation *user : carry->getUsers())
      if (auto op = dyn_cast<smith::LoopNextOp>(user);
          op && op.getCarry() == carry.getResult())
        next = op.getNext();
    if (originOf(carry.getStart()) != Origin::Activation ||
        originOf(next) != Origin::Activation)
      return false;
    keepInMemory(carry.getStart());
    keepInMemory(next);
    if (!isLastUseOf(sourceOf(*this, carry.getStart()).root, loop))
      return false;
  }
  return true;
}

} // namespace shardsmith::workload

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Transforms/SplitLoops.h"
#include "shardsmith/Support/TensorTypes.h"

#include "shardsmith/Dialect/Smith/LoopNest.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace shardsmith {
namespace {

class LoopSplitter {
public:
  LoopSplitter(Block &block, int64_t loop, int64_t first)
      : loop(loop), first(first), free(smith::getFreeLoopNumber(block)),
        builder(block.getParentOp()->getLoc(),
                block.getParentOp()->getContext()) {
    smith::LoopNest nest(block);
    count = nest.counts().lookup(loop);
    for (Operation &op : block)
      if (llvm::is_contained(nest.loopsOf(&op), loop))
        ops.push_back(&op);
    second = free++;
    numbers[loop] = second;
  }

  int64_t run() {
    // What is read behind the loop is that of the second one.
    builder.setInsertionPointAfter(ops.back());
    for (Operation *op : ops)
      copy(op);
    for (Operation *op : ops)
      shorten(op);
    return second;
  }

private:
  bool isOwn(Operation *op) const { return smith::getMarkedLoop(op) == loop; }

  /// Elements of a stack that one of the loops works on.
  Value part(Value stack, bool isReversed, bool isSecond) {
    int64_t size = isSecond ? count - first : first;
    int64_t begin = isSecond != isReversed ? count - size : 0;
    SmallVector<int64_t> starts(typeOf(stack).getRank(), 0),
        ends(typeOf(stack).getShape()), strides(starts.size(), 1);
    starts[0] = begin;
    ends[0] = begin + size;
    return stablehlo::SliceOp::create(builder, partType(stack, size), stack,
                                      starts, ends, strides);
  }

  static RankedTensorType partType(Value stack, int64_t size) {
    SmallVector<int64_t> shape(typeOf(stack).getShape());
    shape[0] = size;
    return typeOf(stack).clone(shape);
  }

  /// The op in the second loop. Loops in it get numbers of their own.
  void copy(Operation *op) {
    builder.setLoc(op->getLoc());
    if (auto index = dyn_cast<smith::LoopIndexOp>(op); index && isOwn(op)) {
      Value own = smith::LoopIndexOp::create(builder, index.getType(), second,
                                             count - first);
      auto by = DenseElementsAttr::get(cast<ShapedType>(index.getType()),
                                       int32_t(first));
      Value constant = stablehlo::ConstantOp::create(builder, by);
      copies.map(index.getResult(),
                 stablehlo::AddOp::create(builder, own, constant));
      return;
    }
    Operation *made = builder.clone(*op, copies);
    if (std::optional<int64_t> number = smith::getMarkedLoop(op)) {
      auto [known, isNew] = numbers.try_emplace(*number, free);
      free += isNew;
      made->setAttr("loop", builder.getI64IntegerAttr(known->second));
    }
    if (!isOwn(op))
      return;
    made->setAttr("count", builder.getI64IntegerAttr(count - first));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(made);
    if (auto slice = dyn_cast<smith::LoopSliceOp>(made)) {
      slice.getInputMutable().assign(
          part(slice.getInput(), slice.getReversed(), /*isSecond=*/true));
    } else if (auto carry = dyn_cast<smith::LoopCarryOp>(made)) {
      for (Operation *user : op->getUsers())
        if (auto next = dyn_cast<smith::LoopNextOp>(user);
            next && next.getCarry() == op->getResult(0))
          starts.push_back({carry, next});
    } else if (auto stack = dyn_cast<smith::LoopStackOp>(made)) {
      stack.getResult().setType(partType(stack, count - first));
    }
  }

  /// Makes the op one of the first loop.
  void shorten(Operation *op) {
    builder.setLoc(op->getLoc());
    if (!isOwn(op))
      return;
    if (auto next = dyn_cast<smith::LoopNextOp>(op)) {
      // Read by the second loop, which is read by all else.
      Value last = copies.lookup(next.getResult());
      next.getResult().replaceAllUsesWith(last);
      for (auto [carry, made] : starts)
        if (made == next)
          carry.getStartMutable().assign(next.getResult());
    } else if (auto stack = dyn_cast<smith::LoopStackOp>(op)) {
      joinStacks(stack);
      return;
    } else if (auto slice = dyn_cast<smith::LoopSliceOp>(op)) {
      builder.setInsertionPoint(op);
      slice.getInputMutable().assign(
          part(slice.getInput(), slice.getReversed(), /*isSecond=*/false));
    }
    op->setAttr("count", builder.getI64IntegerAttr(first));
  }

  void joinStacks(smith::LoopStackOp stack) {
    Value rest = copies.lookup(stack.getResult());
    RankedTensorType whole = stack.getType();
    stack->setAttr("count", builder.getI64IntegerAttr(first));
    stack.getResult().setType(partType(stack, first));
    builder.setInsertionPointAfterValue(rest);
    SmallVector<Value> parts{stack.getResult(), rest};
    if (stack.getReversed())
      std::swap(parts[0], parts[1]);
    auto joined = stablehlo::ConcatenateOp::create(builder, whole, parts, 0);
    stack.getResult().replaceAllUsesExcept(joined, joined);
  }

  int64_t loop, first, count = 0, free, second = 0;
  ImplicitLocOpBuilder builder;
  SmallVector<Operation *> ops;
  IRMapping copies;
  DenseMap<int64_t, int64_t> numbers;
  /// Of the second loop what it begins with, which the first one ends with.
  SmallVector<std::pair<smith::LoopCarryOp, smith::LoopNextOp>> starts;
};

} // namespace

int64_t splitLoop(Block &block, int64_t loop, int64_t count) {
  return LoopSplitter(block, loop, count).run();
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "CountedLoop.h"
#include "LargeLoops.h"
#include "Unsupported.h"
#include "shardsmith/Import/Passes.h"
#include "shardsmith/Support/Quantity.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_UNROLLCOUNTEDLOOPS
#include "shardsmith/Import/Passes.h.inc"

namespace {

int64_t countOps(Block &block) {
  int64_t count = 0;
  block.walk([&](Operation *) { ++count; });
  return count;
}

/// Copies `body` at the builder's position with the loop values `values`,
/// which become those of the next iteration. Ops that fold are not copied, so
/// index arithmetic and the bounds of inner loops become constants at once.
void copyIteration(OpBuilder &builder, Block &body,
                   SmallVectorImpl<Value> &values) {
  IRMapping mapping;
  mapping.map(body.getArguments(), values);
  for (Operation &op : body.without_terminator()) {
    Operation *copy = builder.clone(op, mapping);
    SmallVector<Value> folded;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(copy);
    if (failed(builder.tryFold(copy, folded)) || folded.empty())
      continue;
    mapping.map(op.getResults(), folded);
    copy->erase();
  }
  for (auto [value, next] :
       llvm::zip_equal(values, body.getTerminator()->getOperands()))
    value = mapping.lookupOrDefault(next);
}

struct UnrollCountedLoops : impl::UnrollCountedLoopsBase<UnrollCountedLoops> {
  using UnrollCountedLoopsBase::UnrollCountedLoopsBase;

  /// Loops that are not counted at first may become so when the loop around
  /// them is unrolled; what is left when nothing more changes is refused.
  void runOnOperation() override {
    unsupported = ErrorList();
    left.clear();
    bool changed = true;
    while (changed) {
      changed = false;
      SmallVector<stablehlo::WhileOp> innermostFirst;
      getOperation().walk<WalkOrder::PostOrder>(
          [&](stablehlo::WhileOp loop) { innermostFirst.push_back(loop); });
      for (stablehlo::WhileOp loop : innermostFirst) {
        std::string reason;
        FailureOr<CountedLoop> counted = matchCountedLoop(loop, maxOps, reason);
        if (failed(counted) || isKept(loop, *counted) || left.contains(loop))
          continue;
        unroll(loop, *counted);
        changed = true;
      }
    }
    refuseLoops();
    if (failed(reportUnsupported(getOperation(), unsupported, goOn)))
      signalPassFailure();
  }

private:
  /// A loop inside that is counted once this one is unrolled has a derivative
  /// then, and none as a loop that is not counted.
  bool isKept(stablehlo::WhileOp loop, const CountedLoop &counted) {
    std::optional<int64_t> ops =
        checkedMultiply(countOps(loop.getBody().front()), counted.iterations);
    int64_t most =
        hasLoopCountedByIndex(loop, counted.iterations) ? maxOps : keepAbove;
    return keepAbove > 0 && (!ops || *ops > most) && whyNotKept(loop).empty();
  }

  void unroll(stablehlo::WhileOp loop, const CountedLoop &counted) {
    Block &body = loop.getBody().front();
    std::optional<int64_t> ops =
        checkedMultiply(countOps(body), counted.iterations);
    if (!ops || *ops > maxOps)
      return refuse(loop, "unrolling its " +
                              std::to_string(counted.iterations) +
                              " iterations would make more than " +
                              std::to_string(maxOps) + " ops");

    OpBuilder builder(loop);
    SmallVector<Value> values(loop->getOperands());
    auto counterType =
        cast<ShapedType>(values[counted.inductionIndex].getType());
    APInt counter = counted.start;
    for (int64_t i = 0; i < counted.iterations; ++i) {
      values[counted.inductionIndex] = stablehlo::ConstantOp::create(
          builder, loop.getLoc(), DenseElementsAttr::get(counterType, counter));
      copyIteration(builder, body, values);
      counter += counted.step;
    }
    loop->replaceAllUsesWith(values);
    loop->erase();
  }

  /// What cannot be left of what is left.
  void refuseLoops() {
    getOperation().walk([&](stablehlo::WhileOp loop) {
      std::string reason;
      FailureOr<CountedLoop> counted = matchCountedLoop(loop, maxOps, reason);
      if ((succeeded(counted) && isKept(loop, *counted)) || left.contains(loop))
        return;
      std::string obstacle = whyNotKept(loop);
      if (keepAbove > 0 && obstacle.empty())
        return;
      if (keepAbove > 0)
        reason += "; it cannot stay a loop, as it " + obstacle;
      refuse(loop, "not counted, " + reason);
    });
  }

  void refuse(stablehlo::WhileOp loop, const std::string &why) {
    unsupported.add(loop.getLoc(), "unsupported loop: " + why);
    if (!replaceByZeros(loop))
      left.insert(loop);
  }

  ErrorList unsupported;
  /// Of the loops in it, those that are still there.
  DenseSet<Operation *> left;
};

} // namespace
} // namespace shardsmith

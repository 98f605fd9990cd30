// SPDX-License-Identifier: Apache-2.0
//
// A large collective goes on while kernels run, where the rank has a core for
// it. What it reads and what reads it are moved a product apart:
//
//     y = gemm x, a               b = all_gather %w    ─┐
//     b = all_gather %w     ──▶   y = gemm x, a         │ goes on
//     z = gemm y, b               z = gemm y, b        ─┘
//
//     s = reduce_scatter g        s = reduce_scatter g ─┐
//     p = update s          ──▶   d = gemm e, f         │ goes on
//     d = gemm e, f               p = update s         ─┘
//
// Invariants: collectives keep their order among each other but for gathers of
// arguments, which no other collective leads to; all ranks of a group run one
// function, and so have the same order. Without a core each is done where it
// begins: results are the same bits.

#include "LightOps.h"

#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Lower/Common/GroupTable.h"
#include "shardsmith/Lower/Common/Passes.h"

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_OVERLAPCOLLECTIVES
#include "shardsmith/Lower/Common/Passes.h.inc"

namespace lower {
namespace {

using Ops = SmallVector<Operation *>;

int64_t bytesOf(Operation *op) {
  return std::max(bufferBytes(op->getOperand(0).getType()),
                  bufferBytes(op->getResult(0).getType()));
}

class Overlap {
public:
  Overlap(Block &block, int64_t leastBytes)
      : block(block), leastBytes(leastBytes) {}

  void run() {
    findMessages();
    beginGathersEarlier();
    readLater();
  }

private:
  /// Marks the messages that are large enough.
  void findMessages() {
    for (const Ops &unit : units()) {
      int64_t bytes = 0;
      for (Operation *op : unit)
        bytes += isCollective(op) ? bytesOf(op) : 0;
      if (bytes < leastBytes)
        continue;
      for (Operation *op : unit)
        op->setAttr(laterAttributeName, UnitAttr::get(op->getContext()));
      messages.push_back(unit);
    }
  }

  /// Ops in their order; those of one message together.
  SmallVector<Ops> units() const {
    SmallVector<Ops> found;
    for (Operation &op : block.without_terminator()) {
      if (!areInOneBucket(op.getPrevNode(), &op))
        found.emplace_back();
      found.back().push_back(&op);
    }
    return found;
  }

  void beginGathersEarlier() {
    DenseMap<Operation *, Operation *> heavyBefore;
    Operation *heavy = nullptr;
    for (Operation &op : block.without_terminator()) {
      heavyBefore[&op] = heavy;
      if (!isLight(&op))
        heavy = &op;
    }
    for (const Ops &message : messages) {
      bool isReady = llvm::all_of(message, [](Operation *op) {
        return isa<smith::AllGatherOp>(op) &&
               isa<BlockArgument>(op->getOperand(0));
      });
      Operation *before = heavyBefore.lookup(message.front());
      if (!isReady || !before)
        continue;
      for (Operation *op : message)
        op->moveBefore(before);
    }
  }

  /// Light ops that read what a message reduces wait until the next op that is
  /// not light has run, or the next message has begun.
  void readLater() {
    llvm::DenseSet<Operation *> underWay, waiting;
    SmallVector<Ops> held;
    Ops order;
    auto needsHeld = [&](Operation *op) {
      bool found = false;
      op->walk([&](Operation *nested) {
        for (Value operand : nested->getOperands())
          if (Operation *producer = operand.getDefiningOp())
            found |= underWay.contains(producer) || waiting.contains(producer);
      });
      return found;
    };
    auto release = [&] {
      underWay.clear();
      waiting.clear();
      for (const Ops &unit : std::exchange(held, {}))
        llvm::append_range(order, unit);
    };
    for (const Ops &unit : units()) {
      bool isLate = llvm::any_of(unit, needsHeld);
      if (isLate && llvm::all_of(unit, isLight)) {
        held.push_back(unit);
        waiting.insert(unit.begin(), unit.end());
        continue;
      }
      // Collectives stay behind those that have been held back.
      bool overtakes = isCollective(unit.front()) &&
                       llvm::any_of(held, [](const Ops &other) {
                         return isCollective(other.front());
                       });
      if (isLate || overtakes)
        release();
      llvm::append_range(order, unit);
      bool reduces = unit.front()->hasAttr(laterAttributeName) &&
                     !isa<smith::AllGatherOp>(unit.front());
      if (reduces || !llvm::all_of(unit, isLight))
        release();
      if (reduces)
        underWay.insert(unit.begin(), unit.end());
    }
    release();
    for (Operation *op : order)
      op->moveBefore(block.getTerminator());
  }

  Block &block;
  int64_t leastBytes;
  SmallVector<Ops> messages;
};

struct OverlapCollectives : impl::OverlapCollectivesBase<OverlapCollectives> {
  using OverlapCollectivesBase::OverlapCollectivesBase;

  void runOnOperation() override {
    const TargetTraits *traits = findTarget(getOperation(), target);
    if (!traits)
      return signalPassFailure();
    if (getOperation().getBody().hasOneBlock() && traits->overlapBytes > 0)
      Overlap(getOperation().getBody().front(), traits->overlapBytes).run();
  }
};

} // namespace
} // namespace lower
} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0
//
// Which ops of a block are in which loops. An op is in a loop if it depends on
// a marker of the loop other than through the values that leave it:
//
//     %i = loop_index 0        loop 0
//     %c = loop_carry %a, 0    loop 0
//     %b = sine %a             none
//     %n = add %c, %b          loop 0
//     %z = loop_next %n, %c    loop 0; its result is outside
//     %d = sine %z             none
//
// A loop is in another one if one of the values that leave it is.

#ifndef SHARDSMITH_DIALECT_SMITH_LOOPNEST_H
#define SHARDSMITH_DIALECT_SMITH_LOOPNEST_H

#include "shardsmith/Dialect/Smith/LoopOps.h"

#include "llvm/ADT/MapVector.h"

namespace shardsmith::smith {

/// Numbers of loops, outermost first.
using LoopChain = llvm::SmallVector<int64_t, 2>;

class LoopNest {
public:
  explicit LoopNest(mlir::Block &block);

  /// The loops that an op is in.
  LoopChain loopsOf(mlir::Operation *op) const { return loops.lookup(op); }
  /// The loops whose iterations have a value each: those of the op that makes
  /// it, but for the one that it leaves.
  LoopChain loopsOf(mlir::Value value) const;
  /// How often an op is done; saturates.
  int64_t repeatsOf(mlir::Operation *op) const;
  /// Numbers and counts of all loops.
  const llvm::MapVector<int64_t, int64_t> &counts() const { return countOf; }
  /// What decides how often a loop is done; null if its count does.
  LoopNextOp deciderOf(int64_t loop) const { return deciders.lookup(loop); }
  /// Whether it depends on data how often a loop is done, and it is no branch.
  bool hasUnknownCount(int64_t loop) const {
    return deciders.contains(loop) && countOf.lookup(loop) != 1;
  }

private:
  bool update(mlir::Block &block);
  void sortChains();

  llvm::DenseMap<mlir::Operation *, LoopChain> loops;
  llvm::MapVector<int64_t, int64_t> countOf;
  llvm::DenseMap<int64_t, LoopNextOp> deciders;
  llvm::DenseMap<int64_t, LoopChain> parents;
};

/// Emits a diagnostic if markers of one loop do not have one count, if two
/// values that go around it have one number or decide it, if a loop of which
/// the count is not known stacks its values, or if the value of one iteration
/// leaves the block.
llvm::LogicalResult verifyLoops(mlir::Block &block);

/// Orders the ops of a block so that those of every loop are next to one
/// another, what a loop reads is before it, and all else stays in order.
/// Emits a diagnostic if a loop reads what is known after it only.
llvm::LogicalResult groupLoops(mlir::Block &block);

} // namespace shardsmith::smith

#endif // SHARDSMITH_DIALECT_SMITH_LOOPNEST_H

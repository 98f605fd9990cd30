// SPDX-License-Identifier: Apache-2.0
//
// Every loop of the forward pass has one of the backward pass, whose iteration
// j does the derivative of iteration count − 1 − j:
//
//     forward   %h = loop_carry %h0     …   %z = loop_next %n for %h
//     backward  %g = loop_carry %dz     …   %dh0 = loop_next %dh for %g
//
// The cotangent %dn of what an iteration hands on is %g, that of the value it
// has got, %dh, is handed on to the iteration before. Cotangents of values from
// outside the loop are added up over its iterations in float32. A branch, which
// is done once or not at all, has one that is done if it was.

#ifndef SHARDSMITH_LIB_TRAIN_BACKWARDLOOPS_H
#define SHARDSMITH_LIB_TRAIN_BACKWARDLOOPS_H

#include "shardsmith/Dialect/Smith/LoopNest.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace shardsmith {

class BackwardLoops {
public:
  BackwardLoops(mlir::Block &block, const smith::LoopNest &nest)
      : block(block), nest(nest), free(smith::getFreeLoopNumber(block)) {}

  /// The value that the backward pass of forward loop `loop` begins an
  /// iteration with: `start` in the first one.
  smith::LoopCarryOp carry(mlir::ImplicitLocOpBuilder &builder, int64_t loop,
                           mlir::Value start);
  /// The value of `carried` after the last iteration.
  mlir::Value finish(mlir::ImplicitLocOpBuilder &builder,
                     smith::LoopCarryOp carried, mlir::Value next);
  /// Gives the loops of the ops from `first` to the one before `end`, which are
  /// copies from another function, numbers of their own.
  void renumber(mlir::Operation *first, mlir::Operation *end);

  /// The sum of a term over the iterations of the backward pass of `loop`.
  mlir::Value sum(mlir::ImplicitLocOpBuilder &builder, int64_t loop,
                  mlir::Value term);
  /// The cotangent of the operand of `slice`.
  mlir::Value stack(mlir::ImplicitLocOpBuilder &builder,
                    smith::LoopSliceOp slice, mlir::Value cotangent);
  /// The cotangent of the operand of `stack`.
  mlir::Value slice(mlir::ImplicitLocOpBuilder &builder,
                    smith::LoopStackOp stack, mlir::Value cotangent);

  /// Ops behind `lastForward` read values of an iteration of the forward pass:
  /// these are kept, stacked, for the iteration of the backward pass. Three
  /// kinds are made again instead: what is no smaller than what it is made of
  /// and costs no arithmetic; what a cheap pass over its elements makes of
  /// values that are kept anyway; what says so.
  void keepForwardValues(mlir::Operation *lastForward);

private:
  int64_t numberOf(int64_t loop);
  void decide(int64_t loop, int64_t number);
  mlir::Value keep(mlir::Value value);
  mlir::Value keepStacked(mlir::Value value);
  mlir::Value makeAgain(mlir::Value value);
  bool isAtHand(mlir::Value value);
  bool isMadeOfKept(mlir::Value value);

  mlir::Block &block;
  const smith::LoopNest &nest;
  int64_t free;
  llvm::DenseMap<int64_t, int64_t> numbers;
  llvm::DenseMap<int64_t, int64_t> carries;
  /// Of values of forward loops: the same in the backward pass.
  llvm::DenseMap<mlir::Value, mlir::Value> kept;
  /// Values of forward loops that the backward pass reads.
  llvm::DenseSet<mlir::Value> read;
  llvm::DenseMap<mlir::Value, bool> madeOfKept;
  mlir::OpBuilder reader{block.getParentOp()->getContext()};
};

} // namespace shardsmith

#endif // SHARDSMITH_LIB_TRAIN_BACKWARDLOOPS_H

// SPDX-License-Identifier: Apache-2.0
//
// A folded step, cut into stages. What is done once per micro-batch falls into
// fragments, three per stage, of which the order below is one that works for
// any number of stages S:
//
//     F0  F1 … F(S-1)   I(S-1) … I1  I0    W0 W1 … W(S-1)
//
// F is the forward pass, I that part of the backward pass which other fragments
// wait for, W the rest of it: gradients of parameters. An op stands in the
// fragment that it is marked for (`smith.stage`, `smith.backward`), but never
// before one that makes what it reads. Ops without mark stand where what they
// read is made. So whatever the marks are, the fragments can run in this order.
//
// All ops of a loop (docs/loops.md) stand in one fragment: the last of those
// that they are marked for.
//
// What follows from the batch alone (slices of it, masks) is not cut: every
// fragment computes what it needs of it.

#ifndef SHARDSMITH_LIB_PARTITION_STAGES_FRAGMENTS_H
#define SHARDSMITH_LIB_PARTITION_STAGES_FRAGMENTS_H

#include "../MicroBatches/StepParts.h"

#include <optional>
#include <vector>

namespace shardsmith {

enum class FragmentPass { Forward, BackwardInput, BackwardWeight };

struct Fragment {
  FragmentPass pass = FragmentPass::Forward;
  int64_t stage = 0;
  /// In program order, accumulations among them.
  std::vector<mlir::Operation *> ops;

  /// What its function takes, in order: values that are equal in all
  /// micro-batches, and those that other fragments make of the same one.
  std::vector<mlir::Value> taken;
  /// What others read of what it makes.
  llvm::SetVector<mlir::Value> outputs;
  std::vector<smith::AccumulateOp> sums;
  mlir::func::FuncOp function;

  /// `forward_0`, `backward_0`, `weights_0`.
  std::string name() const;
  /// As schedules write it, without a micro-batch.
  std::string passName() const;
};

class Fragments {
public:
  /// Ops of every loop of the step are next to one another
  /// (`smith::groupLoops`).
  Fragments(mlir::func::FuncOp step, const StepParts &parts, int64_t stages);

  /// Emits a diagnostic if an op is marked for a stage that does not exist.
  llvm::LogicalResult run();

  /// What says where ops stand, without the fragments' functions.
  llvm::LogicalResult assign();
  /// The fragment of an op by its place in the order above, −1 for ops of none.
  int64_t positionOf(mlir::Operation *op) const;
  int64_t stageAt(int64_t position) const { return fragments[position].stage; }
  bool isBackward(int64_t position) const { return position >= stages; }

  /// Null if the fragment has nothing to do.
  const Fragment *find(FragmentPass pass, int64_t stage) const;
  const std::vector<Fragment> &all() const { return fragments; }
  /// The fragment that makes a value of one micro-batch, −1 for other values.
  int64_t makerOf(mlir::Value value) const;

private:
  /// An op outside of loops, or all ops of an outermost loop.
  using Group = llvm::SmallVector<mlir::Operation *, 1>;

  int64_t positionOf(FragmentPass pass, int64_t stage) const;
  std::optional<int64_t> markOf(mlir::Operation *op) const;
  void findGroups();
  void findBatchDerived();
  void assignGroup(const Group &group, int64_t position);
  llvm::LogicalResult place();
  void separateWeights();
  void makeFunctions();
  void take(Fragment &fragment, mlir::Value value);
  void takeAndClone(Fragment &fragment, mlir::Operation *op);
  void finishFunctions();

  mlir::func::FuncOp step;
  const StepParts &parts;
  int64_t stages;
  std::vector<Fragment> fragments;
  /// In program order.
  std::vector<Group> groups;
  llvm::DenseMap<mlir::Operation *, int64_t> fragmentOf;
  llvm::DenseSet<mlir::Operation *> batchDerived;
  mlir::OpBuilder builder;
  /// By fragment: the values of its function.
  std::vector<mlir::IRMapping> locals;
};

} // namespace shardsmith

#endif // SHARDSMITH_LIB_PARTITION_STAGES_FRAGMENTS_H

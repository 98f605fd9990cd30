// SPDX-License-Identifier: Apache-2.0
//
// A train step as the planner sees it: arguments and ops are nodes, values
// connect them. Positions in the lists are used as ids throughout.

#ifndef SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_STEPGRAPH_H
#define SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_STEPGRAPH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "shardsmith/Interfaces/CostInterface.h"
#include "shardsmith/Interfaces/FactorRule.h"

#include <memory>
#include <string>

namespace shardsmith::plan {

struct StepUse {
  unsigned node;
  unsigned operand;
};

struct StepValue {
  mlir::RankedTensorType type;
  unsigned node;
  unsigned result;
  std::vector<StepUse> uses;
  /// Results of the function that are this value.
  std::vector<unsigned> returnedAs;
  /// False if it is handed from op to op inside one fused kernel.
  bool inMemory = true;
  /// Iterations of loops that have a value of their own each. What a loop reads
  /// from outside changes its layout before the loop.
  int64_t iterations = 1;
  /// Constants and counters: made where they are needed, in any layout.
  bool isFree = false;
};

struct StepNode {
  /// Null for an argument.
  mlir::Operation *op = nullptr;
  /// Null for an argument.
  std::shared_ptr<const FactorRule> rule;
  /// Nodes with equal signatures have equal rules, types and kinds of work.
  unsigned signature = 0;
  /// How often it is done per step: once, or once per micro-batch, times the
  /// iterations of the loops that it is in.
  int64_t repeats = 1;
  /// The part of it that counts micro-batches.
  int64_t microBatches = 1;
  /// The number of the innermost loop that it is in, −1 if there is none.
  int64_t loop = -1;
  std::vector<unsigned> operands;
  std::vector<unsigned> results;
  /// Per operand whether its kernel is charged for reading it with this op.
  std::vector<bool> readsMemory;
};

struct StepArgument {
  std::string name;
  std::string role;
  /// Dimension that counts samples; -1 if there is none.
  int64_t batchDim = -1;
  /// The result that replaces it, -1 if there is none.
  int64_t result = -1;
};

struct StepGraph {
  mlir::func::FuncOp function;
  /// Arguments first, then ops in program order.
  std::vector<StepNode> nodes;
  std::vector<StepValue> values;
  std::vector<StepArgument> arguments;
  /// The value of each result of the function.
  std::vector<unsigned> results;
  /// The argument each result replaces, -1 if none.
  std::vector<int64_t> replaced;

  unsigned argumentCount() const { return arguments.size(); }
  bool isArgument(unsigned node) const { return node < arguments.size(); }
};

/// How often per step a value changes its layout for a node that makes or reads
/// it.
int64_t getReshardsPerStep(const StepValue &value, const StepNode &node);

/// Emits a diagnostic and fails if the function is not a train step on ranked
/// tensors of static shape.
llvm::FailureOr<StepGraph> buildStepGraph(mlir::func::FuncOp function);

/// The work of an op on tensors of these types. Ops that do not say are taken
/// to read and write all their tensors.
OpWork getWorkOf(mlir::Operation *op,
                 llvm::ArrayRef<mlir::RankedTensorType> operands,
                 llvm::ArrayRef<mlir::RankedTensorType> results);

} // namespace shardsmith::plan

#endif // SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_STEPGRAPH_H

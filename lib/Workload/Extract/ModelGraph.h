// SPDX-License-Identifier: Apache-2.0
//
// What extraction knows of every value and op of a loss graph before it forms
// blocks: where a value comes from, whether it has a gradient, and the axes of
// its dimensions. Functions that `@main` calls are looked at once; their
// arguments are one with the operands of all calls.

#ifndef SHARDSMITH_LIB_WORKLOAD_EXTRACT_MODELGRAPH_H
#define SHARDSMITH_LIB_WORKLOAD_EXTRACT_MODELGRAPH_H

#include "AxisRules.h"
#include "AxisTable.h"
#include "shardsmith/Dialect/Smith/LoopNest.h"
#include "shardsmith/Workload/ExtractWorkload.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace shardsmith::workload {

/// What a value depends on; each includes those before it.
enum class Origin {
  Constant,
  /// The batch: token ids, masks made from them. Cheap to make anywhere.
  Data,
  /// A parameter as it is, or another view of it.
  Parameter,
  Activation,
};

/// One leaf of a tensor's dimensions.
struct Leaf {
  AxisId axis;
  unsigned dim;
  int64_t size;
};
using Leaves = llvm::SmallVector<Leaf, 4>;

/// `smith.role` of a function's argument; empty where there is none.
llvm::StringRef argumentRole(mlir::BlockArgument argument);

class ModelGraph {
public:
  explicit ModelGraph(mlir::ModuleOp module) : module(module) {}
  /// To be called once, before everything below.
  llvm::Error analyze();

  mlir::ModuleOp getModule() const { return module; }
  mlir::func::FuncOp getMain() const { return main; }
  mlir::Value getLoss() const { return loss; }
  /// Sequences in the batch arguments.
  int64_t getBatchSize() const { return batchSize; }
  /// The function that an op of `@main` calls; null for other ops.
  mlir::func::FuncOp calleeOf(mlir::Operation *op) const;
  /// The operand that the first call of a function passes for an argument;
  /// other values are returned as they are.
  mlir::Value callerValue(mlir::Value value) const;

  Origin originOf(mlir::Value value) const { return facts.at(value).origin; }
  /// Depends on a parameter through real numbers only.
  bool isVaried(mlir::Value value) const { return facts.at(value).isVaried; }
  bool isVaried(mlir::Operation *op) const;
  /// Varies and has a cotangent: not behind, nor before nothing but,
  /// `stop_gradient`.
  bool hasGradient(mlir::Value value) const {
    return isVaried(value) && !stopped.contains(value);
  }
  bool hasGradient(mlir::Operation *op) const;
  /// Leads to the loss.
  bool isLive(mlir::Operation *op) const { return live.contains(op); }
  /// Computes nothing but which rows go to which expert.
  bool isRouting(mlir::Operation *op) const { return routing.contains(op); }
  /// Work of the model: not a view, a constant, data or routing.
  bool isCompute(mlir::Operation *op) const;
  /// A rearrangement whose result is in memory all the same.
  bool isMaterialized(mlir::Operation *op) const {
    return materialized.contains(op);
  }
  /// One element of a parameter that holds those of all layers.
  bool isStackedElement(mlir::Operation *op) const {
    return stackedElements.contains(op);
  }

  /// The counted loop over layers that an op is in: the workload has its body
  /// as a block, and its iterations as repetitions (ModelLoops.cpp).
  std::optional<int64_t> layerLoopOf(mlir::Operation *op) const;
  /// All other loops that an op is in, or whose iterations have a value each,
  /// outermost first. The workload has their iterations as a factor.
  smith::LoopChain stepLoopsOf(mlir::Operation *op) const;
  smith::LoopChain stepLoopsOf(mlir::Value value) const;
  /// Goes from iteration to iteration of a loop over layers, into or out of it.
  bool isLayerBoundary(mlir::Value value) const;
  int64_t countOf(int64_t loop) const { return nest->counts().lookup(loop); }
  /// The outermost loop that an op of `@main` is in.
  std::optional<int64_t> outermostLoopOf(mlir::Operation *op) const;

  AxisTable axes;
  llvm::ArrayRef<Leaf> leavesOf(mlir::Value value) const {
    return facts.at(value).leaves;
  }
  void forEachOp(llvm::function_ref<void(mlir::Operation *)> visit);
  void forEachValue(
      llvm::function_ref<void(mlir::Value, llvm::ArrayRef<Leaf>)> visit) const {
    for (const auto &[value, entry] : facts)
      visit(value, entry.leaves);
  }
  /// By the sizes and axes of its leaves, with one sequence in the batch.
  int64_t normalizedSize(const Leaf &leaf) const;
  LeafRule leafRuleOf(mlir::Operation *op) const;

private:
  struct Facts {
    Origin origin = Origin::Constant;
    bool isVaried = false;
    llvm::SmallVector<AxisId, 4> dims;
    Leaves leaves;
  };

  llvm::Error findFunctions();
  llvm::Error readSignature();
  llvm::Error checkBody(mlir::func::FuncOp function);
  llvm::Error checkCall(mlir::Operation *op);
  llvm::Error checkReturns();
  llvm::Error checkOperands();
  void addValue(mlir::Value value);
  void addFunction(mlir::func::FuncOp function);
  void findOrigins(mlir::func::FuncOp function);
  void findStackedElements();
  void findStopped();
  void findLive(mlir::func::FuncOp function);
  /// One walk against the order of the program; true if an op became live.
  bool visitLive(mlir::func::FuncOp function,
                 llvm::DenseSet<mlir::Value> &needed);
  /// One walk; true if a value that goes around a loop depends on more than was
  /// known.
  bool visitOrigins(mlir::func::FuncOp function);
  /// An axis of a constant, and one of something else.
  using ConstantTies = llvm::SmallVector<std::pair<AxisId, AxisId>>;
  void tieAxes();
  void tieAxes(mlir::Operation *op, ConstantTies &pending);
  void tieFactors(
      mlir::Operation *op,
      llvm::function_ref<void(mlir::Value, AxisId, mlir::Value, AxisId)> tie);
  void assignRoles();
  void passRolesOn(mlir::Operation *op);
  void findLeaves();
  void materializeBoundaries();
  void keepInMemory(mlir::Value value);
  // ModelLoops.cpp
  void findLayerLoops();
  bool isOverLayers(int64_t loop);
  bool isLastUseOf(mlir::Value start, int64_t loop);
  const shardsmith::FactorRule &ruleOf(mlir::Operation *op);

  mlir::ModuleOp module;
  mlir::func::FuncOp main;
  mlir::Value loss;
  int64_t batchSize = 0;
  /// Functions that are called, with their first calls.
  llvm::MapVector<mlir::func::FuncOp, mlir::Operation *> callees;
  llvm::DenseMap<mlir::Operation *, mlir::func::FuncOp> calls;
  llvm::DenseMap<mlir::Value, Facts> facts;
  llvm::DenseMap<mlir::Operation *, shardsmith::FactorRule> rules;
  llvm::DenseSet<mlir::Operation *> live, routing, stackedElements,
      materialized;
  llvm::DenseSet<mlir::Value> stopped;
  std::optional<smith::LoopNest> nest;
  llvm::DenseSet<int64_t> layerLoops;
};

/// Gives its operand's elements in another arrangement or width.
bool isView(mlir::Operation *op);

/// A value as a view of the one that is in memory.
struct Source {
  mlir::Value root;
  /// Per leaf of the value the leaf of the root, -1 for repeated elements.
  llvm::SmallVector<int, 4> leafOf;
  /// Per leaf of the root that no leaf of the value is: how many of its
  /// elements are read, and from which on.
  llvm::SmallVector<int64_t, 4> reads, starts;
  /// Bits of the narrowest element type on the way.
  unsigned narrowest = 0;
  mlir::Type narrowestType;
  /// Some elements are left out.
  bool isPartial = false;
};
Source sourceOf(const ModelGraph &graph, mlir::Value value);

} // namespace shardsmith::workload

#endif // SHARDSMITH_LIB_WORKLOAD_EXTRACT_MODELGRAPH_H

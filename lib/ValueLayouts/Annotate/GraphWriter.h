// SPDX-License-Identifier: Apache-2.0
//
// Writes layouts that are known (`Demands`) into the loss graph.

#ifndef SHARDSMITH_LIB_VALUELAYOUTS_ANNOTATE_GRAPHWRITER_H
#define SHARDSMITH_LIB_VALUELAYOUTS_ANNOTATE_GRAPHWRITER_H

#include "Demands.h"

#include "llvm/ADT/DenseSet.h"

namespace shardsmith::annotate {

class GraphWriter {
public:
  /// All arguments but the module must outlive this object.
  GraphWriter(mlir::ModuleOp module, const workload::GraphMap &map,
              const workload::Workload &workload, const Strategy &strategy,
              const StrategyLayouts &layouts, const Demands &demands)
      : module(module), map(map), workload(workload), strategy(strategy),
        mesh(layouts.mesh()), demands(demands), context(module.getContext()) {}

  void run();

  /// Whether the op reads or makes a value whose split its factor axes say only
  /// in part: one inside a dimension.
  bool splitsInside(mlir::Operation *op) const { return inside.contains(op); }
  /// Whether some rank would have no element of a value that the op reads or
  /// makes, or of the argument: 6 features over 4 ranks are 2, 2, 2 and none.
  /// Strategies count such shards as the largest; programs cannot have them.
  bool leavesRanksEmpty(mlir::Operation *op) const {
    return opsWithEmptyRanks.contains(op);
  }
  bool leavesRanksEmpty(mlir::BlockArgument argument) const {
    return argumentsWithEmptyRanks.contains(argument);
  }

  /// Whether the op computes on all ranks, but a result is handed out in a
  /// layout that leaves some without an element: 17 positions of which 8 ranks
  /// hold shards of 3.
  bool handsOutEmptyShards(mlir::Operation *op) const {
    return opsThatHandOutEmptyShards.contains(op);
  }

private:
  WrittenLayout written(mlir::Value value, const PartLayout &layout) const;
  int64_t sizeToSplit(int64_t size) const;
  bool leavesRanksEmpty(mlir::Value value, const Layout &layout) const;
  void replaceMesh();
  void writeArguments(mlir::func::FuncOp function);
  void writeOp(mlir::Operation *op);
  /// Writes the axes of an op's factors. Constants, which have no operands,
  /// need none: their sharding says all there is to say.
  void writeFactorAxes(mlir::Operation *op);
  /// Writes the name of the factor that the tensor axis splits on the ops of a
  /// kernel none of which has that factor in its rule.
  void nameHiddenSplits();
  /// A repeated call gets the marks of the first of its units.
  void markUnits();
  void markUnit(const workload::GraphUnit &unit, int64_t stage,
                llvm::StringRef recompute);

  mlir::ModuleOp module;
  const workload::GraphMap &map;
  const workload::Workload &workload;
  const Strategy &strategy;
  const StrategyMesh &mesh;
  const Demands &demands;
  mlir::MLIRContext *context;
  llvm::DenseSet<mlir::Operation *> showTensorAxis, inside, opsWithEmptyRanks,
      opsThatHandOutEmptyShards;
  llvm::DenseSet<mlir::Value> argumentsWithEmptyRanks;
};

} // namespace shardsmith::annotate

#endif // SHARDSMITH_LIB_VALUELAYOUTS_ANNOTATE_GRAPHWRITER_H

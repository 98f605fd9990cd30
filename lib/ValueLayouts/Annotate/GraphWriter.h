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
  /// All but the module must outlive this.
  GraphWriter(mlir::ModuleOp module, const workload::GraphMap &map,
              const workload::Workload &workload, const Strategy &strategy,
              const StrategyLayouts &layouts, const Demands &demands)
      : module(module), map(map), workload(workload), strategy(strategy),
        mesh(layouts.mesh()), demands(demands), context(module.getContext()) {}

  void run();

  /// Whether the op reads or makes a value whose split its factor axes say only
  /// in part: one inside a dimension.
  bool splitsInside(mlir::Operation *op) const { return inside.contains(op); }

private:
  WrittenLayout written(mlir::Value value, const PartLayout &layout) const;
  void replaceMesh();
  void writeArguments(mlir::func::FuncOp function);
  void writeOp(mlir::Operation *op);
  /// Constants have no operands: their sharding says it all.
  void writeFactorAxes(mlir::Operation *op);
  /// Where no op of a kernel can show the factor that the tensor axis splits,
  /// because its rule has no such factor, the factor's name stands there.
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
  llvm::DenseSet<mlir::Operation *> showTensorAxis, inside;
};

} // namespace shardsmith::annotate

#endif // SHARDSMITH_LIB_VALUELAYOUTS_ANNOTATE_GRAPHWRITER_H

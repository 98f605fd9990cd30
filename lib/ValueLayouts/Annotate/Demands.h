// SPDX-License-Identifier: Apache-2.0
//
// Layouts of all values of a loss graph. Tensors of the workload are kept as
// the strategy says, ops see them as it says. What lies between (views,
// constants, masks) is made the way its readers want it:
//
//     w kept [{"tensor"}, {}] ─convert─▶ [{"tensor"}, {}] ─▶ dot wants that
//     if readers disagree: as the operand is kept

#ifndef SHARDSMITH_LIB_VALUELAYOUTS_ANNOTATE_DEMANDS_H
#define SHARDSMITH_LIB_VALUELAYOUTS_ANNOTATE_DEMANDS_H

#include "StrategyLayouts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"

namespace shardsmith::annotate {

class Demands {
public:
  Demands(const workload::GraphMap &map, const workload::Workload &workload,
          const StrategyLayouts &strategy)
      : map(map), workload(workload), strategy(strategy) {}

  llvm::Error run(mlir::ModuleOp module);

  struct OpLayout {
    llvm::SmallVector<PartLayout, 2> operands, results;
  };
  /// The layouts at an op; null for calls, terminators and ops of functions
  /// that are not laid out.
  const OpLayout *find(mlir::Operation *op) const {
    auto found = ops.find(op);
    return found == ops.end() ? nullptr : &found->second;
  }
  PartLayout heldBy(mlir::Value value) const {
    auto found = held.find(value);
    return found == held.end() ? PartLayout::whole(map.partsOf(value).size())
                               : found->second;
  }

private:
  llvm::Error keepTensors(const workload::GraphBody &body);
  llvm::Error layOut(const workload::GraphBody &body);
  llvm::Error hold(mlir::Value value, PartLayout layout);
  void visit(mlir::func::FuncOp function);
  void visit(const workload::TiedOp &tied);
  /// What all readers want, or nothing if they disagree.
  std::optional<PartLayout> wanted(mlir::Value value) const;

  const workload::GraphMap &map;
  const workload::Workload &workload;
  const StrategyLayouts &strategy;
  llvm::DenseMap<mlir::Operation *, OpLayout> ops;
  llvm::DenseMap<mlir::Value, PartLayout> held;
  llvm::DenseMap<mlir::Operation *, const workload::TiedOp *> others;
};

} // namespace shardsmith::annotate

#endif // SHARDSMITH_LIB_VALUELAYOUTS_ANNOTATE_DEMANDS_H

// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_WORKLOAD_EXTRACT_FACTORSPREAD_H
#define SHARDSMITH_LIB_WORKLOAD_EXTRACT_FACTORSPREAD_H

#include "ModelGraph.h"

namespace shardsmith::workload {

/// Hands the factors of what an op of the workload reads and writes on to the
/// values inside of it: leaves that one of its ops ties have one factor.
class FactorSpread {
public:
  FactorSpread(const ModelGraph &graph, llvm::ArrayRef<mlir::Operation *> ops);

  void note(mlir::Value value, unsigned leaf, FactorIndex factor) {
    known.try_emplace({value, leaf}, factor);
  }

  /// One entry per op, without its index.
  std::vector<MappedOp> run();

private:
  struct Tied {
    mlir::Operation *op;
    LeafRule rule;
    llvm::SmallVector<Source, 2> sources;
  };

  std::optional<FactorIndex> lookup(mlir::Value value, unsigned leaf) const;
  /// Of a leaf of an operand, or of what the operand is a view of.
  std::optional<FactorIndex> lookup(const Tied &tied, unsigned operand,
                                    unsigned leaf) const;
  bool visit(const Tied &tied);

  std::vector<Tied> ops;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, FactorIndex> known;
};

} // namespace shardsmith::workload

#endif // SHARDSMITH_LIB_WORKLOAD_EXTRACT_FACTORSPREAD_H

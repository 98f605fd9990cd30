// SPDX-License-Identifier: Apache-2.0
//
// A group of fusible ops as one op over the factors that they share.

#ifndef SHARDSMITH_LIB_WORKLOAD_EXTRACT_FUSEDOP_H
#define SHARDSMITH_LIB_WORKLOAD_EXTRACT_FUSEDOP_H

#include "BlockBuilder.h"

namespace shardsmith::workload {

/// Leaves of values that some op of the group ties together are one *class*;
/// classes of what is read and written are the factors.
///
///     norm   x[b, s, h] ─ sum h ─ rsqrt ─ times x, times w[h] ─▶ y[b, s, h]
///            classes b, s: pass through; h: summed over, and in y:
///            a row statistic
class FusedOpBuilder {
public:
  FusedOpBuilder(BlockBuilder &builder, const OpGroup &group)
      : builder(builder), graph(builder.graph), group(group), draft(builder),
        inGroup(group.ops.begin(), group.ops.end()) {}

  void run();

private:
  using Class = unsigned;
  /// What an op of the group does to a class.
  struct Mark {
    mlir::Operation *op;
    Class klass;
    shardsmith::FactorKind kind;
    bool isSum;
  };

  Class classOf(mlir::Value value, unsigned leaf);
  Class root(Class klass);
  void unite(Class a, Class b);
  void tieOp(mlir::Operation *op);
  void tieRoutedRows(mlir::Operation *op);
  void tieSource(mlir::Value value);
  int64_t elementsRead(mlir::Value operand, unsigned leaf) const;
  bool isProducedHere(mlir::Value root) const;
  bool isRouted(mlir::Value value) const;

  FactorKind kindOf(Class klass, bool isInResult);
  /// The group is linear in what the ops `reduces` make.
  bool isLinearAfter(const llvm::DenseSet<mlir::Operation *> &reduces);
  /// The group is jointly linear in some of its operands.
  bool isLinearIn(const llvm::DenseSet<mlir::Value> &operands);
  /// If the values in `partial` are sums of parts, whether the op's results
  /// are, too, apart from terms that are the same in all parts (`isAffine`).
  bool staysLinear(llvm::DenseSet<mlir::Value> &partial, mlir::Operation *op,
                   bool isAffine);

  void findResults();
  void addUses();
  std::optional<Class> joinedAgain(mlir::Value operand, unsigned leaf);
  void addLinearSets();
  void markSaved();
  void save(mlir::Value value);

  BlockBuilder &builder;
  const ModelGraph &graph;
  const OpGroup &group;
  OpDraft draft;
  llvm::SmallPtrSet<mlir::Operation *, 16> inGroup;
  /// Ops on data that the kernel does itself.
  llvm::SmallPtrSet<mlir::Operation *, 16> onData;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, Class> classes;
  std::vector<Class> parents;
  /// By class: its size, and an axis it has.
  std::vector<Leaf> leaves;
  llvm::SmallVector<Mark> marks;
  /// Elements of untied leaves of operands that are read, by the first one.
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, std::map<int64_t, int64_t>>
      reads;
  llvm::SetVector<mlir::Value> externals;
  llvm::SmallVector<mlir::Value> results;
  llvm::DenseMap<Class, FactorIndex> factors;
  llvm::DenseSet<mlir::Value> savedValues;
  llvm::DenseSet<mlir::Operation *> statistics;
};

} // namespace shardsmith::workload

#endif // SHARDSMITH_LIB_WORKLOAD_EXTRACT_FUSEDOP_H

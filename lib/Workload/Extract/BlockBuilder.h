// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_WORKLOAD_EXTRACT_BLOCKBUILDER_H
#define SHARDSMITH_LIB_WORKLOAD_EXTRACT_BLOCKBUILDER_H

#include "Fusion.h"

namespace shardsmith::workload {

/// A unit, seen from inside.
struct UnitBody {
  llvm::ArrayRef<mlir::Operation *> ops;
  /// Values in memory: arguments of the called function, or what other units
  /// make.
  std::vector<mlir::Value> inputs, outputs;
};

/// A block and the values that its parameters are.
struct BuiltBlock {
  Block block;
  std::vector<mlir::Value> parameters;
  /// Values that tensors of role Batch are.
  std::vector<std::pair<TensorIndex, mlir::Value>> data;
  /// Names of the ops; those in `block` are empty, so that equal blocks
  /// compare equal.
  std::vector<std::string> opNames;
  /// Empty unless asked for.
  std::vector<MappedOp> mappedOps;
  std::vector<MappedTensor> mappedTensors;
};

/// `keepsMap`: say what the ops of the graph are in the block, too.
BuiltBlock buildBlock(const ModelGraph &graph, const UnitBody &body,
                      const AttentionMap &attentions, bool keepsMap);

/// A block while it is being built: knows the tensor of each value.
class BlockBuilder {
public:
  BlockBuilder(const ModelGraph &graph, const UnitBody &body,
               const AttentionMap &attentions, bool keepsMap);
  BuiltBlock run();

private:
  friend class OpDraft;
  friend class FusedOpBuilder;

  void findNarrowTypes();
  void mapTensors();
  void emit(const OpGroup &group);
  void emitAttention(const Attention &attention);
  void emitProduct(mlir::Operation *op, ProductParts parts);
  void emitLookup(mlir::Operation *op);
  void emitExchange(mlir::Operation *op, ExchangeParts parts);
  void emitStandalone(mlir::Operation *op);
  /// What enters or leaves a loop that is no loop over layers.
  void emitMarker(mlir::Operation *op);
  // StepLoops.cpp
  void repeatSteps();
  std::optional<ExchangeParts> exchangeOfGather(mlir::Operation *op) const;

  /// The tensor of a value in memory; makes one where there is none yet.
  TensorIndex tensorOf(mlir::Value root);
  void setSaved(mlir::Value value);

  const ModelGraph &graph;
  const UnitBody &body;
  const AttentionMap &attentions;
  bool keepsMap;
  BuiltBlock result;
  llvm::DenseMap<mlir::Value, TensorIndex> tensors;
  /// Element types that readers make do with.
  llvm::DenseMap<mlir::Value, mlir::Type> narrowTypes;
  /// Values that other groups or other units read.
  llvm::DenseMap<mlir::Value, llvm::SmallPtrSet<mlir::Operation *, 4>> readers;
  llvm::DenseSet<mlir::Value> outputs;
  llvm::DenseSet<mlir::Value> fromExperts;
  /// By op of the block the last op of the graph that it is.
  std::vector<mlir::Operation *> lastOps;
};

/// One op of the workload while it is being built.
class OpDraft {
public:
  explicit OpDraft(BlockBuilder &builder) : builder(builder) {}

  FactorIndex addFactor(int64_t size, FactorKind kind, FactorRole role);
  /// A factor over the elements of `leaf`.
  FactorIndex addFactor(const Leaf &leaf, FactorKind kind);

  static constexpr FactorIndex noFactor = ~0u;
  /// `factors` has one entry per leaf of `value`.
  void addOperand(mlir::Value value, llvm::ArrayRef<FactorIndex> factors);
  void addResult(mlir::Value root, llvm::ArrayRef<FactorIndex> factors);
  /// Adds operands and results by the rule of an op.
  void followRule(mlir::Operation *source,
                  llvm::ArrayRef<unsigned> operandsRead);

  /// The factors of a value inside of the op.
  void noteInner(mlir::Value value, llvm::ArrayRef<FactorIndex> factors);

  /// Drops factors nobody has and puts the op into the block under this name.
  /// `ops` are what it is in the graph.
  void finish(std::string name, llvm::ArrayRef<mlir::Operation *> ops);

  Op op;

private:
  /// Returns the new number of each factor, `noFactor` for those dropped.
  std::vector<FactorIndex> dropUnusedFactors();

  BlockBuilder &builder;
  struct Noted {
    mlir::Value value;
    llvm::SmallVector<FactorIndex, 4> factors;
  };
  std::vector<Noted> noted;
};

/// The name in the op's location, or that of its kind.
std::string nameOf(mlir::Operation *op);

} // namespace shardsmith::workload

#endif // SHARDSMITH_LIB_WORKLOAD_EXTRACT_BLOCKBUILDER_H

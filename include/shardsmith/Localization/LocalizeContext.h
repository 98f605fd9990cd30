// SPDX-License-Identifier: Apache-2.0
//
// What an op needs to know to build its form for one device.

#ifndef SHARDSMITH_LOCALIZATION_LOCALIZECONTEXT_H
#define SHARDSMITH_LOCALIZATION_LOCALIZECONTEXT_H

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Operation.h"
#include "shardsmith/Sharding/ShardingAttributes.h"

#include "llvm/ADT/DenseMap.h"

namespace shardsmith {

/// The device's positions along lists of axes, each computed once per
/// function, in front of everything else.
class ShardIndices {
public:
  ShardIndices(mlir::Block *body, const Mesh &mesh) : body(body), mesh(mesh) {}

  /// `smith.shard_index over axes`, a tensor<i32>.
  mlir::Value get(llvm::ArrayRef<MeshAxis> axes);

private:
  mlir::Block *body;
  const Mesh &mesh;
  llvm::DenseMap<mlir::ArrayAttr, mlir::Value> indices;
};

/// Layouts of the operands and results of one op of the global program.
class LocalizeContext {
public:
  /// For an op with a factor rule, split as `axes` says. `locals` maps values
  /// of the global program to those of the local one.
  LocalizeContext(mlir::Operation *op, const Mesh &mesh, ShardIndices &indices,
                  const mlir::IRMapping &locals, FactorRule rule,
                  FactorAxes axes);
  /// For an op whose operands are whole. `results` are the results' layouts.
  LocalizeContext(mlir::Operation *op, const Mesh &mesh, ShardIndices &indices,
                  const mlir::IRMapping &locals,
                  llvm::ArrayRef<Layout> results);

  mlir::Operation *getGlobalOp() const { return op; }
  const Mesh &getMesh() const { return mesh; }
  /// The rule of the op, empty if it has none.
  const FactorRule &getRule() const { return rule; }
  const FactorAxes &getAxes() const { return axes; }

  const Layout &getOperandLayout(unsigned operand) const {
    return operands[operand];
  }
  const Layout &getResultLayout(unsigned result) const {
    return results[result];
  }
  /// A device has so many shards of each dimension that is split, one behind
  /// the other; 1 if not said. Types of results and sizes of factors follow
  /// from it, nothing else.
  void setShardsHeld(int64_t count) { shardsHeld = count; }
  /// Type of a result on one device; for values that are no tensors the type
  /// they have.
  mlir::Type getLocalResultType(unsigned result) const;

  /// How much of a factor one device has, with what it is padded by.
  int64_t getLocalSize(FactorIndex factor) const;

  mlir::Value getShardIndex(llvm::ArrayRef<MeshAxis> axes) const {
    return indices.get(axes);
  }

  ShardIndices &getShardIndices() const { return indices; }

  /// The same op on these operands with local result types, without the
  /// attributes that only the global program has.
  mlir::Operation *rebuild(mlir::ImplicitLocOpBuilder &builder,
                           mlir::ValueRange localOperands) const;

private:
  mlir::Operation *op;
  const Mesh &mesh;
  ShardIndices &indices;
  const mlir::IRMapping &locals;
  FactorRule rule;
  FactorAxes axes;
  llvm::SmallVector<Layout, 4> operands, results;
  int64_t shardsHeld = 1;
};

/// The type of one device's part of a tensor; other types stay as they are.
/// `shardsHeld` as in `LocalizeContext::setShardsHeld`.
mlir::Type getLocalType(const Mesh &mesh, mlir::Type type, const Layout &layout,
                        int64_t shardsHeld = 1);

} // namespace shardsmith

#endif // SHARDSMITH_LOCALIZATION_LOCALIZECONTEXT_H

// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_TRAIN_ACTIVITY_H
#define SHARDSMITH_LIB_TRAIN_ACTIVITY_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Value.h"
#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace shardsmith {

/// Which float values of a block lie on a path from a parameter to the loss.
///
///      parameters ──▶ varied ──▶ … ──▶ useful ──▶ loss
///                       └── active: both ──┘
///
/// Integer and boolean values end a path: a result computed from them alone
/// does not vary. Values in `constant` are treated as if they did not vary.
class Activity {
public:
  Activity(mlir::Block &block, mlir::Value loss, mlir::ValueRange parameters,
           const llvm::DenseSet<mlir::Value> &constant);

  bool isActive(mlir::Value value) const {
    return origins.contains(value) && useful.contains(value);
  }

  /// A parameter that the varied `value` depends on.
  mlir::Value originOf(mlir::Value value) const {
    return origins.lookup(value);
  }

private:
  /// One walk over the block; true if another one would find more.
  bool findOrigins(mlir::Block &block,
                   const llvm::DenseSet<mlir::Value> &constant);
  bool findUseful(mlir::Block &block);

  llvm::DenseMap<mlir::Value, mlir::Value> origins;
  llvm::DenseSet<mlir::Value> useful;
};

/// True for tensors of real floats.
bool isFloatTensor(mlir::Value value);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_TRAIN_ACTIVITY_H

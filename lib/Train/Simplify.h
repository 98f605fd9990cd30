// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_TRAIN_SIMPLIFY_H
#define SHARDSMITH_LIB_TRAIN_SIMPLIFY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardsmith {

/// Folds, removes what is not used, and merges equal ops. Derivatives are
/// built without regard to any of these.
void simplify(mlir::func::FuncOp function);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_TRAIN_SIMPLIFY_H

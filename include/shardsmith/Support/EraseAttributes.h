// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_SUPPORT_ERASEATTRIBUTES_H
#define SHARDSMITH_SUPPORT_ERASEATTRIBUTES_H

#include "mlir/IR/Operation.h"

namespace shardsmith {

/// Erases the discardable attributes of `op` that `isErased` says, of a
/// function also those of its arguments and results. Regions are left alone.
void eraseAttributes(mlir::Operation *op,
                     llvm::function_ref<bool(mlir::NamedAttribute)> isErased);

} // namespace shardsmith

#endif // SHARDSMITH_SUPPORT_ERASEATTRIBUTES_H

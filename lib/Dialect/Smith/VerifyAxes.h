// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_DIALECT_SMITH_VERIFYAXES_H
#define SHARDSMITH_LIB_DIALECT_SMITH_VERIFYAXES_H

#include "shardsmith/Dialect/Smith/Smith.h"

namespace shardsmith::smith {

/// The group size of axes, after checking that the module's mesh has them.
llvm::FailureOr<int64_t> verifyAxes(mlir::Operation *op, mlir::ArrayAttr axes);

} // namespace shardsmith::smith

#endif // SHARDSMITH_LIB_DIALECT_SMITH_VERIFYAXES_H

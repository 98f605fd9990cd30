// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DIALECT_SMITH_REPLACEDARGUMENT_H
#define SHARDSMITH_DIALECT_SMITH_REPLACEDARGUMENT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardsmith::smith {

/// The argument whose storage result `index` takes over: the parameter or
/// state of the same name; −1 if there is none.
int64_t replacedArgument(mlir::func::FuncOp function, unsigned index);

} // namespace shardsmith::smith

#endif // SHARDSMITH_DIALECT_SMITH_REPLACEDARGUMENT_H

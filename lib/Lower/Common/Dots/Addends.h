// SPDX-License-Identifier: Apache-2.0
//
// What a library adds to a product before it writes the result.

#ifndef SHARDSMITH_LIB_LOWER_COMMON_DOTS_ADDENDS_H
#define SHARDSMITH_LIB_LOWER_COMMON_DOTS_ADDENDS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "shardsmith/Lower/Common/Target.h"

namespace shardsmith::lower {

/// Makes additions to products of the function part of these, as far as the
/// target's library adds.
void addOntoProducts(mlir::func::FuncOp function, const TargetTraits &target);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_COMMON_DOTS_ADDENDS_H

// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_WIDENPRODUCTS_H
#define SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_WIDENPRODUCTS_H

#include "mlir/IR/PatternMatch.h"
#include "shardsmith/Lower/Common/Target.h"

namespace shardsmith::lower {

/// Adds the pattern that converts the operands of products of which the
/// target's library has none with their types.
void populateProductPatterns(mlir::RewritePatternSet &patterns,
                             const TargetTraits &target);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_WIDENPRODUCTS_H

// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_EXPANDSORTS_H
#define SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_EXPANDSORTS_H

#include "mlir/IR/PatternMatch.h"
#include "shardsmith/Lower/Common/Target.h"

namespace shardsmith::lower {

/// Adds the pattern that sorts lines longer than `longestSort` in runs.
void populateSortPatterns(mlir::RewritePatternSet &patterns,
                          const TargetTraits &target);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_EXPANDSORTS_H

// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_EXPANDTOPK_H
#define SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_EXPANDTOPK_H

#include "mlir/IR/PatternMatch.h"
#include "shardsmith/Lower/Common/Target.h"

namespace shardsmith::lower {

/// Adds the pattern that turns `chlo.top_k` into a sort and slices, but where
/// the target has a form of its own.
void populateTopKPatterns(mlir::RewritePatternSet &patterns,
                          const TargetTraits &target);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_EXPANDTOPK_H

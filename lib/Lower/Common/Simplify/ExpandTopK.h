// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_EXPANDTOPK_H
#define SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_EXPANDTOPK_H

#include "mlir/IR/PatternMatch.h"

namespace shardsmith::lower {

/// Adds the pattern that turns `chlo.top_k` into a sort and slices.
void populateTopKPatterns(mlir::RewritePatternSet &patterns);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_EXPANDTOPK_H

// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_WIDENREDUCTIONS_H
#define SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_WIDENREDUCTIONS_H

#include "mlir/IR/PatternMatch.h"
#include "shardsmith/Lower/Common/Target.h"

namespace shardsmith::lower {

/// Adds the patterns that reduce elements over ranks in the type that the
/// target's library has.
void populateReductionPatterns(mlir::RewritePatternSet &patterns,
                               const TargetTraits &target);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_WIDENREDUCTIONS_H

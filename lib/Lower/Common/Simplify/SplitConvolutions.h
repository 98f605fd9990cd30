// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_SPLITCONVOLUTIONS_H
#define SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_SPLITCONVOLUTIONS_H

#include "mlir/IR/PatternMatch.h"
#include "shardsmith/Lower/Common/Target.h"

namespace shardsmith::lower {

/// Adds the pattern that splits the sums of convolutions with few tiles of the
/// result, where the target computes a tile by one block.
void populateConvolutionSplitPatterns(mlir::RewritePatternSet &patterns,
                                      const TargetTraits &target);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_SPLITCONVOLUTIONS_H

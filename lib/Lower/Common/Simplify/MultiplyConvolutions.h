// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_MULTIPLYCONVOLUTIONS_H
#define SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_MULTIPLYCONVOLUTIONS_H

#include "shardsmith/Lower/Common/Target.h"

#include "mlir/IR/PatternMatch.h"

namespace shardsmith::lower {

/// Adds the pattern that turns convolutions that are products of matrices, of
/// types that the target's library multiplies, into `dot_general`.
void populateConvolutionProductPatterns(mlir::RewritePatternSet &patterns,
                                        const TargetTraits &target);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_MULTIPLYCONVOLUTIONS_H

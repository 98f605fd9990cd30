// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TRANSFORMS_SIMPLIFYPATTERNS_H
#define SHARDSMITH_TRANSFORMS_SIMPLIFYPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace shardsmith {

/// Slices at constant positions, taken from where their elements come from.
void populateIndexingPatterns(mlir::RewritePatternSet &patterns);

/// Ops that move or compute nothing, and chains of two that are one.
void populateIdentityPatterns(mlir::RewritePatternSet &patterns);

/// Tensors without elements, and what they are a part of.
void populateEmptyTensorPatterns(mlir::RewritePatternSet &patterns);

/// Windows over tensors that repeat one constant.
void populateConstantWindowPatterns(mlir::RewritePatternSet &patterns);

} // namespace shardsmith

#endif // SHARDSMITH_TRANSFORMS_SIMPLIFYPATTERNS_H

// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_TRAIN_SIMPLIFYPATTERNS_H
#define SHARDSMITH_LIB_TRAIN_SIMPLIFYPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace shardsmith {

/// Contractions that absorb the transposes around them.
void populateContractionPatterns(mlir::RewritePatternSet &patterns);

/// What adding up cotangents leaves behind: sums of padded parts, factors of
/// one, signs.
void populateCotangentPatterns(mlir::RewritePatternSet &patterns);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_TRAIN_SIMPLIFYPATTERNS_H

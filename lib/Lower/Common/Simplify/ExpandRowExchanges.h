// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_EXPANDROWEXCHANGES_H
#define SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_EXPANDROWEXCHANGES_H

#include "mlir/IR/PatternMatch.h"

namespace shardsmith::lower {

/// Adds the pattern that turns `smith.exchange_rows` into an exchange of all
/// slots, in use or not.
void populateRowExchangePatterns(mlir::RewritePatternSet &patterns);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_COMMON_SIMPLIFY_EXPANDROWEXCHANGES_H

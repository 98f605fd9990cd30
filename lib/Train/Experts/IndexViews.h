// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_TRAIN_EXPERTS_INDEXVIEWS_H
#define SHARDSMITH_LIB_TRAIN_EXPERTS_INDEXVIEWS_H

#include "mlir/IR/Value.h"

namespace shardsmith {

/// Through ops that only rename or convert elements.
mlir::Value withoutViews(mlir::Value value);

/// Through what makes sure that indices are not negative, for indices that are
/// not: maxima with zero, numbers from the end in place of negative ones.
mlir::Value withoutGuards(mlir::Value value);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_TRAIN_EXPERTS_INDEXVIEWS_H

// SPDX-License-Identifier: Apache-2.0
//
// The lines that a sort sorts, and what its comparator may do.

#ifndef SHARDSMITH_LOWER_COMMON_ELEMENTS_SORTSHAPE_H
#define SHARDSMITH_LOWER_COMMON_ELEMENTS_SORTSHAPE_H

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/Common/Target.h"

#include <string>

namespace shardsmith::lower {

/// Element e of line (o, i) is at (o · length + e) · inner + i.
struct SortLines {
  int64_t outer = 1, length = 1, inner = 1;
};

/// The dimension counts from the last one if it is negative.
SortLines sortLines(mlir::Type tensor, int64_t dimension);

/// Why tensors cannot be sorted with this comparator; empty if they can.
/// `hasEmitter` says which of its ops the target computes.
std::string whyNotSorted(mlir::TypeRange tensors, mlir::Region &comparator,
                         llvm::function_ref<bool(mlir::Operation *)> hasEmitter,
                         const TargetTraits &target);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LOWER_COMMON_ELEMENTS_SORTSHAPE_H

// SPDX-License-Identifier: Apache-2.0
//
// In which order the reductions of a kernel have to run.

#ifndef SHARDSMITH_LOWER_COMMON_ELEMENTS_ROWLEVELS_H
#define SHARDSMITH_LOWER_COMMON_ELEMENTS_ROWLEVELS_H

#include "shardsmith/Lower/Common/Elements/LaneIndex.h"

#include "mlir/IR/Block.h"

namespace shardsmith::lower {

/// The reductions of a kernel's body by level. A reduction has the level after
/// the latest level it depends on; those of one level can share a sweep.
/// Element l holds the reductions of level l + 1.
using RowLevels = llvm::SmallVector<llvm::SmallVector<mlir::Operation *>>;
RowLevels findRowLevels(mlir::Block &body);

/// Index of a tensor of this shape whose dimensions of more than one element
/// are, in order, those of `dimensions`.
LaneIndices indexFor(llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<int64_t> dimensions,
                     llvm::ArrayRef<LaneIndex> index);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LOWER_COMMON_ELEMENTS_ROWLEVELS_H

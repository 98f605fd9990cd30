// SPDX-License-Identifier: Apache-2.0
//
// How anchored ops read one another through inlined ops.

#ifndef SHARDSMITH_LIB_LOWER_COMMON_FUSION_DEPENDENCE_H
#define SHARDSMITH_LIB_LOWER_COMMON_FUSION_DEPENDENCE_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace shardsmith::lower {

/// A dimension of the reader's frame, or one of these.
constexpr int64_t unitDimension = -1;   ///< size 1: always position 0
constexpr int64_t opaqueDimension = -2; ///< some other position

/// One way an op reads a value. `dimensions` says, per dimension of the
/// value, at which dimension of the reader's frame its position is taken. The
/// frame is the shape of the reader's result, or of a reduction's inputs.
struct Dependence {
  mlir::Value value;
  llvm::SmallVector<int64_t, 4> dimensions;
};

/// Every way in which `reader` reads values that are not inlined.
llvm::SmallVector<Dependence>
findDependences(mlir::Operation *reader,
                const llvm::DenseSet<mlir::Operation *> &inlined);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_COMMON_FUSION_DEPENDENCE_H

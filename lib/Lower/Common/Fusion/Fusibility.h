// SPDX-License-Identifier: Apache-2.0
//
// Which ops can be part of a kernel, and which of them are computed anew in
// every kernel that uses them.

#ifndef SHARDSMITH_LIB_LOWER_COMMON_FUSION_FUSIBILITY_H
#define SHARDSMITH_LIB_LOWER_COMMON_FUSION_FUSIBILITY_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "shardsmith/Lower/Common/Target.h"
#include "llvm/ADT/DenseSet.h"

namespace shardsmith::lower {

/// True if the target computes elements of the op (or of all ops in the body of
/// a reduction), all its tensors have elements of the target, and constants are
/// splats.
bool isFusable(mlir::Operation *op, const TargetTraits &target);

/// Gives each broadcast, slice and the like that is used both by kernels and
/// by other ops a copy for the kernels, so that only the other is stored.
void separateUses(mlir::Block &block, const TargetTraits &target);

/// The ops that consumers compute anew. All their users are fusable.
llvm::DenseSet<mlir::Operation *> findInlined(mlir::Block &block,
                                              const TargetTraits &target);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_COMMON_FUSION_FUSIBILITY_H

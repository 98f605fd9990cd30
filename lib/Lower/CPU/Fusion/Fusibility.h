// SPDX-License-Identifier: Apache-2.0
//
// Which ops can be part of a kernel, and which of them are computed anew in
// every kernel that uses them.

#ifndef SHARDSMITH_LIB_LOWER_CPU_FUSION_FUSIBILITY_H
#define SHARDSMITH_LIB_LOWER_CPU_FUSION_FUSIBILITY_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace shardsmith::cpu {

/// True if the op has a rule (or is a reduction whose body has), all its
/// tensors have supported elements, and constants are splats.
bool isFusable(mlir::Operation *op);

/// Gives each broadcast, slice and the like that is used both by kernels and
/// by other ops a copy for the kernels, so that only the other is stored.
void separateUses(mlir::Block &block);

/// The ops that consumers compute anew. All their users are fusable.
llvm::DenseSet<mlir::Operation *> findInlined(mlir::Block &block);

} // namespace shardsmith::cpu

#endif // SHARDSMITH_LIB_LOWER_CPU_FUSION_FUSIBILITY_H

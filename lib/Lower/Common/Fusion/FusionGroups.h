// SPDX-License-Identifier: Apache-2.0
//
// Which ops form a kernel together.
//
// An op that is not inlined is *anchored*: it belongs to exactly one group.
// A group has a domain (the shape its loops run over) and possibly reduced
// dimensions. Every anchored value of a group is *full* (has the domain's
// dimensions) or *row* (has the kept ones); dimensions of size 1 do not
// count. Invariants:
//
//  - whenever a value of a group reaches another op of the group, through
//    whatever inlined ops, it is read at the very position the loops are at;
//  - the groups and the other ops form an acyclic graph.

#ifndef SHARDSMITH_LIB_LOWER_COMMON_FUSION_FUSIONGROUPS_H
#define SHARDSMITH_LIB_LOWER_COMMON_FUSION_FUSIONGROUPS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "shardsmith/Lower/Common/Target.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace shardsmith::lower {

/// A kernel to be, or a single op that is none.
struct FusionGroup {
  llvm::SmallVector<mlir::Operation *> ops; ///< anchored, in program order
  bool isKernel = false;
  llvm::SmallVector<int64_t> domain;
  llvm::SmallVector<int64_t> reduced; ///< sorted
};

/// Groups in an order in which they can run, close to the program's.
llvm::SmallVector<FusionGroup>
formGroups(mlir::Block &block, const llvm::DenseSet<mlir::Operation *> &inlined,
           const TargetTraits &target);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_COMMON_FUSION_FUSIONGROUPS_H

// SPDX-License-Identifier: Apache-2.0
//
// Steps of reductions: values so far, one per result of a stablehlo.reduce.

#ifndef SHARDSMITH_LOWER_COMMON_ELEMENTS_ACCUMULATORS_H
#define SHARDSMITH_LOWER_COMMON_ELEMENTS_ACCUMULATORS_H

#include "shardsmith/Lower/Common/Elements/ElementEmitter.h"

namespace shardsmith::lower {

/// One element of each input of a reduction is combined with accumulators.
llvm::SmallVector<mlir::Value> accumulate(ElementEmitter &emitter,
                                          mlir::Operation *reduce,
                                          llvm::ArrayRef<LaneIndex> index,
                                          mlir::ValueRange accumulators);
/// Initial accumulators with this many lanes.
llvm::SmallVector<mlir::Value> initialAccumulators(ElementEmitter &emitter,
                                                   mlir::Operation *reduce);
/// Combines two sets of accumulators with `lanes` lanes.
llvm::SmallVector<mlir::Value> combine(mlir::ImplicitLocOpBuilder &builder,
                                       mlir::Operation *reduce, int64_t lanes,
                                       mlir::ValueRange left,
                                       mlir::ValueRange right);
/// Combines the lanes of accumulators into scalars, pairwise.
llvm::SmallVector<mlir::Value> combineLanes(mlir::ImplicitLocOpBuilder &builder,
                                            mlir::Operation *reduce,
                                            int64_t lanes,
                                            mlir::ValueRange accumulators);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LOWER_COMMON_ELEMENTS_ACCUMULATORS_H

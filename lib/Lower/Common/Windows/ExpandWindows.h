// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_COMMON_WINDOWS_EXPANDWINDOWS_H
#define SHARDSMITH_LIB_LOWER_COMMON_WINDOWS_EXPANDWINDOWS_H

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

namespace shardsmith::lower {

/// The results of a windowed reduction, from slices of its inputs.
///
/// Assumes a body that computes element by element (TensorBody.h), and results
/// that are not empty.
llvm::SmallVector<mlir::Value> expandReduceWindow(mlir::OpBuilder &builder,
                                                  stablehlo::ReduceWindowOp op);

/// The result of a selection, from slices of its operand. The assumptions are
/// the same, of both bodies.
mlir::Value expandSelectAndScatter(mlir::OpBuilder &builder,
                                   stablehlo::SelectAndScatterOp op);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_COMMON_WINDOWS_EXPANDWINDOWS_H

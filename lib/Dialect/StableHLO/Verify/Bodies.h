// SPDX-License-Identifier: Apache-2.0
// Rules for the regions of ops.

#ifndef SHARDSMITH_LIB_DIALECT_STABLEHLO_VERIFY_BODIES_H
#define SHARDSMITH_LIB_DIALECT_STABLEHLO_VERIFY_BODIES_H

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

namespace shardsmith::stablehlo {

/// The region ends in a `stablehlo.return` of compatible types.
llvm::LogicalResult checkReturn(const Reporter &report, mlir::Region &region,
                                llvm::StringRef name, mlir::TypeRange types);

/// The block takes arguments of compatible types.
llvm::LogicalResult checkArguments(const Reporter &report, mlir::Region &region,
                                   llvm::StringRef name, mlir::TypeRange types);

/// A function of `2n` scalars, `(a0 … an, b0 … bn)`, to `n` scalars, where a
/// scalar has the element type of the result or one that it is computed in.
llvm::LogicalResult checkCombiner(const Reporter &report, mlir::Region &region,
                                  llvm::StringRef name, mlir::TypeRange inputs,
                                  mlir::TypeRange results);

/// Rank-0 tensor of the tensor's elements.
mlir::RankedTensorType scalarOf(mlir::Type tensor);

} // namespace shardsmith::stablehlo

#endif // SHARDSMITH_LIB_DIALECT_STABLEHLO_VERIFY_BODIES_H

// SPDX-License-Identifier: Apache-2.0
// Rules for the regions of ops.

#ifndef SHARDSMITH_LIB_DIALECT_STABLEHLO_VERIFY_BODIES_H
#define SHARDSMITH_LIB_DIALECT_STABLEHLO_VERIFY_BODIES_H

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

namespace shardsmith::stablehlo {

/// Rank-0 tensor of the tensor's elements.
mlir::RankedTensorType scalarOf(mlir::Type tensor);

/// The block takes arguments of these types.
llvm::LogicalResult checkArguments(const Reporter &report, mlir::Region &region,
                                   llvm::StringRef name, mlir::TypeRange types);

/// The region ends in a `stablehlo.return` of these types.
llvm::LogicalResult checkReturn(const Reporter &report, mlir::Region &region,
                                llvm::StringRef name, mlir::TypeRange types);

/// A function of scalars, `(a0 … an, b0 … bn) -> (r0 … rn)`, where each has
/// the element type of the op's result of the same number.
llvm::LogicalResult checkCombiner(const Reporter &report, mlir::Region &region,
                                  llvm::StringRef name,
                                  mlir::TypeRange results);

} // namespace shardsmith::stablehlo

#endif // SHARDSMITH_LIB_DIALECT_STABLEHLO_VERIFY_BODIES_H

// SPDX-License-Identifier: Apache-2.0
// Values that repeat a smaller tensor, which derivatives compute with instead.

#ifndef SHARDSMITH_LIB_DIALECT_STABLEHLO_DERIVATIVES_REPEATED_H
#define SHARDSMITH_LIB_DIALECT_STABLEHLO_DERIVATIVES_REPEATED_H

#include "shardsmith/Dialect/StableHLO/TensorValue.h"

namespace shardsmith {

/// value = broadcast_in_dim(source, dims = dimensions), the source with fewer
/// elements.
struct Repeated {
  mlir::Value source;
  llvm::SmallVector<int64_t> dimensions;

  /// True if the value is constant along `dimension`.
  bool isConstantAlong(int64_t dimension) const;
};

/// Sees through chains of broadcasts.
std::optional<Repeated> matchRepeated(mlir::Value value);

/// Sum over `dimensions`, with signs and factors that are constant along them
/// moved behind the sum, where they act on fewer elements:
///
///     sum(-(a * broadcast(s)))  =  -(sum(a) * s)
TensorValue sumFactored(TensorValue operand,
                        llvm::ArrayRef<int64_t> dimensions);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_DIALECT_STABLEHLO_DERIVATIVES_REPEATED_H

// SPDX-License-Identifier: Apache-2.0
//
// The elements that a shard computes from, fetched from where they are.

#ifndef SHARDSMITH_LIB_LOCALIZATION_NEIGHBOURS_H
#define SHARDSMITH_LIB_LOCALIZATION_NEIGHBOURS_H

#include "shardsmith/Localization/StableHLO.h"
#include "shardsmith/Sharding/HaloExchange.h"

namespace shardsmith::stablehlo {

/// What an op on one device reads along a dimension: `value` with `interior`
/// positions between its elements and `low` and `high` positions around them,
/// which may be negative. It reads all of that.
struct FetchedRange {
  mlir::Value value;
  int64_t low = 0, high = 0, interior = 0;
};

/// The exchange of an operand's dimension, or nothing if it is not split or
/// needs no neighbours.
std::optional<HaloExchange> findExchange(const LocalizeContext &context,
                                         unsigned operand, unsigned dim);

/// Fetches what the shard needs of an operand, along one dimension.
/// `localValue` is the operand, in which other dimensions may be fetched
/// already. Elements that do not exist are `fill`, a scalar.
FetchedRange fetchRange(mlir::ImplicitLocOpBuilder &builder,
                        const LocalizeContext &context, unsigned operand,
                        unsigned dim, const HaloExchange &exchange,
                        mlir::Value localValue, mlir::Value fill);

/// One number per shard of the axes: the number of this device's shard, as a
/// scalar of 32 bits if all numbers have them, else of 64.
mlir::Value createShardNumber(mlir::ImplicitLocOpBuilder &builder,
                              const LocalizeContext &context,
                              llvm::ArrayRef<MeshAxis> axes,
                              llvm::ArrayRef<int64_t> numbers);

/// `size` elements of a dimension from the start of this device's shard on,
/// which must all be inside.
mlir::Value sliceFrom(mlir::ImplicitLocOpBuilder &builder,
                      const LocalizeContext &context,
                      llvm::ArrayRef<MeshAxis> axes, mlir::Value value,
                      unsigned dim, llvm::ArrayRef<int64_t> starts,
                      int64_t size);

/// The same from one position on, for all devices.
mlir::Value sliceFrom(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
                      unsigned dim, int64_t start, int64_t size);

/// Pads one dimension; sizes may be negative.
mlir::Value padDimension(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
                         mlir::Value fill, unsigned dim, int64_t low,
                         int64_t high, int64_t interior = 0);

/// Zero of the element type of a tensor.
mlir::Value createZero(mlir::ImplicitLocOpBuilder &builder, mlir::Value like);

} // namespace shardsmith::stablehlo

#endif // SHARDSMITH_LIB_LOCALIZATION_NEIGHBOURS_H

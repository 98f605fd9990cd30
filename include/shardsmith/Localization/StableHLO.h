// SPDX-License-Identifier: Apache-2.0
//
// Local forms of stablehlo ops and of attention, and the values that local
// forms are made of.

#ifndef SHARDSMITH_LOCALIZATION_STABLEHLO_H
#define SHARDSMITH_LOCALIZATION_STABLEHLO_H

#include "shardsmith/Localization/LocalizeContext.h"

namespace shardsmith::stablehlo {

/// Attaches LocalizeInterface to the ops that need it.
void registerStableHLOLocalization(mlir::DialectRegistry &registry);

/// A tensor of this integer type filled with one value, wrapped to its width.
mlir::Value createSplat(mlir::ImplicitLocOpBuilder &builder,
                        mlir::RankedTensorType type, int64_t value);

/// True for a constant, or its broadcast, of nothing but neutral elements.
bool isNeutral(mlir::Value value, ReductionKind kind);

/// A tensor of this type filled with the neutral element of a reduction.
mlir::Value createNeutral(mlir::ImplicitLocOpBuilder &builder,
                          mlir::RankedTensorType type, ReductionKind kind);

/// Enlarges dimensions at their end to `shape`; the content is unspecified.
/// Returns `value` itself if it has the shape.
mlir::Value padTo(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
                  llvm::ArrayRef<int64_t> shape);

/// Cuts dimensions at their end to `shape`, or returns `value` itself.
mlir::Value cropTo(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
                   llvm::ArrayRef<int64_t> shape);

/// This device's part of `value`, dimension d of which is cut over `axes[d]`.
mlir::Value createShardSlice(mlir::ImplicitLocOpBuilder &builder,
                             const Mesh &mesh, ShardIndices &indices,
                             mlir::Value value, llvm::ArrayRef<AxisList> axes);

/// `shard index · size` as a scalar tensor of an integer type.
mlir::Value createShardOffset(mlir::ImplicitLocOpBuilder &builder,
                              mlir::Value shardIndex, int64_t size,
                              mlir::Type elementType);

/// True for every element of `type`, one shard of a tensor, whose position in
/// the whole tensor along `dim` is less than `size`.
mlir::Value createInside(mlir::ImplicitLocOpBuilder &builder,
                         mlir::RankedTensorType type, unsigned dim,
                         mlir::Value shardIndex, int64_t size);

/// `value` where the shard index is zero, the neutral element elsewhere. A
/// value that is neutral anyway is returned as it is.
mlir::Value keepOnFirstShard(mlir::ImplicitLocOpBuilder &builder,
                             mlir::Value value, mlir::Value shardIndex,
                             ReductionKind kind);

/// `value` with the padding of the dimensions that are split unevenly over a
/// reduction factor replaced by the neutral element.
///
///   positions: iota + shard offset;  select(positions < global size, value,
///   neutral)
mlir::Value maskReducedPadding(mlir::ImplicitLocOpBuilder &builder,
                               const LocalizeContext &context, unsigned operand,
                               mlir::Value value);

} // namespace shardsmith::stablehlo

#endif // SHARDSMITH_LOCALIZATION_STABLEHLO_H

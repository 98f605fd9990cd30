// SPDX-License-Identifier: Apache-2.0
//
// The body of a reduction, which combines scalars, applied to whole tensors.

#ifndef SHARDSMITH_LIB_LOWER_COMMON_WINDOWS_TENSORBODY_H
#define SHARDSMITH_LIB_LOWER_COMMON_WINDOWS_TENSORBODY_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Region.h"

namespace shardsmith::lower {

/// The first op of the body that does not compute element by element; null if
/// there is none and the body can be applied to tensors.
mlir::Operation *findNotElementwise(mlir::Region &body);

/// What the body returns for each element of `arguments`, tensors of one
/// shape. Scalars from outside of the body are broadcast.
///
/// Assumes that `findNotElementwise` found nothing.
llvm::SmallVector<mlir::Value> applyToTensors(mlir::OpBuilder &builder,
                                              mlir::Location location,
                                              mlir::Region &body,
                                              mlir::ValueRange arguments);

/// A scalar repeated to `shape`.
mlir::Value repeat(mlir::OpBuilder &builder, mlir::Location location,
                   mlir::Value scalar, llvm::ArrayRef<int64_t> shape);

/// A tensor of this shape and element type with `number` everywhere.
mlir::Value splat(mlir::OpBuilder &builder, mlir::Location location,
                  llvm::ArrayRef<int64_t> shape, mlir::Type element,
                  int64_t number);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LIB_LOWER_COMMON_WINDOWS_TENSORBODY_H

// SPDX-License-Identifier: Apache-2.0
//
// Regions that work on scalars: bodies of reductions and scatters, and
// comparators. Most are a single op and are recognised, so that a kernel can
// run them; the others are called scalar by scalar.

#ifndef SHARDSMITH_LIB_INTERPRETER_OPS_SCALARBODY_H
#define SHARDSMITH_LIB_INTERPRETER_OPS_SCALARBODY_H

#include "../Kernels/BinaryScalars.h"
#include "mlir/IR/Region.h"

#include <optional>

namespace shardsmith::inline interpreter {

/// The kind of a binary elementwise op.
std::optional<BinaryKind> binaryKindOf(mlir::Operation *op);

/// The kind of the fold that a region `(a, b) -> a op b` makes on elements of
/// its argument type; `(a, b) -> b op a` counts where the order is irrelevant.
std::optional<BinaryKind> foldOf(mlir::Region &region);

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_LIB_INTERPRETER_OPS_SCALARBODY_H

// SPDX-License-Identifier: Apache-2.0
//
// How large a model may be: the same for files of ops and for what options and
// configurations ask for, so that no count of elements, bytes or operations of
// the planner leaves 64 bits.

#ifndef SHARDSMITH_LIB_IMPORT_SIZELIMITS_H
#define SHARDSMITH_LIB_IMPORT_SIZELIMITS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace shardsmith {

/// Of one tensor.
inline constexpr int64_t mostElements = int64_t(1) << 56;
/// Sequences or images of one step, positions of a sequence, widths. Sizes
/// above this are mistakes; products of three of them fit 128 bits.
inline constexpr int64_t largestSize = int64_t(1) << 32;

/// Fails with a diagnostic at the first op or argument that has a tensor of
/// more than `mostElements`.
llvm::LogicalResult checkSizes(mlir::ModuleOp module);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_IMPORT_SIZELIMITS_H

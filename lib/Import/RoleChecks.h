// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_IMPORT_ROLECHECKS_H
#define SHARDSMITH_LIB_IMPORT_ROLECHECKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardsmith {

/// The roles; docs/architecture.md says what each of them means.
namespace roles {
inline constexpr llvm::StringLiteral param = "param";
inline constexpr llvm::StringLiteral state = "state";
inline constexpr llvm::StringLiteral batch = "batch";
inline constexpr llvm::StringLiteral constant = "constant";
inline constexpr llvm::StringLiteral loss = "loss";
inline constexpr llvm::StringLiteral output = "output";
} // namespace roles

/// A scalar of floating-point type.
bool isLossType(mlir::Type type);

/// Checks what the roles and names of arguments and results, all of which are
/// set, say together. That each attribute alone makes sense is checked by the
/// verifier of the smith dialect.
llvm::LogicalResult checkRoles(mlir::func::FuncOp main);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_IMPORT_ROLECHECKS_H

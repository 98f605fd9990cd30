// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DIALECT_SMITH_DERIVATIVEOPS_H
#define SHARDSMITH_DIALECT_SMITH_DERIVATIVEOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Interfaces/FactorRuleInterface.h"

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithDerivativeOps.h.inc"

namespace shardsmith::smith {

/// On a module: every derivative that differs from those of the ops is marked,
/// so that none needs to be guessed.
inline constexpr llvm::StringLiteral kDerivativesMarkedAttributeName =
    "smith.derivatives_marked";

/// Replaces the derivative ops inside `function` by the values they stand for.
void eraseDerivativeOps(mlir::func::FuncOp function);

/// The same for all `with_derivative` alone, and erases the functions of which
/// they speak: for those who want the values and not their derivatives.
void eraseCustomDerivatives(mlir::ModuleOp module);

/// Both, of a module that has been differentiated.
void eraseAllDerivativeOps(mlir::ModuleOp module);

} // namespace shardsmith::smith

#endif // SHARDSMITH_DIALECT_SMITH_DERIVATIVEOPS_H

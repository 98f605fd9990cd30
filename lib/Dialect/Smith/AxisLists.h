// SPDX-License-Identifier: Apache-2.0
//
// Lists of mesh axes in attributes: `{"a", "b"}`.

#ifndef SHARDSMITH_LIB_DIALECT_SMITH_AXISLISTS_H
#define SHARDSMITH_LIB_DIALECT_SMITH_AXISLISTS_H

#include "shardsmith/Dialect/Smith/Smith.h"

#include "llvm/ADT/StringSet.h"

namespace shardsmith::smith {

mlir::ParseResult parseAxes(mlir::AsmParser &parser, mlir::ArrayAttr &axes);
void printAxes(mlir::AsmPrinter &printer, mlir::ArrayAttr axes);

/// All are names, none of which is in `seen`, where they are put.
llvm::LogicalResult
verifyAxes(mlir::ArrayAttr axes, llvm::StringSet<> &seen,
           llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace shardsmith::smith

#endif // SHARDSMITH_LIB_DIALECT_SMITH_AXISLISTS_H

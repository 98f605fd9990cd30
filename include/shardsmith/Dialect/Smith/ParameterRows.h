// SPDX-License-Identifier: Apache-2.0
//
// A stacked parameter whose rows are on different stages is several arguments,
// each with some of its rows (docs/stages.md):
//
//     %a: tensor<60x8xf32>  {smith.name = "w[0:60]",
//                            smith.rows = array<i64: 0, 60, 200>}
//     %b: tensor<140x8xf32> {smith.name = "w[60:200]",
//                            smith.rows = array<i64: 60, 200, 200>}
//
// Files and initial values know the whole parameter alone: "w", 200 x 8.

#ifndef SHARDSMITH_DIALECT_SMITH_PARAMETERROWS_H
#define SHARDSMITH_DIALECT_SMITH_PARAMETERROWS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>

namespace shardsmith::smith {

inline constexpr llvm::StringLiteral kRowsAttributeName = "smith.rows";

/// Rows `begin` up to, but not including, `end` of a tensor with `whole` rows:
/// 0 ≤ begin < end ≤ whole.
struct ParameterRows {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t whole = 0;

  int64_t count() const { return end - begin; }
};

/// Nothing if the attribute does not say so, or is null.
std::optional<ParameterRows> readRows(mlir::Attribute attribute);

/// Nothing for an argument that is a tensor of its own.
std::optional<ParameterRows> rowsOfArgument(mlir::func::FuncOp function,
                                            unsigned index);

mlir::Attribute toAttribute(mlir::MLIRContext *context,
                            const ParameterRows &rows);

/// `w[0:60]`.
std::string nameOfRows(llvm::StringRef whole, const ParameterRows &rows);

/// `w` of `w[0:60]`; nothing for the name of other rows.
std::optional<std::string> nameOfWhole(llvm::StringRef name,
                                       const ParameterRows &rows);

} // namespace shardsmith::smith

#endif // SHARDSMITH_DIALECT_SMITH_PARAMETERROWS_H

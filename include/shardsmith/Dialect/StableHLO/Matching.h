// SPDX-License-Identifier: Apache-2.0
//
// Questions that everybody asks of constants, of reduction bodies and of
// products.

#ifndef SHARDSMITH_DIALECT_STABLEHLO_MATCHING_H
#define SHARDSMITH_DIALECT_STABLEHLO_MATCHING_H

#include "shardsmith/Interfaces/FactorRule.h"

#include <optional>

namespace mlir {
class Operation;
class Region;
class Value;
} // namespace mlir

namespace shardsmith::stablehlo {

class DotGeneralOp;

/// The binary op whose result a body `(a, b) -> return op(a, b)` returns, with
/// its two arguments in either order; null if the body is anything else.
mlir::Operation *matchCombiner(mlir::Region &body);

/// The reduction that `body` performs, if it is a plain one.
std::optional<ReductionKind> matchReduction(mlir::Region &body);

/// True for a body that returns its second argument: the new value replaces
/// the old one.
bool returnsSecondArgument(mlir::Region &body);

/// True if `value` is a constant whose elements are all zero, possibly
/// broadcast, converted, reshaped or transposed on the way.
bool isZero(mlir::Value value);
/// The same of one.
bool isOne(mlir::Value value);

/// Whether a product has no batch dimensions, and its numbers of rows, of
/// columns and of the elements of a sum are multiples, none of them zero.
bool hasSizesOf(DotGeneralOp dot, int64_t multiple);

} // namespace shardsmith::stablehlo

#endif // SHARDSMITH_DIALECT_STABLEHLO_MATCHING_H

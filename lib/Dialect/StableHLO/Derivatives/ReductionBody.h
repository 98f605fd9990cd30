// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_DIALECT_STABLEHLO_DERIVATIVES_REDUCTIONBODY_H
#define SHARDSMITH_LIB_DIALECT_STABLEHLO_DERIVATIVES_REDUCTIONBODY_H

#include "mlir/IR/Region.h"

namespace shardsmith {

/// What a region that combines two scalars computes.
enum class BodyKind {
  sum,
  product,
  maximum,
  minimum,
  replacement, // returns its second argument
  other,
};

/// Recognises bodies that return a single op on both block arguments, or one
/// of the arguments.
BodyKind classifyBody(mlir::Region &body);

/// True for constants, also broadcast ones.
bool isConstantStart(mlir::Value init);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_DIALECT_STABLEHLO_DERIVATIVES_REDUCTIONBODY_H

// SPDX-License-Identifier: Apache-2.0
//
// Loops in straight-line code (docs/loops.md).

#ifndef SHARDSMITH_DIALECT_SMITH_LOOPOPS_H
#define SHARDSMITH_DIALECT_SMITH_LOOPOPS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Interfaces/CostInterface.h"
#include "shardsmith/Interfaces/FactorRuleInterface.h"

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithLoopOps.h.inc"

namespace shardsmith::smith {

/// The loop that an op marks; nothing for ops that are no markers.
std::optional<int64_t> getMarkedLoop(mlir::Operation *op);

/// Whether a block has loops.
bool hasLoops(mlir::Block &block);

/// Whether this is the type of a value that can decide a loop.
bool isBoolean(mlir::Type type);

/// A number that no loop of the block has.
int64_t getFreeLoopNumber(mlir::Block &block);

/// Erases what goes around a loop and is read by nothing else: a value that
/// only its own next iteration needs, with everything that makes it.
void eraseDeadCarries(mlir::Block &block);

} // namespace shardsmith::smith

#endif // SHARDSMITH_DIALECT_SMITH_LOOPOPS_H

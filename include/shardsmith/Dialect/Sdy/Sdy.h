// SPDX-License-Identifier: Apache-2.0
//
// Meshes, shardings and collectives on global types. See docs/dialects/sdy.md.

#ifndef SHARDSMITH_DIALECT_SDY_SDY_H
#define SHARDSMITH_DIALECT_SDY_SDY_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "shardsmith/Interfaces/FactorRule.h"

#include <optional>

#include "shardsmith/Dialect/Sdy/SdyDialect.h.inc"
#include "shardsmith/Dialect/Sdy/SdyEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "shardsmith/Dialect/Sdy/SdyAttributes.h.inc"

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Sdy/SdyOps.h.inc"

namespace shardsmith::sdy {

/// Name of the discardable attribute that holds shardings.
inline constexpr llvm::StringLiteral kShardingAttributeName = "sdy.sharding";

/// The sharding of an argument of a function, loop or manual computation, of a
/// result of an op of this dialect, or of another op's result by its
/// `sdy.sharding`. Null if it has none.
TensorShardingAttr getSharding(mlir::Value value);

/// Sets the sharding of a function argument or op result. Values of ops of
/// this dialect have their sharding in the op and must not be set.
void setSharding(mlir::Value value, TensorShardingAttr sharding);

/// Sets the shardings of all arguments of a function at once, which takes time
/// and memory for each of them only once.
void setArgumentShardings(mlir::FunctionOpInterface function,
                          llvm::ArrayRef<TensorShardingAttr> shardings);

/// The sharding of a function's result, null if it has none.
TensorShardingAttr getResultSharding(mlir::Operation *function, unsigned index);
void setResultSharding(mlir::Operation *function, unsigned index,
                       TensorShardingAttr sharding);

/// Checks `sharding` against its mesh (found from `from`) and the type of the
/// tensor it describes. `what` names the place in the diagnostic.
llvm::LogicalResult verifySharding(TensorShardingAttr sharding, mlir::Type type,
                                   mlir::Operation *from,
                                   const llvm::Twine &what);

} // namespace shardsmith::sdy

#endif // SHARDSMITH_DIALECT_SDY_SDY_H

// SPDX-License-Identifier: Apache-2.0
//
// Roles, planner decisions and the local program. See docs/dialects/smith.md.

#ifndef SHARDSMITH_DIALECT_SMITH_SMITH_H
#define SHARDSMITH_DIALECT_SMITH_SMITH_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "shardsmith/Dialect/Sdy/Sdy.h"

#include "shardsmith/Dialect/Smith/SmithDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "shardsmith/Dialect/Smith/SmithAttributes.h.inc"

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithOps.h.inc"

namespace shardsmith::smith {

inline constexpr llvm::StringLiteral kRoleAttributeName = "smith.role";
inline constexpr llvm::StringLiteral kNameAttributeName = "smith.name";
inline constexpr llvm::StringLiteral kInitAttributeName = "smith.init";
inline constexpr llvm::StringLiteral kBatchDimAttributeName = "smith.batch_dim";
inline constexpr llvm::StringLiteral kLimitAttributeName = "smith.limit";
inline constexpr llvm::StringLiteral kGlobalShapeAttributeName =
    "smith.global_shape";
inline constexpr llvm::StringLiteral kModelHashAttributeName =
    "smith.model_hash";
inline constexpr llvm::StringLiteral kFactorAxesAttributeName =
    "smith.factor_axes";
inline constexpr llvm::StringLiteral kPartsAttributeName = "smith.parts";
inline constexpr llvm::StringLiteral kSplitAttributeName = "smith.split";
inline constexpr llvm::StringLiteral kStageAttributeName = "smith.stage";
/// On ops of the backward pass, whose stage is that of the op they are the
/// derivative of.
inline constexpr llvm::StringLiteral kBackwardAttributeName = "smith.backward";
/// On a module: what each rank does in which order, as a table of
/// shardsmith/Schedule/ScheduleTable.h.
inline constexpr llvm::StringLiteral kScheduleAttributeName = "smith.schedule";
/// On the program of ranks with one coordinate along the axis of stages.
inline constexpr llvm::StringLiteral kCoordinateAttributeName =
    "smith.coordinate";
/// On arguments and results of such a function: their number in `@main`.
inline constexpr llvm::StringLiteral kPositionAttributeName = "smith.position";
/// The axis of a mesh along which ranks have different stages.
inline constexpr llvm::StringLiteral kPipelineAxisName = "pipeline";
inline constexpr llvm::StringLiteral kUnitAttributeName = "smith.unit";
/// On ops of a forward graph: the call of `@main` that they come from.
inline constexpr llvm::StringLiteral kCallAttributeName = "smith.call";
inline constexpr llvm::StringLiteral kRecomputeAttributeName =
    "smith.recompute";

/// The mesh of the program `op` is in: the only `sdy.mesh` of its module.
/// Null if there is none or more than one.
sdy::MeshAttr getMesh(mlir::Operation *op);

/// Product of the sizes of axes, all of which `mesh` must have.
int64_t getGroupSize(sdy::MeshAttr mesh, mlir::ArrayAttr axes);

} // namespace shardsmith::smith

#endif // SHARDSMITH_DIALECT_SMITH_SMITH_H

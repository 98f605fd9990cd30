// SPDX-License-Identifier: Apache-2.0
// Everything of the stablehlo dialect: ops, attributes, types, enumerations.

#ifndef SHARDSMITH_DIALECT_STABLEHLO_STABLEHLO_H
#define SHARDSMITH_DIALECT_STABLEHLO_STABLEHLO_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "shardsmith/Dialect/StableHLO/Traits.h"
#include "shardsmith/Dialect/StableHLO/TypeInference.h"

#include "shardsmith/Dialect/StableHLO/Dialect.h.inc"
#include "shardsmith/Dialect/StableHLO/Enums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "shardsmith/Dialect/StableHLO/Types.h.inc"

#define GET_ATTRDEF_CLASSES
#include "shardsmith/Dialect/StableHLO/Attributes.h.inc"

#define GET_OP_CLASSES
#include "shardsmith/Dialect/StableHLO/Ops.h.inc"

#endif // SHARDSMITH_DIALECT_STABLEHLO_STABLEHLO_H

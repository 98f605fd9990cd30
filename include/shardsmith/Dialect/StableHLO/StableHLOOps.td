// SPDX-License-Identifier: Apache-2.0
// All definitions of the dialect.

#ifndef SHARDSMITH_DIALECT_STABLEHLO_STABLEHLOOPS_TD
#define SHARDSMITH_DIALECT_STABLEHLO_STABLEHLOOPS_TD

include "shardsmith/Dialect/StableHLO/CollectiveOps.td"
include "shardsmith/Dialect/StableHLO/ControlFlowOps.td"
include "shardsmith/Dialect/StableHLO/DynamicShapeOps.td"
include "shardsmith/Dialect/StableHLO/ElementwiseBinaryOps.td"
include "shardsmith/Dialect/StableHLO/ElementwiseUnaryOps.td"
include "shardsmith/Dialect/StableHLO/ExtensionOps.td"
include "shardsmith/Dialect/StableHLO/IndexingOps.td"
include "shardsmith/Dialect/StableHLO/RandomOps.td"
include "shardsmith/Dialect/StableHLO/ShapeOps.td"
include "shardsmith/Dialect/StableHLO/StructuredOps.td"

#endif

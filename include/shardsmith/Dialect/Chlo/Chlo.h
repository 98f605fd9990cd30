// SPDX-License-Identifier: Apache-2.0
// Everything of the chlo dialect.

#ifndef SHARDSMITH_DIALECT_CHLO_CHLO_H
#define SHARDSMITH_DIALECT_CHLO_CHLO_H

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include "shardsmith/Dialect/Chlo/Dialect.h.inc"
#include "shardsmith/Dialect/Chlo/Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "shardsmith/Dialect/Chlo/Attributes.h.inc"

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Chlo/Ops.h.inc"

#endif // SHARDSMITH_DIALECT_CHLO_CHLO_H

// SPDX-License-Identifier: Apache-2.0
//
// The product that is added to a sum where it lies.

#ifndef SHARDSMITH_DIALECT_SMITH_ADDGEMMOP_H
#define SHARDSMITH_DIALECT_SMITH_ADDGEMMOP_H

#include "shardsmith/Dialect/Smith/Smith.h"

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithAddGemmOp.h.inc"

#endif // SHARDSMITH_DIALECT_SMITH_ADDGEMMOP_H

// SPDX-License-Identifier: Apache-2.0
//
// Factors of matrices.

#ifndef SHARDSMITH_DIALECT_SMITH_MATRIXOPS_H
#define SHARDSMITH_DIALECT_SMITH_MATRIXOPS_H

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Interfaces/CostInterface.h"
#include "shardsmith/Interfaces/FactorRuleInterface.h"

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithMatrixOps.h.inc"

#endif // SHARDSMITH_DIALECT_SMITH_MATRIXOPS_H

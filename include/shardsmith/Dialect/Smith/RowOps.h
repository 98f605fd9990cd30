// SPDX-License-Identifier: Apache-2.0
//
// Rows of tokens on their way to the ranks of their experts and back.

#ifndef SHARDSMITH_DIALECT_SMITH_ROWOPS_H
#define SHARDSMITH_DIALECT_SMITH_ROWOPS_H

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Interfaces/CostInterface.h"
#include "shardsmith/Interfaces/DifferentiableInterface.h"
#include "shardsmith/Interfaces/FactorRuleInterface.h"
#include "shardsmith/Interfaces/PositionOrderInterface.h"

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithRowOps.h.inc"

#endif // SHARDSMITH_DIALECT_SMITH_ROWOPS_H

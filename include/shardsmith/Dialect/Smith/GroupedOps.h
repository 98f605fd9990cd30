// SPDX-License-Identifier: Apache-2.0
//
// Products of rows with one of several matrices.

#ifndef SHARDSMITH_DIALECT_SMITH_GROUPEDOPS_H
#define SHARDSMITH_DIALECT_SMITH_GROUPEDOPS_H

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Interfaces/CostInterface.h"
#include "shardsmith/Interfaces/DifferentiableInterface.h"
#include "shardsmith/Interfaces/FactorRuleInterface.h"

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithGroupedOps.h.inc"

#endif // SHARDSMITH_DIALECT_SMITH_GROUPEDOPS_H

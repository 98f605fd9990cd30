// SPDX-License-Identifier: Apache-2.0
//
// Ops that count positions. All others do the same at each position, or do not,
// as their factor rules say.

#ifndef SHARDSMITH_INTERFACES_POSITIONORDERINTERFACE_H
#define SHARDSMITH_INTERFACES_POSITIONORDERINTERFACE_H

#include "mlir/IR/OpDefinition.h"
#include "shardsmith/Interfaces/FactorRule.h"

#include "shardsmith/Interfaces/PositionOrderInterface.h.inc"

#endif // SHARDSMITH_INTERFACES_POSITIONORDERINTERFACE_H

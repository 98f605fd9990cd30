// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_INTERFACES_FACTORRULEINTERFACE_H
#define SHARDSMITH_INTERFACES_FACTORRULEINTERFACE_H

#include "mlir/IR/OpDefinition.h"
#include "shardsmith/Interfaces/FactorRule.h"

#include "shardsmith/Interfaces/FactorRuleInterface.h.inc"

#endif // SHARDSMITH_INTERFACES_FACTORRULEINTERFACE_H

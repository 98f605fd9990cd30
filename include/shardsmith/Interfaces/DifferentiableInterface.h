// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_INTERFACES_DIFFERENTIABLEINTERFACE_H
#define SHARDSMITH_INTERFACES_DIFFERENTIABLEINTERFACE_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"

#include "shardsmith/Interfaces/DifferentiableInterface.h.inc"

#endif // SHARDSMITH_INTERFACES_DIFFERENTIABLEINTERFACE_H

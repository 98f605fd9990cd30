// SPDX-License-Identifier: Apache-2.0
//
// Values that are rounded to floats of eight bits for products.

#ifndef SHARDSMITH_DIALECT_SMITH_QUANTIZEOP_H
#define SHARDSMITH_DIALECT_SMITH_QUANTIZEOP_H

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Interfaces/DifferentiableInterface.h"

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithQuantizeOp.h.inc"

#endif // SHARDSMITH_DIALECT_SMITH_QUANTIZEOP_H

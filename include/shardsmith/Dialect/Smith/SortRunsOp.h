// SPDX-License-Identifier: Apache-2.0
//
// One step of sorting lines that are too long for one block of threads.

#ifndef SHARDSMITH_DIALECT_SMITH_SORTRUNSOP_H
#define SHARDSMITH_DIALECT_SMITH_SORTRUNSOP_H

#include "shardsmith/Dialect/Smith/Smith.h"

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithSortRunsOp.h.inc"

#endif // SHARDSMITH_DIALECT_SMITH_SORTRUNSOP_H

// SPDX-License-Identifier: Apache-2.0
//
// Each file of this folder holds the costs of one family of ops and one
// function that attaches them.

#ifndef SHARDSMITH_DIALECT_STABLEHLO_COSTS_COSTS_H
#define SHARDSMITH_DIALECT_STABLEHLO_COSTS_COSTS_H

#include "shardsmith/Interfaces/WorkModel.h"

namespace shardsmith::stablehlo {

void attachElementwiseCosts(mlir::MLIRContext *context);
void attachHeavyCosts(mlir::MLIRContext *context);
void attachMovementCosts(mlir::MLIRContext *context);

} // namespace shardsmith::stablehlo

#endif // SHARDSMITH_DIALECT_STABLEHLO_COSTS_COSTS_H

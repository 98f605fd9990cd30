// SPDX-License-Identifier: Apache-2.0
// One function per family of ops, each in the file of its name.

#ifndef SHARDSMITH_LIB_DIALECT_CHLO_DERIVATIVES_FAMILIES_H
#define SHARDSMITH_LIB_DIALECT_CHLO_DERIVATIVES_FAMILIES_H

#include "shardsmith/Dialect/StableHLO/DerivativeModels.h"

namespace shardsmith {

void attachChloElementwiseDerivatives(mlir::MLIRContext *context);
void attachChloStructuredDerivatives(mlir::MLIRContext *context);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_DIALECT_CHLO_DERIVATIVES_FAMILIES_H

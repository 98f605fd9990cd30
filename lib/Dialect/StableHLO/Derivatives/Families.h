// SPDX-License-Identifier: Apache-2.0
// One function per family of ops, each in the file of its name.

#ifndef SHARDSMITH_LIB_DIALECT_STABLEHLO_DERIVATIVES_FAMILIES_H
#define SHARDSMITH_LIB_DIALECT_STABLEHLO_DERIVATIVES_FAMILIES_H

#include "shardsmith/Dialect/StableHLO/DerivativeModels.h"

namespace shardsmith {

void attachElementwiseUnaryDerivatives(mlir::MLIRContext *context);
void attachElementwiseBinaryDerivatives(mlir::MLIRContext *context);
void attachSelectionDerivatives(mlir::MLIRContext *context);
void attachShapeDerivatives(mlir::MLIRContext *context);
void attachSliceDerivatives(mlir::MLIRContext *context);
void attachDotDerivatives(mlir::MLIRContext *context);
void attachReduceDerivatives(mlir::MLIRContext *context);
void attachWindowDerivatives(mlir::MLIRContext *context);
void attachConvolutionDerivatives(mlir::MLIRContext *context);
void attachGatherDerivatives(mlir::MLIRContext *context);
void attachScatterDerivatives(mlir::MLIRContext *context);
void attachLinearAlgebraDerivatives(mlir::MLIRContext *context);
void attachSortDerivatives(mlir::MLIRContext *context);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_DIALECT_STABLEHLO_DERIVATIVES_FAMILIES_H

// SPDX-License-Identifier: Apache-2.0
//
// Each file of this folder holds the rules of one family of ops and one
// function that attaches them.

#ifndef SHARDSMITH_DIALECT_STABLEHLO_FACTORRULES_FAMILIES_H
#define SHARDSMITH_DIALECT_STABLEHLO_FACTORRULES_FAMILIES_H

#include "shardsmith/Interfaces/FactorRuleModel.h"

namespace shardsmith::stablehlo {

void attachBatchwiseFactorRules(mlir::MLIRContext *context);
void attachContractionFactorRules(mlir::MLIRContext *context);
void attachElementwiseFactorRules(mlir::MLIRContext *context);
void attachIndexingFactorRules(mlir::MLIRContext *context);
void attachShapeFactorRules(mlir::MLIRContext *context);

/// A number of a list that has one for each dimension, and where there is no
/// list 1: of strides and dilations.
inline int64_t numberAt(std::optional<llvm::ArrayRef<int64_t>> values,
                        size_t dim) {
  return values ? (*values)[dim] : 1;
}

} // namespace shardsmith::stablehlo

#endif // SHARDSMITH_DIALECT_STABLEHLO_FACTORRULES_FAMILIES_H

// SPDX-License-Identifier: Apache-2.0
//
// A model of LocalizeInterface made from one function.

#ifndef SHARDSMITH_LIB_LOCALIZATION_LOCALIZEMODEL_H
#define SHARDSMITH_LIB_LOCALIZATION_LOCALIZEMODEL_H

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interfaces/LocalizeInterface.h"
#include "shardsmith/Localization/StableHLO.h"

namespace shardsmith::stablehlo {

/// `build` returns the values that replace the op's results.
template <typename OpT, llvm::SmallVector<mlir::Value> (*build)(
                            OpT, mlir::ImplicitLocOpBuilder &,
                            const LocalizeContext &, mlir::ValueRange)>
struct LocalizeModel
    : LocalizeInterface::ExternalModel<LocalizeModel<OpT, build>, OpT> {
  llvm::LogicalResult
  localize(mlir::Operation *op, mlir::ImplicitLocOpBuilder &builder,
           const LocalizeContext &context, mlir::ValueRange operands,
           llvm::SmallVectorImpl<mlir::Value> &results) const {
    results.append(build(mlir::cast<OpT>(op), builder, context, operands));
    return mlir::success();
  }

  static void attach(mlir::MLIRContext *context) {
    OpT::template attachInterface<LocalizeModel>(*context);
  }
};

/// Type of the only result on one device.
inline mlir::RankedTensorType
getLocalResultType(const LocalizeContext &context) {
  return mlir::cast<mlir::RankedTensorType>(context.getLocalResultType(0));
}

void attachAttentionLocalization(mlir::MLIRContext *context);
void attachDynamicSliceLocalization(mlir::MLIRContext *context);
void attachGeneratorLocalization(mlir::MLIRContext *context);
void attachIndexingLocalization(mlir::MLIRContext *context);
void attachReductionLocalization(mlir::MLIRContext *context);
void attachRowLocalization(mlir::MLIRContext *context);
void attachSlicingLocalization(mlir::MLIRContext *context);
void attachWindowLocalization(mlir::MLIRContext *context);

} // namespace shardsmith::stablehlo

#endif // SHARDSMITH_LIB_LOCALIZATION_LOCALIZEMODEL_H

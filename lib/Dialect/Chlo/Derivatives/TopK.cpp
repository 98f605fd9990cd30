// SPDX-License-Identifier: Apache-2.0
// Derivative of top_k: the cotangents of the values go back to their indices.

#include "Families.h"

#include "shardsmith/Dialect/Chlo/Chlo.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace shardsmith {
namespace {

struct TopKModel
    : DifferentiableInterface::ExternalModel<TopKModel, chlo::TopKOp> {
  LogicalResult buildDerivative(Operation *op, ImplicitLocOpBuilder &builder,
                                ArrayRef<Value> resultCotangents,
                                Cotangents &operandCotangents) const {
    operandCotangents.assign(1, nullptr);
    Value g = resultCotangents.front();
    if (!g)
      return success();

    auto operandType = cast<RankedTensorType>(op->getOperand(0).getType());
    int64_t last = operandType.getRank() - 1;
    auto rows = llvm::to_vector(llvm::seq<int64_t>(0, last));
    auto numbers = stablehlo::ScatterDimensionNumbersAttr::get(
        builder.getContext(), /*updateWindowDims=*/{},
        /*insertedWindowDims=*/{last}, /*inputBatchingDims=*/rows,
        /*scatterIndicesBatchingDims=*/rows,
        /*scatterDimsToOperandDims=*/{last},
        /*indexVectorDim=*/operandType.getRank());
    Value zero = filled(builder, operandType, 0.0);
    auto scatter = stablehlo::ScatterOp::create(
        builder, TypeRange{operandType}, ValueRange{zero}, op->getResult(1),
        ValueRange{g}, numbers, /*indices_are_sorted=*/
        builder.getBoolAttr(false),
        /*unique_indices=*/builder.getBoolAttr(true));
    buildScalarBody<stablehlo::AddOp>(builder, scatter.getUpdateComputation(),
                                      operandType.getElementType());
    operandCotangents[0] = scatter->getResult(0);
    return success();
  }
};

} // namespace

void attachChloTopKDerivative(MLIRContext *context) {
  chlo::TopKOp::attachInterface<TopKModel>(*context);
}

} // namespace shardsmith

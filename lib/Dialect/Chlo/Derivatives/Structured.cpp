// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of ops that sum or select. Of ragged_dot, a product per group of
// rows, y = x[group] w[group]:
//
//     dx = dy[group] w[group]ᵀ      rows in the same groups
//     dw[group] = x[group]ᵀ dy[group]      summed over the rows of a group
//
// Of top_k the cotangents of the values go back to their indices.

#include "Families.h"

#include "shardsmith/Dialect/Chlo/Chlo.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace shardsmith {
namespace {

/// The dimension of a rank-3 right side that is neither of the two.
int64_t remainingOf(int64_t group, int64_t contracted) {
  return 0 + 1 + 2 - group - contracted;
}

/// What a plain grouped product multiplies: rows [m, k] in either order by
/// matrices with dimensions group, k and n in any order.
struct GroupedProduct {
  /// Dimension of lhs that holds the rows, and the one that is summed over.
  int64_t rows, lhsContracted;
  int64_t group, rhsContracted, rhsFree;

  static std::optional<GroupedProduct> of(chlo::RaggedDotOp op) {
    auto numbers = op.getRaggedDotDimensionNumbers();
    bool isPlain = op.getLhs().getType().getRank() == 2 &&
                   op.getRhs().getType().getRank() == 3 &&
                   numbers.getLhsBatchingDimensions().empty() &&
                   numbers.getLhsContractingDimensions().size() == 1 &&
                   numbers.getRhsGroupDimensions().size() == 1;
    if (!isPlain)
      return std::nullopt;
    int64_t group = numbers.getRhsGroupDimensions().front();
    int64_t rhsContracted = numbers.getRhsContractingDimensions().front();
    return GroupedProduct{numbers.getLhsRaggedDimensions().front(),
                          numbers.getLhsContractingDimensions().front(), group,
                          rhsContracted, remainingOf(group, rhsContracted)};
  }
};

struct RaggedDotModel
    : DifferentiableInterface::ExternalModel<RaggedDotModel,
                                             chlo::RaggedDotOp> {
  LogicalResult buildDerivative(Operation *op, ImplicitLocOpBuilder &builder,
                                ArrayRef<Value> resultCotangents,
                                Cotangents &operandCotangents) const {
    operandCotangents.assign(3, nullptr);
    Value g = resultCotangents.front();
    if (!g)
      return success();
    auto dot = cast<chlo::RaggedDotOp>(op);
    std::optional<GroupedProduct> product = GroupedProduct::of(dot);
    if (!product)
      return op->emitError("unsupported: no derivative for a ragged_dot other "
                           "than rows [m, k] by matrices [groups, k, n]");
    operandCotangents[0] = cotangentOfRows(dot, *product, builder, g);
    operandCotangents[1] = cotangentOfMatrices(dot, *product, builder, g);
    return success();
  }

private:
  static Value cotangentOfRows(chlo::RaggedDotOp op,
                               const GroupedProduct &product,
                               ImplicitLocOpBuilder &builder, Value g) {
    auto numbers = chlo::RaggedDotDimensionNumbersAttr::get(
        builder.getContext(), {}, {}, /*lhsContractingDimensions=*/{1},
        /*rhsContractingDimensions=*/{product.rhsFree},
        /*lhsRaggedDimensions=*/{0},
        /*rhsGroupDimensions=*/{product.group});
    RankedTensorType type = op.getLhs().getType();
    auto rowsFirst = RankedTensorType::get(
        {type.getDimSize(product.rows), type.getDimSize(product.lhsContracted)},
        type.getElementType());
    Value dx = chlo::RaggedDotOp::create(builder, rowsFirst, g, op.getRhs(),
                                         op.getGroupSizes(), numbers,
                                         op.getPrecisionConfigAttr());
    return transpose({builder, dx}, {product.rows, product.lhsContracted});
  }

  static Value cotangentOfMatrices(chlo::RaggedDotOp op,
                                   const GroupedProduct &product,
                                   ImplicitLocOpBuilder &builder, Value g) {
    auto numbers = chlo::RaggedDotDimensionNumbersAttr::get(
        builder.getContext(), {}, {},
        /*lhsContractingDimensions=*/{product.rows},
        /*rhsContractingDimensions=*/{0},
        /*lhsRaggedDimensions=*/{product.rows}, /*rhsGroupDimensions=*/{});
    RankedTensorType type = op.getRhs().getType();
    auto groupFirst = RankedTensorType::get(
        {type.getDimSize(product.group), type.getDimSize(product.rhsContracted),
         type.getDimSize(product.rhsFree)},
        type.getElementType());
    Value dw = chlo::RaggedDotOp::create(builder, groupFirst, op.getLhs(), g,
                                         op.getGroupSizes(), numbers,
                                         op.getPrecisionConfigAttr());
    SmallVector<int64_t, 3> permutation(3);
    permutation[product.group] = 0;
    permutation[product.rhsContracted] = 1;
    permutation[product.rhsFree] = 2;
    return transpose({builder, dw}, permutation);
  }
};

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

void attachChloStructuredDerivatives(MLIRContext *context) {
  chlo::RaggedDotOp::attachInterface<RaggedDotModel>(*context);
  chlo::TopKOp::attachInterface<TopKModel>(*context);
}

} // namespace shardsmith

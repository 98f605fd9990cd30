// SPDX-License-Identifier: Apache-2.0
// Derivatives of ops that move or repeat elements.

#include "Families.h"
#include "Repeated.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {
namespace {

/// An element that was repeated collects the cotangents of its copies.
///
///     operand [n, 1] -> dims = [2, 0] -> result [k, m, n]
///     sum over k (expanded from 1) and m (new): [n], then reshape to [n, 1]
LogicalResult deriveBroadcastInDim(BroadcastInDimOp op, TensorValue g,
                                   Cotangents &cotangents) {
  ArrayRef<int64_t> operandShape = op.getOperand().getType().getShape();
  ArrayRef<int64_t> dimensions = op.getBroadcastDimensions();
  SmallVector<int64_t> repeated(g.shape());
  for (auto [size, dimension] : llvm::zip_equal(operandShape, dimensions))
    if (size == g.shape()[dimension])
      repeated[dimension] = 1;

  SmallVector<int64_t> summed, kept, keptShape;
  for (auto [index, count] : llvm::enumerate(repeated)) {
    int64_t dimension = index;
    if (count != 1)
      summed.push_back(dimension);
    else if (llvm::is_contained(dimensions, dimension)) {
      kept.push_back(dimension);
      keptShape.push_back(g.shape()[dimension]);
    }
  }
  TensorValue collected = reshape(sumFactored(g, summed), keptShape);

  // From the result's order of dimensions to the operand's.
  SmallVector<int64_t> permutation;
  for (int64_t dimension : dimensions)
    if (!llvm::is_contained(summed, dimension))
      permutation.push_back(llvm::find(kept, dimension) - kept.begin());
  cotangents[0] = reshape(transpose(collected, permutation), operandShape);
  return success();
}

LogicalResult deriveTranspose(TransposeOp op, TensorValue g,
                              Cotangents &cotangents) {
  ArrayRef<int64_t> permutation = op.getPermutation();
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [target, source] : llvm::enumerate(permutation))
    inverse[source] = target;
  cotangents[0] = transpose(g, inverse);
  return success();
}

LogicalResult deriveReverse(ReverseOp op, TensorValue g,
                            Cotangents &cotangents) {
  cotangents[0] = ReverseOp::create(g.builder(), g.value(), op.getDimensions());
  return success();
}

/// The barrier holds for the backward pass too: cotangents that exist cross it
/// together.
struct BarrierModel
    : DifferentiableInterface::ExternalModel<BarrierModel,
                                             OptimizationBarrierOp> {
  LogicalResult buildDerivative(Operation *op, ImplicitLocOpBuilder &builder,
                                ArrayRef<Value> resultCotangents,
                                Cotangents &operandCotangents) const {
    operandCotangents.assign(op->getNumOperands(), nullptr);
    SmallVector<Value> present;
    for (Value cotangent : resultCotangents)
      if (cotangent)
        present.push_back(cotangent);
    auto barrier = OptimizationBarrierOp::create(
        builder, ValueRange(present).getTypes(), present);
    auto next = barrier->result_begin();
    for (auto [cotangent, target] :
         llvm::zip_equal(resultCotangents, operandCotangents))
      if (cotangent)
        target = *next++;
    return success();
  }
};

} // namespace

void attachShapeDerivatives(MLIRContext *context) {
  attachDerivative<BroadcastInDimOp>(
      context, [](auto op, TensorValue g, Cotangents &dx) {
        return deriveBroadcastInDim(op, g, dx);
      });
  attachDerivative<ReshapeOp>(
      context, [](ReshapeOp op, TensorValue g, Cotangents &dx) {
        dx[0] = reshape(g, op.getOperand().getType().getShape());
        return success();
      });
  attachDerivative<TransposeOp>(context,
                                [](auto op, TensorValue g, Cotangents &dx) {
                                  return deriveTranspose(op, g, dx);
                                });
  attachDerivative<ReverseOp>(context,
                              [](auto op, TensorValue g, Cotangents &dx) {
                                return deriveReverse(op, g, dx);
                              });
  OptimizationBarrierOp::attachInterface<BarrierModel>(*context);
}

} // namespace shardsmith

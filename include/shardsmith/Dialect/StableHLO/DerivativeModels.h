// SPDX-License-Identifier: Apache-2.0
// How a derivative is attached to an op: as a formula for element-by-element
// ops, as a function for ops with one result, as a model class otherwise.

#ifndef SHARDSMITH_DIALECT_STABLEHLO_DERIVATIVEMODELS_H
#define SHARDSMITH_DIALECT_STABLEHLO_DERIVATIVEMODELS_H

#include "shardsmith/Dialect/StableHLO/TensorValue.h"
#include "shardsmith/Interfaces/DifferentiableInterface.h"

namespace shardsmith {

/// Cotangents of an op's operands, null until built.
using Cotangents = llvm::SmallVectorImpl<mlir::Value>;

/// Calls `Derive{}(op, cotangent, operandCotangents)`, which returns a
/// LogicalResult, when the only result has a cotangent. Ops that may have
/// several results (reductions and scatters of several tensors together) have
/// a derivative only where they have one.
template <typename OpTy, typename Derive>
struct SingleResultModel
    : DifferentiableInterface::ExternalModel<SingleResultModel<OpTy, Derive>,
                                             OpTy> {
  llvm::LogicalResult
  buildDerivative(mlir::Operation *op, mlir::ImplicitLocOpBuilder &builder,
                  llvm::ArrayRef<mlir::Value> resultCotangents,
                  Cotangents &operandCotangents) const {
    operandCotangents.assign(op->getNumOperands(), nullptr);
    if (llvm::none_of(resultCotangents, [](mlir::Value v) { return bool(v); }))
      return llvm::success();
    if (op->getNumResults() != 1)
      return op->emitError("unsupported: no derivative for '")
             << op->getName() << "' of several tensors together";
    TensorValue cotangent(builder, resultCotangents.front());
    return Derive{}(llvm::cast<OpTy>(op), cotangent, operandCotangents);
  }
};

/// `derive`: (OpTy op, TensorValue cotangent, Cotangents &) -> LogicalResult.
template <typename OpTy, typename Derive>
void attachDerivative(mlir::MLIRContext *context, Derive) {
  OpTy::template attachInterface<SingleResultModel<OpTy, Derive>>(*context);
}

/// `formula`: (g, x, y) -> dx for y = f(x).
template <typename OpTy, typename Formula>
void attachUnary(mlir::MLIRContext *context, Formula) {
  attachDerivative<OpTy>(
      context, [](OpTy op, TensorValue g, Cotangents &operandCotangents) {
        TensorValue x(g.builder(), op->getOperand(0));
        TensorValue y(g.builder(), op->getResult(0));
        operandCotangents[0] = Formula{}(g, x, y);
        return llvm::success();
      });
}

/// `formula`: (g, x, y, z) -> {dx, dy} for z = f(x, y).
template <typename OpTy, typename Formula>
void attachBinary(mlir::MLIRContext *context, Formula) {
  attachDerivative<OpTy>(
      context, [](OpTy op, TensorValue g, Cotangents &operandCotangents) {
        TensorValue x(g.builder(), op->getOperand(0));
        TensorValue y(g.builder(), op->getOperand(1));
        TensorValue z(g.builder(), op->getResult(0));
        auto [dx, dy] = Formula{}(g, x, y, z);
        operandCotangents[0] = dx;
        operandCotangents[1] = dy;
        return llvm::success();
      });
}

/// For ops that are constant wherever they are differentiable.
template <typename OpTy> void attachZeroDerivative(mlir::MLIRContext *context) {
  attachDerivative<OpTy>(
      context, [](OpTy, TensorValue, Cotangents &) { return llvm::success(); });
}

/// True for tensors of real floats, the only ones that have cotangents.
inline bool hasCotangent(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && llvm::isa<mlir::FloatType>(type.getElementType());
}

} // namespace shardsmith

#endif // SHARDSMITH_DIALECT_STABLEHLO_DERIVATIVEMODELS_H

// SPDX-License-Identifier: Apache-2.0
//
// What translations build graphs with. Every function checks that its operands
// fit and throws Failure where they do not: a model file may hold anything.

#ifndef SHARDSMITH_LIB_IMPORT_ONNX_BUILDER_H
#define SHARDSMITH_LIB_IMPORT_ONNX_BUILDER_H

#include "Failure.h"

#include "shardsmith/Dialect/Chlo/Chlo.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Dialect/StableHLO/TensorValue.h"
#include "shardsmith/Interpreter/Tensor.h"
#include "shardsmith/Support/TensorTypes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

namespace shardsmith::onnx {

using mlir::RankedTensorType;
using mlir::Type;
using mlir::Value;
using Sizes = llvm::SmallVector<int64_t>;
using SizesRef = llvm::ArrayRef<int64_t>;

/// Element count above which no tensor may lie.
inline constexpr int64_t mostElements = int64_t(1) << 56;

inline int64_t rankOf(Value value) { return typeOf(value).getRank(); }
inline bool isFloat(Value value) {
  return llvm::isa<mlir::FloatType>(elementOf(value));
}
inline bool isBoolean(Value value) { return elementOf(value).isInteger(1); }
inline int64_t countOf(Value value) { return typeOf(value).getNumElements(); }

/// "[2, 3]", for messages.
std::string text(SizesRef shape);

class Builder {
public:
  explicit Builder(mlir::Location location, mlir::MLIRContext *context);

  mlir::ImplicitLocOpBuilder &ops() { return builder; }

  /// Appends an op with one result and verifies it.
  template <typename Op, typename... Args>
  Value make(Type result, Args &&...args) {
    auto op = Op::create(builder, mlir::TypeRange{result},
                         std::forward<Args>(args)...);
    verify(op);
    return op->getResult(0);
  }
  /// Throws Failure with the verifier's message.
  void verify(mlir::Operation *op);

  /// A tensor type whose size is not absurd.
  RankedTensorType tensorType(SizesRef shape, Type element);

  //===--- Constants ------------------------------------------------------===
  Value constant(const Tensor &tensor);
  Value scalar(Type element, double number);
  Value filled(SizesRef shape, Type element, double number);
  /// What no number of the type is below, and above, as scalars.
  Value least(Type element);
  Value greatest(Type element);
  Value like(Value operand, double number) {
    return filled(shapeOf(operand), elementOf(operand), number);
  }
  Value integers(SizesRef numbers);
  Value iota(SizesRef shape, Type element, int64_t dimension);

  //===--- Element by element ---------------------------------------------===
  /// The result has the type of the operand.
  template <typename Op> Value unary(Value operand) {
    return make<Op>(operand.getType(), operand);
  }
  /// Operands are broadcast as NumPy does.
  template <typename Op> Value binary(Value lhs, Value rhs) {
    broadcastTogether(lhs, rhs);
    return make<Op>(lhs.getType(), lhs, rhs);
  }
  template <typename Op> Value binary(Value lhs, double rhs) {
    return binary<Op>(lhs, like(lhs, rhs));
  }
  Value add(Value a, Value b) { return binary<stablehlo::AddOp>(a, b); }
  Value subtract(Value a, Value b) {
    return binary<stablehlo::SubtractOp>(a, b);
  }
  Value multiply(Value a, Value b) { return binary<stablehlo::MulOp>(a, b); }
  Value divide(Value a, Value b) { return binary<stablehlo::DivOp>(a, b); }
  Value add(Value a, double b) { return add(a, like(a, b)); }
  Value multiply(Value a, double b) { return multiply(a, like(a, b)); }
  Value divide(Value a, double b) { return divide(a, like(a, b)); }
  Value maximum(Value a, double b) {
    return binary<stablehlo::MaxOp>(a, like(a, b));
  }
  Value minimum(Value a, double b) {
    return binary<stablehlo::MinOp>(a, like(a, b));
  }
  Value exp(Value a) { return unary<stablehlo::ExpOp>(a); }
  Value log(Value a) { return unary<stablehlo::LogOp>(a); }
  Value rsqrt(Value a) { return unary<stablehlo::RsqrtOp>(a); }
  Value negate(Value a) { return unary<stablehlo::NegOp>(a); }
  Value compare(Value lhs, stablehlo::ComparisonDirection direction, Value rhs);
  Value compare(Value lhs, stablehlo::ComparisonDirection direction,
                double rhs) {
    return compare(lhs, direction, like(lhs, rhs));
  }
  /// All three are broadcast.
  Value select(Value predicate, Value onTrue, Value onFalse);
  Value logicalNot(Value operand) { return unary<stablehlo::NotOp>(operand); }
  /// ONNX's Cast: to booleans by comparison with zero.
  Value convert(Value operand, Type element);

  //===--- Shapes ---------------------------------------------------------===
  Value reshape(Value operand, SizesRef shape);
  Value transpose(Value operand, SizesRef permutation);
  /// As NumPy does; throws Failure where a dimension does not fit.
  Value broadcast(Value operand, SizesRef shape);
  Sizes broadcastShape(llvm::ArrayRef<Value> operands);
  void broadcastTogether(Value &lhs, Value &rhs);
  /// Operand dimension i becomes dimension `dimensions[i]` of `shape`.
  Value broadcastInDim(Value operand, SizesRef shape, SizesRef dimensions);
  Value slice(Value operand, SizesRef starts, SizesRef limits,
              SizesRef strides);
  /// Elements `start` to `limit` of one dimension.
  Value slice(Value operand, int64_t dimension, int64_t start, int64_t limit);
  Value concatenate(llvm::ArrayRef<Value> operands, int64_t dimension);
  Value pad(Value operand, Value padding, SizesRef low, SizesRef high);
  Value reverse(Value operand, SizesRef dimensions);

  //===--- Sums and products ----------------------------------------------===
  /// Reduces `dimensions` with `Op`; the result lacks them, or has them with
  /// size one.
  template <typename Op>
  Value reduce(Value operand, SizesRef dimensions, Value init,
               bool keepDimensions) {
    auto op = stablehlo::ReduceOp::create(
        builder, mlir::TypeRange{reducedType(operand, dimensions)},
        mlir::ValueRange{operand}, mlir::ValueRange{init}, dimensions);
    buildScalarBody<Op>(builder, op.getBody(), elementOf(operand));
    verify(op);
    return keepDimensions ? restore(op->getResult(0), operand, dimensions)
                          : Value(op->getResult(0));
  }
  template <typename Op>
  Value reduce(Value operand, SizesRef dimensions, double initial,
               bool keepDimensions) {
    return reduce<Op>(operand, dimensions, scalar(elementOf(operand), initial),
                      keepDimensions);
  }
  /// Floats narrower than 32 bits are added up in f32.
  Value sum(Value operand, SizesRef dimensions, bool keepDimensions);
  Value mean(Value operand, SizesRef dimensions, bool keepDimensions);
  Value largest(Value operand, SizesRef dimensions, bool keepDimensions);
  /// exp(x) / Σ exp(x), and its logarithm.
  Value softmax(Value operand, SizesRef dimensions);
  Value logSoftmax(Value operand, SizesRef dimensions);
  /// Batching dimensions of the result come first, then the free ones of lhs
  /// and of rhs.
  Value contract(Value lhs, Value rhs, SizesRef lhsBatch, SizesRef rhsBatch,
                 SizesRef lhsContracted, SizesRef rhsContracted);

  Type f32() { return builder.getF32Type(); }
  Type i64() { return builder.getI64Type(); }
  Type boolean() { return builder.getI1Type(); }

private:
  RankedTensorType reducedType(Value operand, SizesRef dimensions);
  Value restore(Value reduced, Value operand, SizesRef dimensions);

  mlir::ImplicitLocOpBuilder builder;
};

} // namespace shardsmith::onnx

#endif // SHARDSMITH_LIB_IMPORT_ONNX_BUILDER_H

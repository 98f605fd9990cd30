// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DIALECT_STABLEHLO_TENSORVALUE_H
#define SHARDSMITH_DIALECT_STABLEHLO_TENSORVALUE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

namespace shardsmith {

/// A tensor value together with the builder that continues the computation, so
/// that derivatives and optimizer updates read as the formulas they implement:
///
///     TensorValue dx = g * (1.0 - y * y);
///
/// Every operator appends one StableHLO op at the builder's insertion point.
/// Operands of a binary operator have the same type; a `double` stands for a
/// scalar constant broadcast to the shape of the other operand.
///
/// Which of two operands appends its ops first is up to the C++ compiler. Where
/// both do, name the first one: the text of a program must not depend on who
/// compiled this. Items in braces are in order.
class TensorValue {
public:
  TensorValue(mlir::ImplicitLocOpBuilder &builder, mlir::Value value)
      : ops(&builder), ssaValue(value) {}

  mlir::Value value() const { return ssaValue; }
  operator mlir::Value() const { return ssaValue; }
  mlir::ImplicitLocOpBuilder &builder() const { return *ops; }

  mlir::RankedTensorType type() const {
    return llvm::cast<mlir::RankedTensorType>(ssaValue.getType());
  }
  mlir::Type elementType() const { return type().getElementType(); }
  llvm::ArrayRef<int64_t> shape() const { return type().getShape(); }
  int64_t rank() const { return type().getRank(); }

  /// A tensor of this tensor's type with `number` everywhere.
  TensorValue filled(double number) const;

private:
  mlir::ImplicitLocOpBuilder *ops;
  mlir::Value ssaValue;
};

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// A tensor of `type` with `number` everywhere: a scalar constant, broadcast.
/// Integers get the truncated number, floats the nearest one, complex numbers
/// that as their real part.
TensorValue filled(mlir::ImplicitLocOpBuilder &builder,
                   mlir::RankedTensorType type, double number);

/// The scalar constant `number`.
TensorValue scalar(mlir::ImplicitLocOpBuilder &builder, mlir::Type elementType,
                   double number);

/// The index along `dimension`, as a tensor of `type`.
TensorValue iota(mlir::ImplicitLocOpBuilder &builder,
                 mlir::RankedTensorType type, int64_t dimension);

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

TensorValue operator+(TensorValue lhs, TensorValue rhs);
TensorValue operator-(TensorValue lhs, TensorValue rhs);
TensorValue operator*(TensorValue lhs, TensorValue rhs);
TensorValue operator/(TensorValue lhs, TensorValue rhs);
TensorValue operator-(TensorValue operand);

inline TensorValue operator+(TensorValue lhs, double rhs) {
  return lhs + lhs.filled(rhs);
}
inline TensorValue operator-(TensorValue lhs, double rhs) {
  return lhs - lhs.filled(rhs);
}
inline TensorValue operator*(TensorValue lhs, double rhs) {
  return lhs * lhs.filled(rhs);
}
inline TensorValue operator/(TensorValue lhs, double rhs) {
  return lhs / lhs.filled(rhs);
}
inline TensorValue operator+(double lhs, TensorValue rhs) {
  return rhs.filled(lhs) + rhs;
}
inline TensorValue operator-(double lhs, TensorValue rhs) {
  return rhs.filled(lhs) - rhs;
}
inline TensorValue operator*(double lhs, TensorValue rhs) {
  return rhs.filled(lhs) * rhs;
}
inline TensorValue operator/(double lhs, TensorValue rhs) {
  return rhs.filled(lhs) / rhs;
}

/// Logical on booleans.
TensorValue operator&(TensorValue lhs, TensorValue rhs);

TensorValue exponential(TensorValue operand);
TensorValue logarithm(TensorValue operand);
TensorValue squareRoot(TensorValue operand);
TensorValue reciprocalSquareRoot(TensorValue operand);
TensorValue sine(TensorValue operand);
TensorValue cosine(TensorValue operand);
TensorValue sign(TensorValue operand);
TensorValue floor(TensorValue operand);
TensorValue absolute(TensorValue operand);
TensorValue square(TensorValue operand);
TensorValue power(TensorValue base, TensorValue exponent);
TensorValue maximum(TensorValue lhs, TensorValue rhs);

/// The relation of two tensors as booleans.
TensorValue compare(TensorValue lhs, stablehlo::ComparisonDirection direction,
                    TensorValue rhs);
inline TensorValue
compare(TensorValue lhs, stablehlo::ComparisonDirection direction, double rhs) {
  return compare(lhs, direction, lhs.filled(rhs));
}

/// `onTrue` where `predicate`, else `onFalse`.
TensorValue select(TensorValue predicate, TensorValue onTrue,
                   TensorValue onFalse);

/// Rounds to `elementType`; the same tensor if it has it already.
TensorValue convert(TensorValue operand, mlir::Type elementType);

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// The same tensor if it has this shape already.
TensorValue reshape(TensorValue operand, llvm::ArrayRef<int64_t> shape);

/// Result dimension i is operand dimension `permutation[i]`; the same tensor
/// for the identity.
TensorValue transpose(TensorValue operand, llvm::ArrayRef<int64_t> permutation);

/// Operand dimension i becomes result dimension `dimensions[i]`.
TensorValue broadcastInDim(TensorValue operand, llvm::ArrayRef<int64_t> shape,
                           llvm::ArrayRef<int64_t> dimensions);

/// A scalar repeated to `shape`.
TensorValue broadcastScalar(TensorValue operand, llvm::ArrayRef<int64_t> shape);

/// Undoes a reduction: puts the values of `operand` along `reduced` again, so
/// that the result has `shape`.
TensorValue broadcastAlong(TensorValue operand, llvm::ArrayRef<int64_t> shape,
                           llvm::ArrayRef<int64_t> reduced);

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Sum over `dimensions`. Floats narrower than 32 bits are added up in f32 and
/// rounded once.
TensorValue sum(TensorValue operand, llvm::ArrayRef<int64_t> dimensions);

/// Sum over all dimensions: a scalar.
TensorValue sumAll(TensorValue operand);

/// Product over `dimensions`.
TensorValue product(TensorValue operand, llvm::ArrayRef<int64_t> dimensions);

/// The largest element, a scalar; 0 if all are negative.
TensorValue largestOf(TensorValue operand);

/// Logical and over `dimensions`.
TensorValue all(TensorValue operand, llvm::ArrayRef<int64_t> dimensions);

/// Appends a block to `region` that combines two scalars of `elementType` with
/// `OpTy`, the body of reductions and scatters.
template <typename OpTy>
void buildScalarBody(mlir::ImplicitLocOpBuilder &builder, mlir::Region &region,
                     mlir::Type elementType) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Location loc = builder.getLoc();
  auto scalarType = mlir::RankedTensorType::get({}, elementType);
  mlir::Block *body = builder.createBlock(&region, region.end(),
                                          {scalarType, scalarType}, {loc, loc});
  mlir::Value combined =
      OpTy::create(builder, body->getArgument(0), body->getArgument(1));
  stablehlo::ReturnOp::create(builder, combined);
}

/// Appends a block to `region` that returns the second of two scalars of
/// `elementType`, the body of scatters that replace.
void buildReplacementBody(mlir::ImplicitLocOpBuilder &builder,
                          mlir::Region &region, mlir::Type elementType);

} // namespace shardsmith

#endif // SHARDSMITH_DIALECT_STABLEHLO_TENSORVALUE_H

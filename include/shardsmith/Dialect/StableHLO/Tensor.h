// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DIALECT_STABLEHLO_TENSOR_H
#define SHARDSMITH_DIALECT_STABLEHLO_TENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

namespace shardsmith {

/// A tensor value together with the builder that continues the computation, so
/// that derivatives and optimizer updates read as the formulas they implement:
///
///     Tensor dx = g * (1.0 - y * y);
///
/// Every operator appends one StableHLO op at the builder's insertion point.
/// Operands of a binary operator have the same type; a `double` stands for a
/// scalar constant broadcast to the shape of the other operand.
class Tensor {
public:
  Tensor(mlir::ImplicitLocOpBuilder &builder, mlir::Value value)
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
  Tensor filled(double number) const;

private:
  mlir::ImplicitLocOpBuilder *ops;
  mlir::Value ssaValue;
};

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// A tensor of `type` with `number` everywhere: a scalar constant, broadcast.
/// Integers get the truncated number, floats the nearest one.
Tensor filled(mlir::ImplicitLocOpBuilder &builder, mlir::RankedTensorType type,
              double number);

/// The scalar constant `number`.
Tensor scalar(mlir::ImplicitLocOpBuilder &builder, mlir::Type elementType,
              double number);

/// The index along `dimension`, as a tensor of `type`.
Tensor iota(mlir::ImplicitLocOpBuilder &builder, mlir::RankedTensorType type,
            int64_t dimension);

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

Tensor operator+(Tensor lhs, Tensor rhs);
Tensor operator-(Tensor lhs, Tensor rhs);
Tensor operator*(Tensor lhs, Tensor rhs);
Tensor operator/(Tensor lhs, Tensor rhs);
Tensor operator-(Tensor operand);

inline Tensor operator+(Tensor lhs, double rhs) {
  return lhs + lhs.filled(rhs);
}
inline Tensor operator-(Tensor lhs, double rhs) {
  return lhs - lhs.filled(rhs);
}
inline Tensor operator*(Tensor lhs, double rhs) {
  return lhs * lhs.filled(rhs);
}
inline Tensor operator/(Tensor lhs, double rhs) {
  return lhs / lhs.filled(rhs);
}
inline Tensor operator+(double lhs, Tensor rhs) {
  return rhs.filled(lhs) + rhs;
}
inline Tensor operator-(double lhs, Tensor rhs) {
  return rhs.filled(lhs) - rhs;
}
inline Tensor operator*(double lhs, Tensor rhs) {
  return rhs.filled(lhs) * rhs;
}
inline Tensor operator/(double lhs, Tensor rhs) {
  return rhs.filled(lhs) / rhs;
}

/// Logical on booleans.
Tensor operator&(Tensor lhs, Tensor rhs);

Tensor exponential(Tensor operand);
Tensor logarithm(Tensor operand);
Tensor squareRoot(Tensor operand);
Tensor reciprocalSquareRoot(Tensor operand);
Tensor sine(Tensor operand);
Tensor cosine(Tensor operand);
Tensor sign(Tensor operand);
Tensor floor(Tensor operand);
Tensor absolute(Tensor operand);
Tensor square(Tensor operand);
Tensor power(Tensor base, Tensor exponent);

/// The relation of two tensors as booleans.
Tensor compare(Tensor lhs, stablehlo::ComparisonDirection direction,
               Tensor rhs);
inline Tensor compare(Tensor lhs, stablehlo::ComparisonDirection direction,
                      double rhs) {
  return compare(lhs, direction, lhs.filled(rhs));
}

/// `onTrue` where `predicate`, else `onFalse`.
Tensor select(Tensor predicate, Tensor onTrue, Tensor onFalse);

/// Rounds to `elementType`; the same tensor if it has it already.
Tensor convert(Tensor operand, mlir::Type elementType);

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// The same tensor if it has this shape already.
Tensor reshape(Tensor operand, llvm::ArrayRef<int64_t> shape);

/// Result dimension i is operand dimension `permutation[i]`; the same tensor
/// for the identity.
Tensor transpose(Tensor operand, llvm::ArrayRef<int64_t> permutation);

/// Operand dimension i becomes result dimension `dimensions[i]`.
Tensor broadcastInDim(Tensor operand, llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<int64_t> dimensions);

/// A scalar repeated to `shape`.
Tensor broadcastScalar(Tensor operand, llvm::ArrayRef<int64_t> shape);

/// Undoes a reduction: puts the values of `operand` along `reduced` again, so
/// that the result has `shape`.
Tensor broadcastAlong(Tensor operand, llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<int64_t> reduced);

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Sum over `dimensions`. Floats narrower than 32 bits are added up in f32 and
/// rounded once.
Tensor sum(Tensor operand, llvm::ArrayRef<int64_t> dimensions);

/// Sum over all dimensions: a scalar.
Tensor sumAll(Tensor operand);

/// Product over `dimensions`.
Tensor product(Tensor operand, llvm::ArrayRef<int64_t> dimensions);

/// Logical and over `dimensions`.
Tensor all(Tensor operand, llvm::ArrayRef<int64_t> dimensions);

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

} // namespace shardsmith

#endif // SHARDSMITH_DIALECT_STABLEHLO_TENSOR_H

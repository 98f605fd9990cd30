// SPDX-License-Identifier: Apache-2.0
//
// A tensor of complex numbers as two real tensors of its shape. Many complex
// numbers of a model are real ones that were converted, whose imaginary part is
// zero; it is missing here, and products leave it out.

#ifndef SHARDSMITH_LIB_IMPORT_COMPLEX_COMPLEXVALUE_H
#define SHARDSMITH_LIB_IMPORT_COMPLEX_COMPLEXVALUE_H

#include "shardsmith/Dialect/StableHLO/TensorValue.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace shardsmith::complexes {

struct ComplexValue {
  TensorValue real;
  /// None: zero everywhere.
  std::optional<TensorValue> imaginary;

  mlir::ImplicitLocOpBuilder &builder() const { return real.builder(); }
  /// The imaginary part, zeros where there is none.
  TensorValue imaginaryOrZero() const {
    return imaginary ? *imaginary : real.filled(0);
  }
};

/// A product that is linear in both factors: of elements, of matrices, a
/// convolution.
using RealProduct = llvm::function_ref<TensorValue(TensorValue, TensorValue)>;

/// (a + ib)(c + id) = (ac - bd) + i(ad + bc).
ComplexValue multiply(const ComplexValue &lhs, const ComplexValue &rhs,
                      RealProduct product);

ComplexValue operator+(const ComplexValue &lhs, const ComplexValue &rhs);
ComplexValue operator-(const ComplexValue &lhs, const ComplexValue &rhs);
ComplexValue operator*(const ComplexValue &lhs, const ComplexValue &rhs);
/// Scaled by the larger part of the divisor, so that its square neither
/// overflows nor vanishes.
ComplexValue operator/(const ComplexValue &lhs, const ComplexValue &rhs);
ComplexValue operator-(const ComplexValue &operand);

ComplexValue conjugate(const ComplexValue &operand);
/// Both parts times a real number.
ComplexValue scaled(const ComplexValue &operand, double factor);

/// |a + ib|, without overflow. Its derivative at zero is zero, as JAX says.
TensorValue modulus(const ComplexValue &operand);
/// The angle in (-π, π].
TensorValue argument(const ComplexValue &operand);

ComplexValue exponential(const ComplexValue &operand);
/// exp(operand) - 1, exact for small operands.
ComplexValue exponentialMinusOne(const ComplexValue &operand);
ComplexValue logarithm(const ComplexValue &operand);
/// log(1 + operand), exact for small operands.
ComplexValue logarithmPlusOne(const ComplexValue &operand);
/// The root whose real part is not negative.
ComplexValue squareRoot(const ComplexValue &operand);
ComplexValue sine(const ComplexValue &operand);
ComplexValue cosine(const ComplexValue &operand);
ComplexValue tangent(const ComplexValue &operand);
ComplexValue hyperbolicSine(const ComplexValue &operand);
ComplexValue hyperbolicCosine(const ComplexValue &operand);
/// One or minus one far from the imaginary axis, where its sines overflow.
ComplexValue hyperbolicTangent(const ComplexValue &operand);
/// 1 / (1 + exp(-operand)), of exponentials that do not overflow.
ComplexValue logistic(const ComplexValue &operand);
/// As W. Kahan gives them ("Branch Cuts for Complex Elementary Functions",
/// 1987), without the cancellation of logarithms of sums.
ComplexValue arcSine(const ComplexValue &operand);
ComplexValue arcCosine(const ComplexValue &operand);
ComplexValue arcTangent(const ComplexValue &operand);
ComplexValue inverseHyperbolicSine(const ComplexValue &operand);
ComplexValue inverseHyperbolicCosine(const ComplexValue &operand);
ComplexValue inverseHyperbolicTangent(const ComplexValue &operand);
/// operand / |operand|, zero for zero; its derivative is zero, as JAX says.
ComplexValue sign(const ComplexValue &operand);

} // namespace shardsmith::complexes

#endif // SHARDSMITH_LIB_IMPORT_COMPLEX_COMPLEXVALUE_H

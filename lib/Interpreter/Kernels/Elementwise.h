// SPDX-License-Identifier: Apache-2.0
//
// Functions of tensors that work on each position by itself. Shapes have been
// verified: operands agree, except where a scalar is allowed.

#ifndef SHARDSMITH_LIB_INTERPRETER_KERNELS_ELEMENTWISE_H
#define SHARDSMITH_LIB_INTERPRETER_KERNELS_ELEMENTWISE_H

#include "BinaryScalars.h"
#include "shardsmith/Interpreter/Tensor.h"

namespace shardsmith::inline interpreter {

/// True if `kind` has a meaning for elements of this type.
bool isBinaryDefined(BinaryKind kind, ElementType type);
/// Null if it has none.
Tensor applyBinary(BinaryKind kind, const Tensor &a, const Tensor &b);

/// A real function evaluated in double precision and rounded once.
using RealFunction = double (*)(double);
Tensor applyReal(RealFunction function, const Tensor &a);
using RealFunctionOfTwo = double (*)(double, double);
Tensor applyReal(RealFunctionOfTwo function, const Tensor &a, const Tensor &b);

Tensor absolute(const Tensor &a);
Tensor negate(const Tensor &a);
Tensor signOf(const Tensor &a);
Tensor bitwiseNot(const Tensor &a);
Tensor countOnes(const Tensor &a);
Tensor countLeadingZeros(const Tensor &a);
Tensor isFinite(const Tensor &a);
Tensor isInfinite(const Tensor &a, bool positive, bool negative);
/// Rounds floats to a format with these many bits and back.
Tensor reducePrecision(const Tensor &a, unsigned exponentBits,
                       unsigned mantissaBits);
/// The next value after `a` in the direction of `b`.
Tensor nextAfter(const Tensor &a, const Tensor &b);

enum class Comparison { EQ, NE, GE, GT, LE, LT };
/// With `totalOrder` floats are ordered as
/// -NaN < -inf < … < -0 < +0 < … < inf < NaN.
Tensor compare(Comparison direction, bool totalOrder, const Tensor &a,
               const Tensor &b);
/// `predicate` is a scalar or has the shape of the branches.
Tensor select(const Tensor &predicate, const Tensor &onTrue,
              const Tensor &onFalse);
/// `low` and `high` are scalars or have the shape of `a`.
Tensor clamp(const Tensor &low, const Tensor &a, const Tensor &high);

/// Conversion by value. Floats to integers truncate towards zero and saturate,
/// NaN becomes 0; integers to integers wrap around; anything to booleans is
/// "not zero".
Tensor convert(const Tensor &a, ElementType type);

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_LIB_INTERPRETER_KERNELS_ELEMENTWISE_H

// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic in f64 (scalar or lanes), whose results are rounded to f32.
//
//     log x  = e ln 2 + 2 artanh(t),    x = 2ᵉ m,  m in [√½, √2),
//                                       t = (m − 1) / (m + 1),  |t| < 0.1716
//     exp(z) = 2ⁿ exp(r),               r = z − n ln 2,  |r| ≤ ½ ln 2
//
// Both series are cut where the next term is below 10⁻¹²: artanh after t¹⁷ and
// the exponential after r¹¹.

#ifndef SHARDSMITH_LIB_LOWER_CUDA_MATH_DOUBLES_H
#define SHARDSMITH_LIB_LOWER_CUDA_MATH_DOUBLES_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace shardsmith::cuda {

struct Doubles {
  using Value = mlir::Value;
  using Predicate = mlir::arith::CmpFPredicate;

  mlir::ImplicitLocOpBuilder &b;

  mlir::Type like(Value value, mlir::Type element);
  Value number(Value like, double value);
  Value integer(Value like, int64_t value);
  Value fused(Value x, Value y, Value z);
  Value plus(Value x, Value y);
  Value minus(Value x, Value y);
  Value times(Value x, Value y);
  Value over(Value x, Value y);
  Value is(Predicate predicate, Value x, Value y);
  Value choose(Value condition, Value x, Value y);
  Value both(Value x, Value y);
  Value bits(Value x);
  Value fromBits(Value x);

  /// Of a positive, finite number that is not below the normal ones.
  Value logarithm(Value x);
  /// Of any number; limited to exp(±800), which is long infinite or zero in
  /// f32.
  Value exponential(Value z);
};

} // namespace shardsmith::cuda

#endif // SHARDSMITH_LIB_LOWER_CUDA_MATH_DOUBLES_H

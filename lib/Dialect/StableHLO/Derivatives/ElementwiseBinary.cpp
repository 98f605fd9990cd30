// SPDX-License-Identifier: Apache-2.0
// Derivatives of z = f(x, y), element by element; g is the cotangent of z.

#include "Families.h"
#include "Repeated.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {
namespace {

using Direction = ComparisonDirection;

/// z = x / y:  dx = g / y,  dy = -g z / y.
///
/// Where y repeats a smaller tensor s, as in a softmax or a norm, both use
/// 1 / s: few divisions, and a factor that the reduction to s, which follows
/// in the derivative of the broadcast, moves out of the sum.
void attachDivision(MLIRContext *context) {
  attachBinary<DivOp>(context, [](auto g, auto x, auto y, auto z) {
    std::optional<Repeated> repeated = matchRepeated(y);
    if (!repeated) {
      TensorValue dx = g / y;
      return std::pair{dx, -(dx * z)};
    }
    TensorValue source(g.builder(), repeated->source);
    TensorValue reciprocal =
        broadcastInDim(1.0 / source, y.shape(), repeated->dimensions);
    return std::pair{g * reciprocal, -(g * z * reciprocal)};
  });
}

/// The operand that was chosen gets the cotangent; equal ones get half each.
TensorValue chosenShare(TensorValue g, TensorValue x, Direction isChosen,
                        TensorValue y) {
  TensorValue isTied = compare(x, Direction::EQ, y);
  TensorValue half = 0.5 * g;
  TensorValue tied = select(isTied, half, g.filled(0.0));
  return select(compare(x, isChosen, y), g, tied);
}

template <typename OpTy, ComparisonDirection isChosen>
void attachExtremum(MLIRContext *context) {
  attachBinary<OpTy>(context, [](auto g, auto x, auto y, auto z) {
    return std::pair{chosenShare(g, x, isChosen, y),
                     chosenShare(g, y, isChosen, x)};
  });
}

/// z = x^y:  dx = g y x^(y-1),  dy = g z log(x), with log(0) taken as 0.
void attachPower(MLIRContext *context) {
  attachBinary<PowOp>(context, [](auto g, auto x, auto y, auto z) {
    TensorValue isZero = compare(x, Direction::EQ, 0.0);
    TensorValue base = select(isZero, x.filled(1.0), x);
    return std::pair{g * (y * power(x, y - 1.0)), g * (logarithm(base) * z)};
  });
}

void attachRemainderAndAngle(MLIRContext *context) {
  // z = x - y trunc(x / y)
  attachBinary<RemOp>(context, [](auto g, auto x, auto y, auto z) {
    TensorValue quotient = x / y;
    TensorValue direction = sign(quotient);
    TensorValue truncated = direction * floor(absolute(quotient));
    return std::pair{g, -g * truncated};
  });
  // z = atan(x / y), in the quadrant of the point (y, x)
  attachBinary<Atan2Op>(context, [](auto g, auto x, auto y, auto z) {
    TensorValue xSquare = square(x);
    TensorValue norm = xSquare + square(y);
    return std::pair{g * (y / norm), g * (-x / norm)};
  });
}

} // namespace

void attachElementwiseBinaryDerivatives(MLIRContext *context) {
  attachBinary<AddOp>(
      context, [](auto g, auto x, auto y, auto z) { return std::pair{g, g}; });
  attachBinary<SubtractOp>(
      context, [](auto g, auto x, auto y, auto z) { return std::pair{g, -g}; });
  attachBinary<MulOp>(context, [](auto g, auto x, auto y, auto z) {
    return std::pair{g * y, g * x};
  });
  attachDivision(context);
  attachExtremum<MaxOp, Direction::GT>(context);
  attachExtremum<MinOp, Direction::LT>(context);
  attachPower(context);
  attachRemainderAndAngle(context);
}

} // namespace shardsmith

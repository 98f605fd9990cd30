// SPDX-License-Identifier: Apache-2.0
// Global-norm clipping (Pascanu et al., 2012), op for op as optax computes it:
//
//     n  = sqrt(Σ over all gradients of Σ g²)
//     g' = n < largest ? g : (g / n) largest

#include "ClipGradients.h"

using namespace mlir;

namespace shardsmith {

void clipByGlobalNorm(MutableArrayRef<TensorValue> gradients,
                      double largestNorm) {
  std::optional<TensorValue> squares;
  for (TensorValue gradient : gradients) {
    TensorValue ownSquares = sumAll(square(gradient));
    squares = squares ? *squares + convert(ownSquares, squares->elementType())
                      : ownSquares;
  }
  TensorValue norm = squareRoot(*squares);
  TensorValue isSmall =
      compare(norm, stablehlo::ComparisonDirection::LT, largestNorm);
  for (TensorValue &gradient : gradients) {
    TensorValue ownNorm = broadcastScalar(convert(norm, gradient.elementType()),
                                          gradient.shape());
    gradient = select(isSmall, gradient, (gradient / ownNorm) * largestNorm);
  }
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_TRAIN_SOFTMAX_H
#define SHARDSMITH_LIB_TRAIN_SOFTMAX_H

#include "shardsmith/Dialect/StableHLO/TensorValue.h"

#include <optional>

namespace shardsmith {

/// The division that ends a softmax:
///
///     e = exp(x)      s = Σ e over `dimensions`      y = e / s
///
/// Taken together the three ops have a shorter derivative than one by one,
/// which reads y instead of both e and y:
///
///     dx = y (g - Σ g y)
struct Softmax {
  mlir::Value input;
  mlir::Value output;
  llvm::SmallVector<int64_t> dimensions;

  static std::optional<Softmax> match(mlir::Operation *division);

  /// Contribution to the cotangent of the input, past e and s: whatever else
  /// uses those contributes through them as usual.
  TensorValue inputCotangent(TensorValue outputCotangent) const;
};

} // namespace shardsmith

#endif // SHARDSMITH_LIB_TRAIN_SOFTMAX_H

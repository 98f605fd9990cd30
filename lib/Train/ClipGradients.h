// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_TRAIN_CLIPGRADIENTS_H
#define SHARDSMITH_LIB_TRAIN_CLIPGRADIENTS_H

#include "shardsmith/Dialect/StableHLO/TensorValue.h"

namespace shardsmith {

/// Scales the gradients so that their global norm is at most `largestNorm`.
void clipByGlobalNorm(llvm::MutableArrayRef<TensorValue> gradients,
                      double largestNorm);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_TRAIN_CLIPGRADIENTS_H

// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_TRAIN_SHIFTINVARIANCE_H
#define SHARDSMITH_LIB_TRAIN_SHIFTINVARIANCE_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseSet.h"

namespace shardsmith {

/// Values that the loss provably does not depend on, although they are used:
/// the maxima that softmax and logsumexp subtract for the sake of range.
///
///     m = max(x)          softmax(x) = exp(x - m) / Σ exp(x - m)
///
/// Adding c to m changes nothing, so the gradient of m is zero and the
/// derivative of the maximum need not be built. A model says so itself
/// (`stop_gradient`), but exported programs do not keep that.
llvm::DenseSet<mlir::Value> findValuesWithZeroGradient(mlir::Block &block,
                                                       mlir::Value loss);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_TRAIN_SHIFTINVARIANCE_H

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Train/Optimizer.h"

namespace shardsmith {

std::unique_ptr<Optimizer> createOptimizer(const OptimizerOptions &options) {
  if (options.name == "sgd")
    return createSgd(options);
  if (options.name == "adamw")
    return createAdam(options);
  if (options.name == "adam") {
    OptimizerOptions withoutDecay = options;
    withoutDecay.weightDecay = 0.0;
    return createAdam(withoutDecay);
  }
  return nullptr;
}

} // namespace shardsmith

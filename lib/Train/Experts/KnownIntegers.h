// SPDX-License-Identifier: Apache-2.0
//
// Integers that follow from constants and iotas alone: positions of rows, most
// of all, which frameworks compute by long ways.

#ifndef SHARDSMITH_LIB_TRAIN_EXPERTS_KNOWNINTEGERS_H
#define SHARDSMITH_LIB_TRAIN_EXPERTS_KNOWNINTEGERS_H

#include "mlir/IR/Value.h"
#include <optional>
#include <unordered_map>
#include <vector>

namespace shardsmith {

/// Computes tensors of integers and booleans of at most 2²⁴ elements. Results
/// are kept, so a value that many ask for is computed once.
class KnownIntegers {
public:
  /// All elements in row-major order, or null if they depend on an argument or
  /// go through an op that is not known here.
  const std::vector<int64_t> *of(mlir::Value value);

private:
  std::optional<std::vector<int64_t>> compute(mlir::Value value);

  std::unordered_map<void *, std::optional<std::vector<int64_t>>> known;
};

} // namespace shardsmith

#endif // SHARDSMITH_LIB_TRAIN_EXPERTS_KNOWNINTEGERS_H

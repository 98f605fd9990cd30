// SPDX-License-Identifier: Apache-2.0
//
// Indices that the body of a counted loop computes. They are affine in the
// number of the iteration,
//
//     value = scale · i + offset,   0 ≤ i < count,
//
// or are not looked into.

#ifndef SHARDSMITH_LIB_IMPORT_LOOPINDICES_H
#define SHARDSMITH_LIB_IMPORT_LOOPINDICES_H

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace shardsmith {

struct Affine {
  int64_t scale = 0;
  int64_t offset = 0;
};

/// What the values of a loop's body are in terms of the iteration's number.
class LoopIndices {
public:
  LoopIndices(stablehlo::WhileOp loop, int64_t count)
      : loop(loop), body(loop.getBody().front()), count(count) {}

  /// The same in every iteration, and known before the loop.
  bool isInvariant(mlir::Value value) const;
  std::optional<Affine> of(mlir::Value value);

private:
  std::optional<Affine> find(mlir::Value value);
  std::optional<Affine> ofArgument(unsigned index) const;
  std::optional<Affine> ofSum(mlir::Operation *op);
  bool fits(Affine affine, mlir::Value value) const;
  std::optional<bool> decide(mlir::Value condition);

  stablehlo::WhileOp loop;
  mlir::Block &body;
  int64_t count;
  llvm::DenseMap<mlir::Value, std::optional<Affine>> known;
};

} // namespace shardsmith

#endif // SHARDSMITH_LIB_IMPORT_LOOPINDICES_H

// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_IMPORT_COUNTEDLOOP_H
#define SHARDSMITH_LIB_IMPORT_COUNTEDLOOP_H

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include <optional>
#include <string>

namespace shardsmith {

/// A while loop of which it is known how often its body runs:
///
///   for (value = start; value <direction> bound; value += step)
struct CountedLoop {
  /// Position of the counting value among the loop's values.
  unsigned inductionIndex = 0;
  mlir::APInt start;
  mlir::APInt step;
  int64_t iterations = 0;
};

/// The value of a constant integer scalar.
std::optional<llvm::APInt> constantScalar(mlir::Value value);

/// Recognises a counted loop of at most `maxIterations`. On failure `reason`
/// says what is missing, as the end of a sentence "the loop is not counted:".
/// What start, bound and step are outside of the loop, `constant` knows.
llvm::FailureOr<CountedLoop> matchCountedLoop(
    stablehlo::WhileOp loop, int64_t maxIterations, std::string &reason,
    llvm::function_ref<std::optional<llvm::APInt>(mlir::Value)> constant =
        constantScalar);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_IMPORT_COUNTEDLOOP_H

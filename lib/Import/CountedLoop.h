// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_IMPORT_COUNTEDLOOP_H
#define SHARDSMITH_LIB_IMPORT_COUNTEDLOOP_H

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

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

/// Recognises a counted loop of at most `maxIterations`. On failure `reason`
/// says what is missing, as the end of a sentence "the loop is not counted:".
llvm::FailureOr<CountedLoop> matchCountedLoop(stablehlo::WhileOp loop,
                                              int64_t maxIterations,
                                              std::string &reason);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_IMPORT_COUNTEDLOOP_H

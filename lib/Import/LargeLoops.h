// SPDX-License-Identifier: Apache-2.0
//
// Which loops stay loops.

#ifndef SHARDSMITH_LIB_IMPORT_LARGELOOPS_H
#define SHARDSMITH_LIB_IMPORT_LARGELOOPS_H

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include <string>

namespace shardsmith {

/// The iterations of loops that run more often are not counted.
inline constexpr int64_t mostIterations = 2'000'000;

/// How often a loop is thought to run of which that depends on data. What it
/// costs is estimated with it, nothing else: solvers of fixed points and of
/// linear systems take some tens of iterations.
inline constexpr int64_t expectedIterations = 32;

/// Why the regions of a loop or a branch cannot be straight-line code with
/// markers, as the end of a sentence "it": all values in them are real tensors
/// of static shapes, and none is of one device. Empty if they can.
std::string whyNotKept(mlir::Operation *op);

/// Whether the number of the iteration says how often a loop inside of `loop`,
/// of `count` iterations, is done: it is counted once `loop` is unrolled.
bool hasLoopCountedByIndex(stablehlo::WhileOp loop, int64_t count);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_IMPORT_LARGELOOPS_H

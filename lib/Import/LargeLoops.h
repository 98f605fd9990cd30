// SPDX-License-Identifier: Apache-2.0
//
// Which counted loops stay loops.

#ifndef SHARDSMITH_LIB_IMPORT_LARGELOOPS_H
#define SHARDSMITH_LIB_IMPORT_LARGELOOPS_H

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

namespace shardsmith {

/// Loops that run more often are not looked at.
inline constexpr int64_t mostIterations = 2'000'000;

/// Whether a loop's body can be straight-line code with markers: it and all
/// loops inside are counted, nothing in it is complex, and it has no branch
/// that would have to be decided in every iteration.
bool canBeKept(stablehlo::WhileOp loop);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_IMPORT_LARGELOOPS_H

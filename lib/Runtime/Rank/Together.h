// SPDX-License-Identifier: Apache-2.0
//
// Phases that succeed on all ranks or on none.

#ifndef SHARDSMITH_LIB_RUNTIME_RANK_TOGETHER_H
#define SHARDSMITH_LIB_RUNTIME_RANK_TOGETHER_H

#include "shardsmith/Runtime/Rank/Context.h"

#include <functional>

namespace shardsmith::runtime {

/// Runs `phase` on every rank. If it throws a Failure on any, all ranks run
/// `cleanUp` and throw: one that failed its own Failure, the others one without
/// words, so that a mistake that all ranks see is reported once. Nothing is
/// left to clean up when the first rank reports.
void runTogether(
    smith_context &context, const std::function<void()> &phase,
    const std::function<void()> &cleanUp = [] {});

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_RANK_TOGETHER_H

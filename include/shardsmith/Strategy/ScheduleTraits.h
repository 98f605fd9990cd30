// SPDX-License-Identifier: Apache-2.0
//
// What a schedule family is, one row per family: everything that planning needs
// to know of its order of passes. A further family is an entry of
// `ScheduleFamily`, a row here, its order in lib/Schedule, and the checker's
// own row in lib/Check. docs/schedules.md has pictures and sources.
//
//                 stages   least micro-   in flight     gradients of parameters
//                 per rank batches        on rank r     that fill gaps
//     1f1b           1          1         p − r              none
//     zb-h2          1          1         2 p                2 (p − 1)
//     zb-v           2       2 p − 1      p                  2 (p − 1)
//     …

#ifndef SHARDSMITH_STRATEGY_SCHEDULETRAITS_H
#define SHARDSMITH_STRATEGY_SCHEDULETRAITS_H

#include "shardsmith/Strategy/Strategy.h"

#include <span>

namespace shardsmith {

/// The pipeline that a schedule is for.
struct ScheduleShape {
  int64_t ranks = 1, stagesPerRank = 1, microBatches = 1;
};

/// How often each pass of a micro-batch on one rank counts as idle time of all
/// other ranks while the pipeline fills and drains. Negative where the pass
/// fills gaps.
struct IdlePasses {
  int64_t forward = 0, backwardInput = 0, backwardWeight = 0;
};

struct ScheduleTraits {
  ScheduleFamily family;
  /// The name in options, files and reports.
  std::string_view name;
  /// The stages that each rank must have; any number if nothing is given.
  std::optional<int64_t> stagesPerRank = std::nullopt;
  /// Whether ranks hold their second stages in reverse order.
  bool isVShaped = false;
  /// Whether backward passes are split, at least in part, into gradients of
  /// activations and gradients of parameters.
  bool splitsBackward = false;
  /// Whether messages between stages travel while ranks work.
  bool hidesMessages = false;
  /// Whether micro-batches run in rounds of equal length, about as long as
  /// there are ranks.
  bool hasRounds = false;
  /// By what share sums over the ranks may be below the time of the schedule
  /// when it is played, and are believed all the same.
  double playedTolerance = 0.004;
  /// The fewest micro-batches with which so many ranks fill their pipeline.
  int64_t (*leastMicroBatches)(int64_t ranks) = nullptr;
  /// The most passes of single stages whose activations a rank holds at a time.
  int64_t (*inFlight)(const ScheduleShape &shape, int64_t rank) = nullptr;
  IdlePasses (*idle)(const ScheduleShape &shape) = nullptr;
  /// Gradients of parameters per rank before and behind this one that the
  /// schedule moves into the gaps of filling and draining.
  int64_t gapsPerRank = 0;

  /// Whether a schedule of the family exists for so many micro-batches.
  bool canRun(int64_t ranks, int64_t microBatches) const;
  /// How many gradients of parameters, each of one micro-batch on one rank,
  /// fill gaps; that of the last micro-batch has to stay behind.
  int64_t gapsFilled(int64_t ranks, int64_t microBatches) const;
};

const ScheduleTraits &traitsOf(ScheduleFamily family);
/// All families, in the order of `ScheduleFamily`.
std::span<const ScheduleTraits> allScheduleTraits();

} // namespace shardsmith

#endif // SHARDSMITH_STRATEGY_SCHEDULETRAITS_H

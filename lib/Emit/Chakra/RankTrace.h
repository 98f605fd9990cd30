// SPDX-License-Identifier: Apache-2.0
//
// The trace of a rank: its list of the schedule, node by node. What computes
// waits for what the list has before it; messages leave beside that, and so do
// sums of gradients:
//
//     0F0 ─▶ … ─▶ 0F1 ─▶ … ─▶ 0B0 ─▶ … ─▶ 0UPDATE ─▶ rest of the step
//       └▶ send    └▶ send     ▲ │            ▲
//              receive ────────┘ └─▶ reduce ──┘

#ifndef SHARDSMITH_LIB_EMIT_CHAKRA_RANKTRACE_H
#define SHARDSMITH_LIB_EMIT_CHAKRA_RANKTRACE_H

#include "Passes.h"
#include "shardsmith/Schedule/RankActions.h"

namespace shardsmith::emit::chakra {

/// All that the traces of a plan are written from.
struct StepTrace {
  StepPasses passes;
  RankGroups groups;
  /// Of each pipeline rank.
  schedule::RankActions actions;
  int64_t ranks = 1;
  /// Distance in ranks between neighbours in the pipeline.
  int64_t pipelineStride = 1;
  /// What a step takes beside the work of its ranks.
  Nanoseconds rest;

  int64_t placeOf(int64_t rank) const {
    return rank / pipelineStride % int64_t(actions.size());
  }
  /// How many nodes the trace of a rank there has, at most.
  double nodesOf(int64_t place) const;
  void write(int64_t rank, const TextSink &sink) const;
};

} // namespace shardsmith::emit::chakra

#endif // SHARDSMITH_LIB_EMIT_CHAKRA_RANKTRACE_H

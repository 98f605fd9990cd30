// SPDX-License-Identifier: Apache-2.0
//
// Which tensors of a step go through memory, and who is charged for reading
// them.
//
// Element-wise ops share kernels, as lowering groups them
// (docs/lowering-cpu.md). A kernel reads each of its inputs once, however many
// of its ops use it, and hands values on between its ops without memory; a
// value is written if an op outside of its kernel, or the caller, wants it.
//
//     p, g, m ──▶ ┌ b·m + c·g ─▶ m' ────────┐ ──▶ m', p'
//                 │      └─▶ p − r·m' ─▶ p' │
//                 └─────────────────────────┘    g, m and p are read once,
//                                                m' and p' written once

#ifndef SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_FUSEDTRAFFIC_H
#define SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_FUSEDTRAFFIC_H

#include "StepGraph.h"

namespace shardsmith::plan {

/// Sets `StepValue::inMemory` and `StepNode::readsMemory` of a whole graph.
void markFusedTraffic(StepGraph &graph);

} // namespace shardsmith::plan

#endif // SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_FUSEDTRAFFIC_H

// SPDX-License-Identifier: Apache-2.0
//
// Whether a strategy can be run at all.

#ifndef SHARDSMITH_LIB_CHECK_LEGALITY_H
#define SHARDSMITH_LIB_CHECK_LEGALITY_H

#include "Claims.h"
#include "Findings.h"
#include "shardsmith/Cluster/Topology.h"

namespace shardsmith::check {

/// Degrees, device order, ZeRO, micro-batches, schedule and stages. Replays
/// the schedule action by action.
void checkDecisions(const CheckInputs &inputs, const ClusterTopology &topology,
                    const Strategy &strategy, Findings &findings);

/// Names of ops, factors and tensors against the model's blocks; the shapes of
/// parameters, and the axes that split them. Fills `claims.strategy.layouts`.
void bindLayouts(const workload::Workload &workload, Claims &claims,
                 Findings &findings);

/// Compares the decisions of the annotated graph with the plan's, and puts them
/// in their place. Layouts must be bound.
void takeGraphDecisions(const CheckInputs &inputs, Strategy &strategy,
                        Findings &findings);

/// What each block's layout may split, and that neighbours agree on what they
/// hand over.
void checkLayouts(const workload::Workload &workload, const Strategy &strategy,
                  Findings &findings);

/// How often devices fail, and what checkpoints take.
void checkFailures(const CheckInputs &inputs, const ClusterTopology &topology,
                   const Claims &claims, Findings &findings);

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_LEGALITY_H

// SPDX-License-Identifier: Apache-2.0
//
// What was asked, and the other plans that were found beside the answer.

#ifndef SHARDSMITH_LIB_CHECK_ASKED_H
#define SHARDSMITH_LIB_CHECK_ASKED_H

#include "Claims.h"
#include "Findings.h"
#include "shardsmith/Cluster/Topology.h"

namespace shardsmith::check {

/// That options are known, and the plan obeys them. Those that only say where
/// model, cluster and profile are have been obeyed when these were loaded.
void checkOptions(const Claims &claims, Findings &findings,
                  CheckReport &report);

/// Alternatives are legal, their figures add up and their prices follow from
/// them. Without a tensor axis there is but one layout, and every figure is
/// derived again.
void checkAlternatives(const CheckInputs &inputs,
                       const ClusterTopology &topology, const Claims &claims,
                       Findings &findings, CheckReport &report);

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_ASKED_H

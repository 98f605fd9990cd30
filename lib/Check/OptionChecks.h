// SPDX-License-Identifier: Apache-2.0
//
// Checks of what a plan says beside its own decisions: the options it was asked
// for with, and the alternatives that the search found.

#ifndef SHARDSMITH_LIB_CHECK_OPTIONCHECKS_H
#define SHARDSMITH_LIB_CHECK_OPTIONCHECKS_H

#include "Claims.h"
#include "Findings.h"
#include "shardsmith/Cluster/Topology.h"

namespace shardsmith::check {

/// Checks that options are known and that the plan obeys them. Options that
/// only say where model, cluster and profile are were obeyed when these were
/// loaded.
void checkOptions(const Claims &claims, Findings &findings,
                  CheckReport &report);

/// Checks that alternatives are legal, that their figures add up, and that
/// their prices follow from the figures. An alternative without a tensor axis
/// has a single layout, so every one of its figures is derived again.
void checkAlternatives(const CheckInputs &inputs,
                       const ClusterTopology &topology, const Claims &claims,
                       Findings &findings, CheckReport &report);

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_OPTIONCHECKS_H

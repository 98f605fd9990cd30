// SPDX-License-Identifier: Apache-2.0
//
// Stated figures against those derived again, of the plan and of its
// alternatives. `prefix` is where in the file an estimate stands: empty, or
// `/alternatives/2`.

#ifndef SHARDSMITH_LIB_CHECK_COMPARE_H
#define SHARDSMITH_LIB_CHECK_COMPARE_H

#include "Claims.h"
#include "Findings.h"
#include "StepFigures.h"

namespace shardsmith::check {

/// Every figure of an estimate; returns how many were compared.
int64_t compareFigures(const Figures &claimed, const StepFigures &derived,
                       const std::string &prefix, Findings &findings);

/// The parts of a step add up, whatever they are.
void checkClaimedSums(const Figures &claimed, const std::string &prefix,
                      Findings &findings);

/// Where figures come from, and how sure they are.
struct Origin {
  const std::string &provenance;
  double uncertainty;
};
void checkOrigin(const Origin &claimed, const std::string &prefix,
                 const StackProfile &profile, Findings &findings);

/// Of one step, for the devices that the strategy uses; nothing if some kind
/// of device has no price.
std::optional<double> dollarsPerStep(const ClusterTopology &topology,
                                     const Strategy &strategy, int64_t step);

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_COMPARE_H

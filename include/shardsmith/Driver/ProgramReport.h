// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DRIVER_PROGRAMREPORT_H
#define SHARDSMITH_DRIVER_PROGRAMREPORT_H

#include "shardsmith/Cluster/Cluster.h"
#include "shardsmith/PlanFiles/PlanDocument.h"
#include "shardsmith/ValueLayouts/Plan.h"

#include <string>

namespace shardsmith {

/// The part of a plan that is built, as a person reads it: mesh, time, memory,
/// traffic, proof.
std::string describeProgram(const StepPlan &plan);

/// A sentence if a rank of the document's program holds more than any device of
/// the plan offers, although the strategy fits. Empty if it does not, or if
/// memory is not counted on the program yet.
std::string memoryShortfall(const PlanDocument &document, const StepPlan &plan);

/// `data=2 × tensor=2`, or `one device`.
std::string describeMesh(const std::vector<FixedAxis> &mesh);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_PROGRAMREPORT_H

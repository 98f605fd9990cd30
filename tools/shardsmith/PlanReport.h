// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TOOLS_SHARDSMITH_PLANREPORT_H
#define SHARDSMITH_TOOLS_SHARDSMITH_PLANREPORT_H

#include "shardsmith/Cluster/Cluster.h"
#include "shardsmith/Plan/Plan.h"

#include <string>

namespace shardsmith {

/// The plan as a person reads it: mesh, time, memory, traffic, proof.
std::string describePlan(const Plan &plan);

/// `data=2 × tensor=2`, or `one device`.
std::string describeMesh(const std::vector<FixedAxis> &mesh);

/// `1.93 GiB`
std::string describeBytes(Bytes bytes);

} // namespace shardsmith

#endif // SHARDSMITH_TOOLS_SHARDSMITH_PLANREPORT_H

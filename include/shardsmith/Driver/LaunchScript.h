// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DRIVER_LAUNCHSCRIPT_H
#define SHARDSMITH_DRIVER_LAUNCHSCRIPT_H

#include "shardsmith/Cluster/Cluster.h"
#include "shardsmith/PlanFiles/PlanDocument.h"

namespace shardsmith {

/// Builds the program of the script's folder and trains with it.
std::string programScript(int64_t ranks);

/// Starts a training script with torchrun, with the plan as flags of
/// NVIDIA/Megatron-LM. What those flags cannot say is a comment, and the
/// script then ends before it starts anything.
std::string launchScript(const PlanDocument &document, const Cluster &cluster);

/// Writes a script that may be run. Throws Failure.
void writeExecutable(const std::string &path, const std::string &text);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_LAUNCHSCRIPT_H

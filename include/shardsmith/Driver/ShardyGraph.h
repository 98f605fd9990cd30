// SPDX-License-Identifier: Apache-2.0
//
// The annotated graph of a plan, as what knows StableHLO and sdy reads it.

#ifndef SHARDSMITH_DRIVER_SHARDYGRAPH_H
#define SHARDSMITH_DRIVER_SHARDYGRAPH_H

#include "shardsmith/Emit/Emit.h"

#include <string>

namespace shardsmith {

class Session;

/// Adds the graph beside a plan to what is written for a target that has a file
/// for it: with a constraint wherever a value changes its layout, without
/// attributes of our own, for as many partitions as its mesh has devices. A
/// graph with ops of our own has no such file, which a note says.
/// `plan` is a plan's folder or a file in it; without a graph there nothing is
/// added. Throws Failure if the graph cannot be read.
void addShardyGraph(Session &session, const std::string &plan,
                    const emit::Target &target, emit::Emission &emission);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_SHARDYGRAPH_H

// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_WORKLOAD_EXTRACT_POSITIONS_H
#define SHARDSMITH_LIB_WORKLOAD_EXTRACT_POSITIONS_H

#include "AttentionPattern.h"

#include <deque>
#include <string>

namespace shardsmith::workload {

/// Why ranks of a causal ring cannot each have some positions from the begin
/// of the sequence and some from its end: the first op that may depend on their
/// order. Empty if they can, and without causal attention.
std::string findPositionObstacle(const ModelGraph &graph,
                                 const std::deque<Attention> &attentions);

} // namespace shardsmith::workload

#endif // SHARDSMITH_LIB_WORKLOAD_EXTRACT_POSITIONS_H

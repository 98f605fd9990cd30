// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_COST_GROUPLINKS_H
#define SHARDSMITH_LIB_COST_GROUPLINKS_H

#include "shardsmith/Cost/CostModel.h"

namespace shardsmith::cost {

/// The narrowest link that any of the groups meets. Every group is a list of
/// device ids; all groups communicate at the same time and share the network
/// interfaces of their nodes.
GroupLink findGroupLink(const Cluster &cluster,
                        llvm::ArrayRef<std::vector<int64_t>> groups);

} // namespace shardsmith::cost

#endif // SHARDSMITH_LIB_COST_GROUPLINKS_H

// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_WORKLOAD_VERIFYBLOCK_H
#define SHARDSMITH_LIB_WORKLOAD_VERIFYBLOCK_H

#include "shardsmith/Workload/Workload.h"

namespace shardsmith::workload {

/// Empty if the invariants of the block hold, else the first thing that is
/// wrong.
std::string verifyBlock(const Block &block);

} // namespace shardsmith::workload

#endif // SHARDSMITH_LIB_WORKLOAD_VERIFYBLOCK_H

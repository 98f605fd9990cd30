// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_RUNTIME_SORT_H
#define SHARDSMITH_RUNTIME_SORT_H

#include "shardsmith/Runtime/ABI.h"
#include "shardsmith/Runtime/ThreadTeam.h"

namespace shardsmith::runtime {

/// As smith_sort_run of ABI.h. A comparator that is no order gives some
/// permutation.
void sortLines(const smith_sort &sort, smith_comparator before,
               const void *const *inputs, void *const *results,
               const ThreadTeam &team);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_SORT_H

// SPDX-License-Identifier: Apache-2.0
//
// Rows of tokens, and where they are among the rows of the parts that their
// experts are in: the row functions of ABI.h.

#ifndef SHARDSMITH_RUNTIME_ROWS_H
#define SHARDSMITH_RUNTIME_ROWS_H

#include "shardsmith/Runtime/ABI.h"
#include "shardsmith/Runtime/ThreadTeam.h"

namespace shardsmith::runtime {

void placeRows(const smith_rows &shape, const int32_t *experts, int32_t *slots,
               int32_t *ends);
void packRows(const smith_rows &shape, const void *rows, const int32_t *slots,
              void *packed, const ThreadTeam &team);
void unpackRows(const smith_rows &shape, const void *packed,
                const int32_t *slots, void *rows, const ThreadTeam &team);
/// Returns how many rows are dropped.
int64_t limitRows(const smith_rows &shape, const int32_t *experts,
                  int32_t *kept);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_ROWS_H

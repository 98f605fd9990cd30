// SPDX-License-Identifier: Apache-2.0
//
// The largest elements of each row, for generated code.

#ifndef SHARDSMITH_RUNTIME_TOPK_H
#define SHARDSMITH_RUNTIME_TOPK_H

#include "shardsmith/Runtime/ABI.h"
#include "shardsmith/Runtime/ThreadTeam.h"

namespace shardsmith::runtime {

/// As smith_top_k of ABI.h.
void topK(const ThreadTeam &team, smith_dtype type, const void *in,
          void *values, int32_t *indices, int64_t rows, int64_t length,
          int64_t kept);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_TOPK_H

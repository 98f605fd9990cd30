// SPDX-License-Identifier: Apache-2.0
//
// Collectives level by level, as `CollectiveTimes` prices them: a ring inside
// the innermost domains, then rings of those who hold the same part in each of
// them, and so on. Of two nodes of three ranks:
//
//     reduce-scatter inside    0 → 1 → 2 → 0     3 → 4 → 5 → 3
//     all-reduce across        0 ⇄ 3     1 ⇄ 4     2 ⇄ 5       a third each
//     all-gather inside        0 → 1 → 2 → 0     3 → 4 → 5 → 3
//
// A reduce-scatter goes from the inside out, an all-gather from the outside in,
// an all-reduce is one and then the other.

#ifndef SHARDSMITH_LIB_EMIT_MSCCL_HIERARCHICAL_H
#define SHARDSMITH_LIB_EMIT_MSCCL_HIERARCHICAL_H

#include "Algorithm.h"

#include <span>

namespace shardsmith::emit::msccl {

/// An all-reduce, all-gather or reduce-scatter of a group whose members are
/// numbered from the inside out; `fanouts` are those of its levels, all above
/// one. In place the input of a rank is its part of the output, or the other
/// way round, or input and output are the same.
Algorithm hierarchical(CollectiveOp op, std::span<const int64_t> fanouts,
                       bool isInPlace);

} // namespace shardsmith::emit::msccl

#endif // SHARDSMITH_LIB_EMIT_MSCCL_HIERARCHICAL_H

// SPDX-License-Identifier: Apache-2.0
//
// Kernels like multiples of 64. Where the whole has them, large shards (a split
// vocabulary) are padded to have them, too: it costs less than 1 %.

#ifndef SHARDSMITH_LIB_COST_KERNELS_PADDING_H
#define SHARDSMITH_LIB_COST_KERNELS_PADDING_H

#include <cstdint>

namespace shardsmith::cost {

inline constexpr int64_t likedMultiple = 64;
inline constexpr int64_t paddedFrom = 8192;

} // namespace shardsmith::cost

#endif // SHARDSMITH_LIB_COST_KERNELS_PADDING_H

// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_SUPPORT_GIBIBYTES_H
#define SHARDSMITH_SUPPORT_GIBIBYTES_H

#include "shardsmith/Support/Quantity.h"

namespace shardsmith {

/// In units of 2^30 bytes, as people are shown memory.
inline double gibOf(Bytes bytes) {
  return double(bytes.count()) / double(int64_t(1) << 30);
}

} // namespace shardsmith

#endif // SHARDSMITH_SUPPORT_GIBIBYTES_H

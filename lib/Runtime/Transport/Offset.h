// SPDX-License-Identifier: Apache-2.0
//
// Places in buffers of bytes.

#ifndef SHARDSMITH_LIB_RUNTIME_TRANSPORT_OFFSET_H
#define SHARDSMITH_LIB_RUNTIME_TRANSPORT_OFFSET_H

#include <cstdint>

namespace shardsmith::runtime {

inline const uint8_t *at(const void *base, int64_t offset) {
  return static_cast<const uint8_t *>(base) + offset;
}
inline uint8_t *at(void *base, int64_t offset) {
  return static_cast<uint8_t *>(base) + offset;
}

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_TRANSPORT_OFFSET_H

// SPDX-License-Identifier: Apache-2.0
//
// FNV-1a, 64 bits (Fowler, Noll, Vo): a stable hash of short texts.

#ifndef SHARDSMITH_RUNTIME_HASH_H
#define SHARDSMITH_RUNTIME_HASH_H

#include <cstdint>
#include <string_view>

namespace shardsmith::runtime {

constexpr uint64_t hashText(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3u;
  }
  return hash;
}

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_HASH_H

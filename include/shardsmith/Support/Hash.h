// SPDX-License-Identifier: Apache-2.0
//
// FNV-1a, 64 bits (Fowler, Noll, Vo): a stable hash of texts. It guards
// against mix-ups, not against attackers.

#ifndef SHARDSMITH_SUPPORT_HASH_H
#define SHARDSMITH_SUPPORT_HASH_H

#include <cstdint>
#include <string>
#include <string_view>

namespace shardsmith {

/// Of what came `before` followed by `text`.
constexpr uint64_t hashText(std::string_view text,
                            uint64_t before = 0xcbf29ce484222325u) {
  uint64_t hash = before;
  for (char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3u;
  }
  return hash;
}

/// Sixteen hexadecimal digits, as plans name their inputs.
inline std::string toDigits(uint64_t hash) {
  std::string digits(16, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    *digit = "0123456789abcdef"[hash % 16];
    hash /= 16;
  }
  return digits;
}

} // namespace shardsmith

#endif // SHARDSMITH_SUPPORT_HASH_H

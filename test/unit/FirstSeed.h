// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TEST_UNIT_FIRSTSEED_H
#define SHARDSMITH_TEST_UNIT_FIRSTSEED_H

#include <cstdint>
#include <cstdlib>
#include <random>

namespace shardsmith::test {

/// Another one in every run, unless SHARDSMITH_SEED gives it.
inline uint64_t firstSeed() {
  const char *text = std::getenv("SHARDSMITH_SEED");
  return text ? std::strtoull(text, nullptr, 10) : std::random_device()();
}

} // namespace shardsmith::test

#endif // SHARDSMITH_TEST_UNIT_FIRSTSEED_H

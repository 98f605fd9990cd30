// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TEST_UNIT_FIRSTSEED_H
#define SHARDSMITH_TEST_UNIT_FIRSTSEED_H

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string_view>

namespace shardsmith::test {

/// Where a test's random data come from: SHARDSMITH_TEST_SEED, if that is set.
/// Otherwise the seed follows from SHARDSMITH_DRAWS and how many were asked for
/// before. `make test` sets SHARDSMITH_DRAWS to what follows from the content
/// of the tree: every change draws anew, and other machines draw the same.
/// Without either every run draws anew.
inline uint64_t firstSeed() {
  if (const char *seed = std::getenv("SHARDSMITH_TEST_SEED"))
    return std::strtoull(seed, nullptr, 10);
  const char *text = std::getenv("SHARDSMITH_DRAWS");
  std::string_view draws = text ? text : "";
  if (draws.empty())
    return std::random_device()();
  static std::atomic<uint32_t> asked = 0;
  std::seed_seq sequence(draws.begin(), draws.end());
  std::mt19937 random(sequence);
  random.discard(asked++);
  return random();
}

} // namespace shardsmith::test

#endif // SHARDSMITH_TEST_UNIT_FIRSTSEED_H

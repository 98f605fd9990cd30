// SPDX-License-Identifier: Apache-2.0
//
// Random numbers by position: element i of stream s under seed k is a pure
// function of (k, s, i), so a tensor has the same content however it is
// split, and ranks never talk to agree on it.
//
// Generator: Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random
// numbers: as easy as 1, 2, 3" (SC 2011). One counter gives four 32-bit
// words: the key is the seed, the counter is (i / 4, stream), and element i
// uses word i mod 4.

#ifndef SHARDSMITH_RUNTIME_RANDOM_H
#define SHARDSMITH_RUNTIME_RANDOM_H

#include <array>
#include <cstdint>
#include <string_view>

namespace shardsmith::runtime {

using PhiloxWords = std::array<uint32_t, 4>;

PhiloxWords philox(PhiloxWords counter, std::array<uint32_t, 2> key);

class RandomStream {
public:
  /// The name tells the streams of one seed apart.
  RandomStream(uint64_t seed, std::string_view name);

  /// Uniform in [0, 2^32).
  uint32_t word(uint64_t index) const;

  /// Standard normal, elements [first, first + count), by Box and Muller's
  /// transform in double precision of words (0, 1) and (2, 3) of a counter.
  void normal(uint64_t first, int64_t count, double *out) const;

private:
  PhiloxWords wordsAt(uint64_t block) const;

  uint64_t seed;
  uint64_t stream;
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_RANDOM_H

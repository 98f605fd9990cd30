// SPDX-License-Identifier: Apache-2.0
//
// Hash tables whose keys are a few numbers, such as degrees, sizes and numbers
// of paths. The search asks them millions of times, so the hash is a few
// multiplications.

#ifndef SHARDSMITH_LIB_PLAN_SUPPORT_NUMBERHASH_H
#define SHARDSMITH_LIB_PLAN_SUPPORT_NUMBERHASH_H

#include <array>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

namespace shardsmith::search {

class NumberHash {
public:
  void add(uint64_t number) {
    // The multiplier of Knuth's 64-bit linear congruential generator.
    hash = (hash ^ number) * 6364136223846793005u;
    hash ^= hash >> 32;
  }
  operator size_t() const { return hash; }

private:
  uint64_t hash = 0;
};

template <size_t size> struct NumbersHash {
  size_t operator()(const std::array<int64_t, size> &numbers) const {
    NumberHash hash;
    for (int64_t number : numbers)
      hash.add(uint64_t(number));
    return hash;
  }
};

template <size_t size, typename Value>
using ByNumbers =
    std::unordered_map<std::array<int64_t, size>, Value, NumbersHash<size>>;
template <size_t size>
using NumberSet =
    std::unordered_set<std::array<int64_t, size>, NumbersHash<size>>;

} // namespace shardsmith::search

#endif // SHARDSMITH_LIB_PLAN_SUPPORT_NUMBERHASH_H

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Random.h"

#include "shardsmith/Support/Hash.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace shardsmith::runtime {
namespace {

uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
uint32_t high(uint64_t value) { return static_cast<uint32_t>(value >> 32); }

/// Two independent normal numbers from two words. The first uniform number
/// lies in (0, 1), so the logarithm is finite.
void boxMuller(uint32_t first, uint32_t second, double *out) {
  double uniform = (first + 0.5) * 0x1p-32;
  double angle = 2 * std::numbers::pi * 0x1p-32 * second;
  double radius = std::sqrt(-2 * std::log(uniform));
  double sine, cosine;
  sincos(angle, &sine, &cosine);
  out[0] = radius * cosine;
  out[1] = radius * sine;
}

} // namespace

PhiloxWords philox(PhiloxWords counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t first = uint64_t(0xD2511F53) * counter[0];
    uint64_t second = uint64_t(0xCD9E8D57) * counter[2];
    counter = {high(second) ^ counter[1] ^ key[0], low(second),
               high(first) ^ counter[3] ^ key[1], low(first)};
    key[0] += 0x9E3779B9; // the golden ratio
    key[1] += 0xBB67AE85; // the square root of three, less one
  }
  return counter;
}

RandomStream::RandomStream(uint64_t seed, std::string_view name)
    : seed(seed), stream(hashText(name)) {}

PhiloxWords RandomStream::wordsAt(uint64_t block) const {
  return philox({low(block), high(block), low(stream), high(stream)},
                {low(seed), high(seed)});
}

uint32_t RandomStream::word(uint64_t index) const {
  return wordsAt(index / 4)[index % 4];
}

void RandomStream::normal(uint64_t first, int64_t count, double *out) const {
  uint64_t end = first + static_cast<uint64_t>(count);
  for (uint64_t block = first / 4; block * 4 < end; ++block) {
    PhiloxWords words = wordsAt(block);
    double values[4];
    boxMuller(words[0], words[1], values);
    boxMuller(words[2], words[3], values + 2);
    uint64_t from = std::max(first, block * 4);
    uint64_t to = std::min(end, block * 4 + 4);
    for (uint64_t index = from; index < to; ++index)
      out[index - first] = values[index % 4];
  }
}

} // namespace shardsmith::runtime

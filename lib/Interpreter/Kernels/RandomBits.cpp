// SPDX-License-Identifier: Apache-2.0
//
// Counter-based generators: every block of bits is a hash of a key and of its
// number. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011).

#include "RandomBits.h"

#include "shardsmith/Interpreter/TensorMemory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

using Pair = std::array<uint32_t, 2>;
using Quadruple = std::array<uint32_t, 4>;

uint32_t lowHalf(uint64_t value) { return static_cast<uint32_t>(value); }
uint32_t highHalf(uint64_t value) { return static_cast<uint32_t>(value >> 32); }

/// Threefry-2x32 with 20 rounds.
Pair threeFry(Pair block, Pair key) {
  static constexpr int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t keys[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1bd11bda};
  block[0] += keys[0];
  block[1] += keys[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (int rotation : rotations[group % 2]) {
      block[0] += block[1];
      block[1] = std::rotl(block[1], rotation) ^ block[0];
    }
    block[0] += keys[(group + 1) % 3];
    block[1] += keys[(group + 2) % 3] + group + 1;
  }
  return block;
}

/// Philox-4x32 with 10 rounds.
Quadruple philox(Quadruple block, Pair key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = uint64_t(0xd2511f53) * block[0];
    const uint64_t second = uint64_t(0xcd9e8d57) * block[2];
    block = {highHalf(second) ^ block[1] ^ key[0], lowHalf(second),
             highHalf(first) ^ block[3] ^ key[1], lowHalf(first)};
    key[0] += 0x9e3779b9;
    key[1] += 0xbb67ae85;
  }
  return block;
}

/// Random 32-bit words in the order of the result's elements; 64-bit elements
/// take two, the low half first.
struct Words {
  TensorVector<uint32_t> words;
  std::vector<uint64_t> newState;
};

/// One block per 64-bit element.
Words threeFryPairs(Pair key, uint64_t counter, int64_t count) {
  Words result;
  for (int64_t i = 0; i < count; ++i, ++counter) {
    const Pair block = threeFry({lowHalf(counter), highHalf(counter)}, key);
    result.words.insert(result.words.end(), block.begin(), block.end());
  }
  return result;
}

/// The dimension along which 32-bit elements share blocks in pairs of
/// neighbours: the first of even size, else the largest. `shape` is no scalar.
size_t pairedDim(ArrayRef<int64_t> shape) {
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] % 2 == 0)
      return dim;
  return std::max_element(shape.begin(), shape.end()) - shape.begin();
}

Words threeFryNeighbours(Pair key, uint64_t counter, ArrayRef<int64_t> shape) {
  const size_t paired = pairedDim(shape);
  const int64_t size = shape[paired];
  const int64_t half = (size + 1) / 2;
  const int64_t inner = elementCount(shape.drop_front(paired + 1));
  Words result;
  for (int64_t i = 0; i < elementCount(shape); ++i) {
    const int64_t at = i / inner % size;
    const uint64_t block =
        counter + static_cast<uint64_t>(
                      (i / (inner * size) * half + at / 2) * inner + i % inner);
    result.words.push_back(
        threeFry({lowHalf(block), highHalf(block)}, key)[at % 2]);
  }
  return result;
}

Words threeFryWords(const Tensor &state, unsigned bits,
                    ArrayRef<int64_t> shape) {
  const auto *words = state.data<uint64_t>();
  const uint64_t key = words[0], counter = words[1];
  const Pair keyWords = {lowHalf(key), highHalf(key)};
  const int64_t count = elementCount(shape);
  if (bits == 64) {
    Words result = threeFryPairs(keyWords, counter, count);
    result.newState = {key, counter + count};
    return result;
  }
  static constexpr int64_t one = 1;
  const ArrayRef<int64_t> vector =
      shape.empty() ? ArrayRef<int64_t>(one) : shape;
  const int64_t size = vector[pairedDim(vector)];
  Words result = threeFryNeighbours(keyWords, counter, vector);
  const int64_t pairs = count == 0 ? 0 : count / size * ((size + 1) / 2);
  result.newState = {key, counter + pairs};
  return result;
}

/// The counter has 128 bits. A state of two words leaves its upper half to
/// the key.
Words philoxWords(const Tensor &state, unsigned bits, ArrayRef<int64_t> shape) {
  const auto *words = state.data<uint64_t>();
  const bool hasUpperHalf = state.size() == 3;
  const uint64_t key = words[0];
  uint64_t low = words[1], high = hasUpperHalf ? words[2] : key;
  const int64_t wordCount = elementCount(shape) * (bits == 64 ? 2 : 1);
  Words result;
  for (int64_t i = 0; i < wordCount; i += 4) {
    const Quadruple block =
        philox({lowHalf(low), highHalf(low), lowHalf(high), highHalf(high)},
               {lowHalf(key), highHalf(key)});
    result.words.insert(result.words.end(), block.begin(), block.end());
    high += ++low == 0;
  }
  result.newState = {key, low};
  if (hasUpperHalf)
    result.newState.push_back(high);
  return result;
}

} // namespace

std::pair<Tensor, Tensor> randomBits(RandomAlgorithm algorithm,
                                     const Tensor &state, ElementType type,
                                     ArrayRef<int64_t> shape) {
  const Tensor dense = state.dense();
  const unsigned bits = valueBits(type);
  const Words random = algorithm == RandomAlgorithm::ThreeFry
                           ? threeFryWords(dense, bits, shape)
                           : philoxWords(dense, bits, shape);
  Tensor result = Tensor::uninitialized(type, shape);
  dispatchWidth(type, [&]<typename T>(Tag<T>) {
    T *out = result.mutableData<T>();
    for (int64_t i = 0; i < result.size(); ++i) {
      if constexpr (sizeof(T) == 8)
        out[i] = static_cast<T>(random.words[2 * i]) |
                 static_cast<T>(random.words[2 * i + 1]) << 32;
      else
        out[i] = static_cast<T>(random.words[i]);
    }
  });
  return {
      Tensor::of<uint64_t>(ElementType::U64, state.shape(), random.newState),
      result};
}

} // namespace shardsmith::inline interpreter

// SPDX-License-Identifier: Apache-2.0
//
// Matrices of a stack that is split in any way, uneven ones included, against
// element by element.

#include "../../../lib/Runtime/Files/StackedMatrix.h"
#include "../FirstSeed.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace shardsmith;
using namespace shardsmith::runtime;

namespace {

/// A stack of 32-bit numbers, split over as many ranks as `parts` says per
/// dimension.
struct SplitStack {
  explicit SplitStack(std::mt19937 &random) {
    stack.type = SMITH_I32;
    for (int dim = 0; dim < 3; ++dim) {
      stack.globalShape.push_back(1 + random() % 5);
      parts.push_back(1 + random() % 3);
      stack.localShape.push_back((stack.globalShape[dim] + parts[dim] - 1) /
                                 parts[dim]);
    }
  }

  /// The part at a position of the grid of ranks.
  Shard shardAt(const Shape &position) const {
    Shard shard;
    shard.globalShape = stack.globalShape;
    shard.localShape = stack.localShape;
    for (size_t dim = 0; dim < 3; ++dim) {
      int64_t whole = stack.globalShape[dim];
      int64_t start = std::min(position[dim] * stack.localShape[dim], whole);
      shard.start.push_back(start);
      shard.size.push_back(std::min(stack.localShape[dim], whole - start));
    }
    return shard;
  }

  template <typename Visitor> void forEachPart(Visitor visit) const {
    for (int64_t i = 0; i < parts[0]; ++i)
      for (int64_t j = 0; j < parts[1]; ++j)
        for (int64_t k = 0; k < parts[2]; ++k)
          visit(shardAt({i, j, k}));
  }

  int32_t valueAt(int64_t number, int64_t input, int64_t output) const {
    return static_cast<int32_t>((number * stack.globalShape[1] + input) *
                                    stack.globalShape[2] +
                                output);
  }

  /// The rank's part; padding is −1.
  std::vector<int32_t> localOf(const Shard &shard) const {
    std::vector<int32_t> local(elementCount(shard.localShape), -1);
    for (int64_t i = 0; i < shard.size[0]; ++i)
      for (int64_t j = 0; j < shard.size[1]; ++j)
        for (int64_t k = 0; k < shard.size[2]; ++k)
          local[(i * shard.localShape[1] + j) * shard.localShape[2] + k] =
              valueAt(shard.start[0] + i, shard.start[1] + j,
                      shard.start[2] + k);
    return local;
  }

  Tensor stack;
  Shape parts;
};

std::vector<int32_t> numbersIn(const std::vector<uint8_t> &bytes) {
  std::vector<int32_t> numbers(bytes.size() / sizeof(int32_t));
  if (!bytes.empty())
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

TEST(StackedMatrix, PartsMakeUpTheTransposedMatrix) {
  uint64_t seed = test::firstSeed();
  SCOPED_TRACE("SHARDSMITH_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  for (int i = 0; i < 200; ++i) {
    SplitStack split(random);
    Shape shape = StackedMatrix::fileShape(split.stack);
    for (int64_t number = 0; number < split.stack.globalShape[0]; ++number) {
      std::vector<int32_t> file(elementCount(shape), -1);
      split.forEachPart([&](const Shard &shard) {
        StackedMatrix matrix(split.stack, shard, number);
        auto local = split.localOf(shard);
        auto values = numbersIn(
            matrix.take(reinterpret_cast<const uint8_t *>(local.data())));
        for (const auto &run : contiguousRuns(matrix.fileShard()))
          for (int64_t at = 0; at < run.length; ++at) {
            ASSERT_EQ(file[run.global + at], -1) << "written twice";
            file[run.global + at] = values[run.local + at];
          }
      });
      for (int64_t output = 0; output < shape[0]; ++output)
        for (int64_t input = 0; input < shape[1]; ++input)
          ASSERT_EQ(file[output * shape[1] + input],
                    split.valueAt(number, input, output));
    }
  }
}

TEST(StackedMatrix, PutsBackWhatItTakes) {
  uint64_t seed = test::firstSeed();
  SCOPED_TRACE("SHARDSMITH_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  for (int i = 0; i < 200; ++i) {
    SplitStack split(random);
    split.forEachPart([&](const Shard &shard) {
      auto local = split.localOf(shard);
      std::vector<int32_t> copy(local.size(), -1);
      for (int64_t number = 0; number < split.stack.globalShape[0]; ++number) {
        StackedMatrix matrix(split.stack, shard, number);
        matrix.put(matrix.take(reinterpret_cast<const uint8_t *>(local.data())),
                   reinterpret_cast<uint8_t *>(copy.data()));
      }
      ASSERT_EQ(copy, local) << "padding is left alone";
    });
  }
}

} // namespace

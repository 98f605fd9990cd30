// SPDX-License-Identifier: Apache-2.0
//
// Convolutions of random shapes and layouts against their definition in
// double.

#include "shardsmith/Runtime/Convolution.h"
#include "../FirstSeed.h"
#include "shardsmith/Runtime/ElementType.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

using namespace shardsmith::runtime;

namespace {

struct Memory {
  ElementType type;
  std::vector<uint8_t> bytes;
  double at(int64_t index) const {
    return loadAsDouble(type, bytes.data(), index);
  }
};

class ConvolutionTest : public testing::Test {
protected:
  uint32_t seed = uint32_t(shardsmith::test::firstSeed());
  std::mt19937 random{seed};
  ThreadTeam team{2};
  ConvolutionLibrary library{team};
  int32_t nextId = 0;
  std::map<std::string, int> seen;

  int64_t draw(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % (high - low + 1));
  }

  /// Strides of dimensions of these sizes in random order, with gaps at times;
  /// `span` becomes the number of elements from the first to the last.
  std::vector<int64_t> lay(const std::vector<int64_t> &sizes, int64_t &span) {
    std::vector<size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    if (random() % 2)
      std::shuffle(order.begin(), order.end(), random);
    else
      std::reverse(order.begin(), order.end());
    std::vector<int64_t> strides(sizes.size());
    int64_t stride = 1;
    span = 1;
    for (size_t dim : order) {
      strides[dim] = stride;
      span += std::max<int64_t>(sizes[dim] - 1, 0) * stride;
      stride = stride * std::max<int64_t>(sizes[dim], 1) +
               (random() % 8 == 0 ? 1 : 0);
    }
    return strides;
  }

  /// Multiples of 1/8 between −1 and 1; of one for integers.
  Memory fill(ElementType type, int64_t count) {
    Memory memory{type, std::vector<uint8_t>(count * byteSize(type))};
    for (int64_t i = 0; i < count; ++i)
      storeFromDouble(type, memory.bytes.data(), i,
                      isFloat(type) ? static_cast<double>(draw(-8, 8)) / 8
                                    : static_cast<double>(draw(0, 4)));
    return memory;
  }

  /// Sizes, dilations and padding of one dimension, of the kinds that the
  /// gradients of convolutions have as well.
  smith_convolution_space drawSpace() {
    smith_convolution_space space{};
    for (;;) {
      space.step = draw(1, 3);
      space.lhs_dilation = random() % 3 ? 1 : draw(1, 3);
      space.rhs_dilation = random() % 3 ? 1 : draw(1, 3);
      if (random() % 2)
        space.step = 1;
      space.lhs_size = draw(1, 12);
      space.rhs_size = draw(1, random() % 2 ? 3 : 9);
      space.padding = draw(-2, 4);
      int64_t high = draw(-2, 4);
      int64_t extent =
          (space.lhs_size - 1) * space.lhs_dilation + 1 + space.padding + high;
      int64_t window = (space.rhs_size - 1) * space.rhs_dilation + 1;
      space.is_reversed = random() % 3 == 0;
      if (extent < window)
        continue;
      space.result_size = (extent - window) / space.step + 1;
      return space;
    }
  }

  void check(ElementType lhsType, ElementType rhsType, ElementType resultType,
             int spaces) {
    SCOPED_TRACE(testing::Message() << name(lhsType) << " x " << name(rhsType)
                                    << " -> " << name(resultType) << ", seed "
                                    << seed << ", number " << nextId);
    smith_convolution convolution{};
    convolution.id = nextId++;
    convolution.space_count = spaces;
    convolution.lhs_dtype = lhsType;
    convolution.rhs_dtype = rhsType;
    convolution.result_dtype = resultType;
    convolution.g = random() % 3 ? 1 : draw(2, 4);
    convolution.n = draw(1, 3);
    convolution.c = draw(1, 5);
    convolution.o = draw(1, 5);
    std::vector<int64_t> lhs{convolution.g, convolution.n, convolution.c},
        rhs{convolution.g, convolution.o, convolution.c},
        result{convolution.g, convolution.n, convolution.o};
    for (int d = 0; d < spaces; ++d) {
      smith_convolution_space &space = convolution.space[d] = drawSpace();
      lhs.push_back(space.lhs_size);
      rhs.push_back(space.rhs_size);
      result.push_back(space.result_size);
    }
    int64_t lhsSpan, rhsSpan, resultSpan;
    std::vector<int64_t> lhsStrides = lay(lhs, lhsSpan),
                         rhsStrides = lay(rhs, rhsSpan),
                         resultStrides = lay(result, resultSpan);
    convolution.lhs_g_stride = lhsStrides[0];
    convolution.lhs_n_stride = lhsStrides[1];
    convolution.lhs_c_stride = lhsStrides[2];
    convolution.rhs_g_stride = rhsStrides[0];
    convolution.rhs_o_stride = rhsStrides[1];
    convolution.rhs_c_stride = rhsStrides[2];
    convolution.result_g_stride = resultStrides[0];
    convolution.result_n_stride = resultStrides[1];
    convolution.result_o_stride = resultStrides[2];
    for (int d = 0; d < spaces; ++d) {
      convolution.space[d].lhs_stride = lhsStrides[3 + d];
      convolution.space[d].rhs_stride = rhsStrides[3 + d];
      convolution.space[d].result_stride = resultStrides[3 + d];
    }
    Memory a = fill(lhsType, lhsSpan), b = fill(rhsType, rhsSpan),
           c = fill(resultType, resultSpan), before = c;
    // Twice: the second run uses what the first prepared.
    for (int run = 0; run < 2; ++run)
      library.run(convolution, a.bytes.data(), b.bytes.data(), c.bytes.data());
    ++seen[library.describe(convolution.id)];
    compare(convolution, result, resultStrides, a, b, c, before);
  }

  void compare(const smith_convolution &convolution,
               const std::vector<int64_t> &sizes,
               const std::vector<int64_t> &strides, const Memory &a,
               const Memory &b, const Memory &c, const Memory &before) {
    int64_t elements = 1;
    for (int64_t size : sizes)
      elements *= size;
    std::vector<bool> isResult(c.bytes.size() / byteSize(c.type), false);
    for (int64_t number = 0; number < elements; ++number) {
      std::vector<int64_t> index(sizes.size());
      int64_t rest = number, place = 0;
      for (size_t d = sizes.size(); d-- > 0;) {
        index[d] = rest % sizes[d];
        rest /= sizes[d];
        place += index[d] * strides[d];
      }
      isResult[place] = true;
      double sum = 0;
      for (int64_t channel = 0; channel < convolution.c; ++channel)
        sum += sumOver(convolution, index, 0,
                       index[0] * convolution.lhs_g_stride +
                           index[1] * convolution.lhs_n_stride +
                           channel * convolution.lhs_c_stride,
                       index[0] * convolution.rhs_g_stride +
                           index[2] * convolution.rhs_o_stride +
                           channel * convolution.rhs_c_stride,
                       a, b);
      // Inputs are such that f32 sums are exact; only results round.
      Memory rounded{c.type, std::vector<uint8_t>(byteSize(c.type))};
      storeFromDouble(c.type, rounded.bytes.data(), 0, sum);
      ASSERT_EQ(c.at(place), rounded.at(0))
          << "element " << number << ", computed as "
          << library.describe(convolution.id);
    }
    for (size_t i = 0; i < isResult.size(); ++i)
      if (!isResult[i]) {
        ASSERT_EQ(c.at(i), before.at(i)) << "a gap was written";
      }
  }

  double sumOver(const smith_convolution &convolution,
                 const std::vector<int64_t> &index, int d, int64_t lhs,
                 int64_t rhs, const Memory &a, const Memory &b) {
    if (d == convolution.space_count)
      return a.at(lhs) * b.at(rhs);
    const smith_convolution_space &space = convolution.space[d];
    double sum = 0;
    for (int64_t w = 0; w < space.rhs_size; ++w) {
      int64_t at =
          space.step * index[3 + d] + space.rhs_dilation * w - space.padding;
      if (at < 0 || at % space.lhs_dilation != 0 ||
          at / space.lhs_dilation >= space.lhs_size)
        continue;
      int64_t tap = space.is_reversed ? space.rhs_size - 1 - w : w;
      sum += sumOver(convolution, index, d + 1,
                     lhs + at / space.lhs_dilation * space.lhs_stride,
                     rhs + tap * space.rhs_stride, a, b);
    }
    return sum;
  }
};

TEST_F(ConvolutionTest, FloatsOfOneToThreeDimensions) {
  for (int i = 0; i < 400; ++i)
    check(SMITH_F32, SMITH_F32, SMITH_F32, 1 + i % 3);
  EXPECT_GT(seen["forward"], 0);
  EXPECT_GT(seen["backward data"], 0);
  EXPECT_GT(seen["backward weights"], 0);
}

TEST_F(ConvolutionTest, OtherRanks) {
  for (int i = 0; i < 20; ++i)
    check(SMITH_F32, SMITH_F32, SMITH_F32, i % 2 ? 0 : 4);
}

TEST_F(ConvolutionTest, OtherElements) {
  const ElementType types[][3] = {
      {SMITH_BF16, SMITH_BF16, SMITH_BF16}, {SMITH_BF16, SMITH_BF16, SMITH_F32},
      {SMITH_F16, SMITH_F16, SMITH_F16},    {SMITH_F64, SMITH_F64, SMITH_F64},
      {SMITH_F32, SMITH_BF16, SMITH_F64},   {SMITH_I32, SMITH_I32, SMITH_I32},
      {SMITH_I8, SMITH_I8, SMITH_I32},      {SMITH_U8, SMITH_U8, SMITH_U8}};
  for (int i = 0; i < 160; ++i) {
    const auto &[lhs, rhs, result] = types[i % 8];
    check(lhs, rhs, result, 1 + static_cast<int>(random() % 2));
  }
}

// oneDNN's backward weights read of their scratchpad what they have not
// written, in these cases: gradients that are zero were what another
// convolution had left there.
TEST_F(ConvolutionTest, NothingIsReadThatOthersHaveLeft) {
  for (uint32_t known : {3635050057u, 775302903u, 3487425486u}) {
    seed = known;
    for (int i = 0; i < 20; ++i)
      check(SMITH_F32, SMITH_F32, SMITH_F32, 2);
    random.seed(known);
    for (int i = 0; i < 96; ++i)
      check(SMITH_BF16, SMITH_BF16, SMITH_BF16, 1 + i % 2);
  }
}

TEST_F(ConvolutionTest, NothingToSumGivesZeros) {
  smith_convolution convolution{};
  convolution.g = convolution.n = convolution.o = 1;
  convolution.space_count = 1;
  convolution.space[0] = {4, 3, 2, 1, 1, 1, 1, 0, 1, 1, 0};
  float result[2] = {7, 7};
  library.run(convolution, result, result, result);
  EXPECT_EQ(result[0], 0);
  EXPECT_EQ(result[1], 0);
}

TEST_F(ConvolutionTest, TooManyDimensionsAreAnError) {
  smith_convolution convolution{};
  convolution.space_count = SMITH_CONVOLUTION_MAX_SPACE + 1;
  EXPECT_ANY_THROW(library.run(convolution, nullptr, nullptr, nullptr));
}

} // namespace

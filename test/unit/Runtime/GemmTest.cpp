// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Gemm.h"
#include "../FirstSeed.h"
#include "shardsmith/Runtime/ElementType.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

using namespace shardsmith::runtime;

namespace {

/// A tensor of up to six dimensions whose dimensions lie in memory in random
/// order, with gaps at times.
struct RandomLayout {
  std::vector<int64_t> strides;
  int64_t span = 1; // elements from first to last, plus one

  RandomLayout(const std::vector<int64_t> &sizes, std::mt19937 &random,
               bool mayRepeat) {
    std::vector<size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    if (random() % 2)
      std::shuffle(order.begin(), order.end(), random);
    else
      std::reverse(order.begin(), order.end());
    strides.resize(sizes.size());
    int64_t stride = random() % 4 ? 1 : 2;
    for (size_t dim : order) {
      bool isRepeated = mayRepeat && random() % 8 == 0;
      strides[dim] = isRepeated ? 0 : stride;
      if (!isRepeated)
        stride = stride * std::max<int64_t>(sizes[dim], 1) + random() % 2;
    }
    for (size_t dim = 0; dim < sizes.size(); ++dim)
      span += std::max<int64_t>(sizes[dim] - 1, 0) * strides[dim];
  }
};

class GemmTest : public testing::Test {
protected:
  uint32_t seed = uint32_t(shardsmith::test::firstSeed());
  std::mt19937 random{seed};
  ThreadTeam team{2};
  GemmLibrary library{team};
  int32_t nextId = 0;

  /// One product of random sizes and strides against sums in double.
  void check(ElementType a, ElementType b, ElementType c,
             bool accumulates = false) {
    SCOPED_TRACE(testing::Message() << name(a) << " x " << name(b) << " -> "
                                    << name(c) << ", seed " << seed);
    smith_gemm gemm{};
    gemm.accumulates = accumulates ? 1 : 0;
    gemm.id = nextId++;
    gemm.batch_count = static_cast<int32_t>(random() % 5);
    gemm.a_dtype = a;
    gemm.b_dtype = b;
    gemm.c_dtype = c;
    gemm.m = drawSize();
    gemm.n = drawSize();
    gemm.k = drawSize();
    std::vector<int64_t> batch;
    for (int dim = 0; dim < gemm.batch_count; ++dim)
      batch.push_back(gemm.batch[dim] = 1 + random() % 3);
    auto lay = [&](int64_t rows, int64_t columns, int64_t *batchStride,
                   int64_t &rowStride, int64_t &columnStride, bool mayRepeat) {
      std::vector<int64_t> sizes = batch;
      sizes.insert(sizes.end(), {rows, columns});
      RandomLayout layout(sizes, random, mayRepeat);
      std::copy(layout.strides.begin(), layout.strides.end() - 2, batchStride);
      rowStride = layout.strides[batch.size()];
      columnStride = layout.strides[batch.size() + 1];
      return layout.span;
    };
    int64_t aSpan = lay(gemm.m, gemm.k, gemm.a_batch_stride, gemm.a_m_stride,
                        gemm.a_k_stride, true);
    int64_t bSpan = lay(gemm.k, gemm.n, gemm.b_batch_stride, gemm.b_k_stride,
                        gemm.b_n_stride, true);
    int64_t cSpan = lay(gemm.m, gemm.n, gemm.c_batch_stride, gemm.c_m_stride,
                        gemm.c_n_stride, false);
    std::vector<uint8_t> aData = fill(a, aSpan), bData = fill(b, bSpan);
    std::vector<uint8_t> cData = fill(c, cSpan), before = cData;
    // Twice: the second run uses what the first prepared.
    library.run(gemm, aData.data(), bData.data(), cData.data());
    library.run(gemm, aData.data(), bData.data(), cData.data());
    compare(gemm, aData, bData, cData, before, cSpan);
  }

private:
  int64_t drawSize() { return random() % 10 ? 1 + random() % 40 : 0; }

  /// Multiples of 1/8 between −2 and 2; of one for integers.
  std::vector<uint8_t> fill(ElementType type, int64_t count) {
    std::vector<uint8_t> data(static_cast<size_t>(count * byteSize(type)));
    for (int64_t i = 0; i < count; ++i) {
      double value = static_cast<double>(random() % 33) / 8 - 2;
      if (!isFloat(type))
        value = type == SMITH_BOOL ? random() % 2 : random() % 5;
      storeFromDouble(type, data.data(), i, value);
    }
    return data;
  }

  void compare(const smith_gemm &gemm, const std::vector<uint8_t> &a,
               const std::vector<uint8_t> &b, const std::vector<uint8_t> &c,
               const std::vector<uint8_t> &before, int64_t cSpan) {
    std::vector<bool> isResult(cSpan, false);
    int64_t matrices = 1;
    for (int dim = 0; dim < gemm.batch_count; ++dim)
      matrices *= gemm.batch[dim];
    for (int64_t matrix = 0; matrix < matrices; ++matrix) {
      int64_t aStart = 0, bStart = 0, cStart = 0, rest = matrix;
      for (int dim = gemm.batch_count; dim-- > 0;) {
        int64_t index = rest % gemm.batch[dim];
        rest /= gemm.batch[dim];
        aStart += index * gemm.a_batch_stride[dim];
        bStart += index * gemm.b_batch_stride[dim];
        cStart += index * gemm.c_batch_stride[dim];
      }
      for (int64_t i = 0; i < gemm.m; ++i)
        for (int64_t j = 0; j < gemm.n; ++j) {
          double sum = 0;
          for (int64_t k = 0; k < gemm.k; ++k)
            sum += loadAsDouble(gemm.a_dtype, a.data(),
                                aStart + i * gemm.a_m_stride +
                                    k * gemm.a_k_stride) *
                   loadAsDouble(gemm.b_dtype, b.data(),
                                bStart + k * gemm.b_k_stride +
                                    j * gemm.b_n_stride);
          int64_t at = cStart + i * gemm.c_m_stride + j * gemm.c_n_stride;
          isResult[at] = true;
          // Two runs have added to what was there.
          if (gemm.accumulates)
            sum = loadAsDouble(gemm.c_dtype, before.data(), at) + 2 * sum;
          // Inputs are such that f32 sums are exact; only results round.
          double expected = rounded(gemm.c_dtype, sum);
          ASSERT_EQ(loadAsDouble(gemm.c_dtype, c.data(), at), expected)
              << "matrix " << matrix << " row " << i << " column " << j;
        }
    }
    int64_t size = byteSize(gemm.c_dtype);
    for (int64_t at = 0; at < cSpan; ++at) {
      bool isUnchanged =
          std::equal(c.begin() + at * size, c.begin() + (at + 1) * size,
                     before.begin() + at * size);
      ASSERT_TRUE(isResult[at] || isUnchanged)
          << "wrote between the results, at element " << at;
    }
  }

  static double rounded(ElementType type, double value) {
    uint64_t storage = 0;
    if (isFloat(type) || type == SMITH_BOOL)
      storeFromDouble(type, &storage, 0, value);
    else
      storage = static_cast<uint64_t>(static_cast<int64_t>(value)); // wraps
    return loadAsDouble(type, &storage, 0);
  }
};

TEST_F(GemmTest, Float32) {
  for (int trial = 0; trial < 150; ++trial)
    check(SMITH_F32, SMITH_F32, SMITH_F32);
}

TEST_F(GemmTest, BFloat16) {
  for (int trial = 0; trial < 60; ++trial) {
    check(SMITH_BF16, SMITH_BF16, SMITH_BF16);
    check(SMITH_BF16, SMITH_BF16, SMITH_F32);
    check(SMITH_BF16, SMITH_F32, SMITH_F32);
  }
}

TEST_F(GemmTest, OtherTypes) {
  for (int trial = 0; trial < 25; ++trial) {
    check(SMITH_F16, SMITH_F16, SMITH_F16);
    check(SMITH_F64, SMITH_F64, SMITH_F64);
    check(SMITH_I8, SMITH_I8, SMITH_I8);
    check(SMITH_I8, SMITH_I8, SMITH_I32);
    check(SMITH_I64, SMITH_I64, SMITH_I64);
    check(SMITH_U16, SMITH_U16, SMITH_U16);
    check(SMITH_BOOL, SMITH_BOOL, SMITH_BOOL);
  }
}

TEST_F(GemmTest, AddsToWhatIsThere) {
  for (int trial = 0; trial < 200; ++trial)
    check(SMITH_F32, SMITH_F32, SMITH_F32, /*accumulates=*/true);
  for (int trial = 0; trial < 20; ++trial) {
    check(SMITH_F64, SMITH_F64, SMITH_F64, /*accumulates=*/true);
    check(SMITH_I64, SMITH_I64, SMITH_I64, /*accumulates=*/true);
  }
}

TEST_F(GemmTest, AnIdMayBeReusedForAnotherProduct) {
  nextId = 5;
  check(SMITH_F32, SMITH_F32, SMITH_F32);
  nextId = 5;
  check(SMITH_F64, SMITH_F64, SMITH_F64);
}

} // namespace

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/GroupedProduct.h"
#include "../FirstSeed.h"

#include "shardsmith/Runtime/ElementType.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

using namespace shardsmith::runtime;

namespace {

struct Array {
  Array(ElementType type, int64_t count)
      : type(type), bytes(size_t(count * byteSize(type))) {}

  double at(int64_t index) const {
    return loadAsDouble(type, bytes.data(), index);
  }
  void set(int64_t index, double value) {
    storeFromDouble(type, bytes.data(), index, value);
  }

  ElementType type;
  std::vector<uint8_t> bytes;
};

class GroupedProductTest : public testing::Test {
protected:
  uint32_t seed = uint32_t(shardsmith::test::firstSeed());
  std::mt19937 random{seed};
  ThreadTeam team{2};
  GroupedProductLibrary library{team};

  Array draw(ElementType type, int64_t count) {
    Array array(type, count);
    std::normal_distribution<double> normal;
    for (int64_t i = 0; i < count; ++i)
      array.set(i, normal(random));
    return array;
  }

  int64_t drawSize(int64_t most) {
    return 1 + int64_t(random() % uint64_t(most));
  }

  static double toleranceOf(ElementType type) {
    return type == SMITH_F64 ? 1e-12 : type == SMITH_F32 ? 1e-5 : 3e-2;
  }

  /// Some rows have no matrix, and some matrices no row.
  std::vector<int32_t> drawGroups(const smith_grouped_product &product) {
    std::vector<int32_t> groups(size_t(product.batch * product.rows));
    for (int32_t &group : groups)
      group = int32_t(random() % uint64_t(product.groups + 2)) - 1;
    return groups;
  }

  smith_grouped_product drawProduct(ElementType type, int32_t id) {
    smith_grouped_product product = {};
    product.id = id;
    product.transposed = int32_t(random() % 2);
    product.left_dtype = product.right_dtype = product.matrix_dtype = type;
    product.batch = drawSize(3);
    product.rows = drawSize(70);
    product.groups = drawSize(5);
    product.k = drawSize(9);
    product.n = drawSize(9);
    return product;
  }
};

TEST_F(GroupedProductTest, MultipliesEachRowWithItsMatrix) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  for (ElementType type : {SMITH_F32, SMITH_BF16, SMITH_F16, SMITH_F64})
    for (int32_t id = 0; id < 12; ++id) {
      smith_grouped_product p = drawProduct(type, id + 100 * type);
      Array rows = draw(type, p.batch * p.rows * p.k);
      Array matrices = draw(type, p.batch * p.groups * p.k * p.n);
      // What was there before does not show.
      Array result = draw(type, p.batch * p.rows * p.n);
      // The same product sees other groups the second time.
      for (int step = 0; step < 2; ++step) {
        std::vector<int32_t> groups = drawGroups(p);
        library.dot(p, rows.bytes.data(), groups.data(), matrices.bytes.data(),
                    result.bytes.data());
        for (int64_t row = 0; row < p.batch * p.rows; ++row)
          for (int64_t n = 0; n < p.n; ++n) {
            double expected = 0;
            int32_t group = groups[size_t(row)];
            int64_t matrix = row / p.rows * p.groups + group;
            if (group >= 0 && group < p.groups)
              for (int64_t k = 0; k < p.k; ++k)
                expected +=
                    rows.at(row * p.k + k) *
                    matrices.at(matrix * p.k * p.n +
                                (p.transposed ? n * p.k + k : k * p.n + n));
            ASSERT_NEAR(result.at(row * p.n + n), expected,
                        toleranceOf(type) * std::max(1.0, std::abs(expected)));
          }
      }
    }
}

TEST_F(GroupedProductTest, SumsOuterProductsPerGroup) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  for (ElementType type : {SMITH_F32, SMITH_F64})
    for (int32_t id = 0; id < 12; ++id) {
      smith_grouped_product p = drawProduct(type, id + 100 * type);
      p.transposed = 0;
      Array left = draw(type, p.batch * p.rows * p.k);
      Array right = draw(type, p.batch * p.rows * p.n);
      Array result = draw(type, p.batch * p.groups * p.k * p.n);
      std::vector<int32_t> groups = drawGroups(p);
      library.outer(p, left.bytes.data(), groups.data(), right.bytes.data(),
                    result.bytes.data());
      for (int64_t matrix = 0; matrix < p.batch * p.groups; ++matrix)
        for (int64_t k = 0; k < p.k; ++k)
          for (int64_t n = 0; n < p.n; ++n) {
            double expected = 0;
            for (int64_t r = 0; r < p.rows; ++r) {
              int64_t row = matrix / p.groups * p.rows + r;
              if (groups[size_t(row)] == matrix % p.groups)
                expected += left.at(row * p.k + k) * right.at(row * p.n + n);
            }
            ASSERT_NEAR(result.at((matrix * p.k + k) * p.n + n), expected,
                        toleranceOf(type) * std::max(1.0, std::abs(expected)));
          }
    }
}

TEST_F(GroupedProductTest, RowsWithoutMatrixMayHoldAnything) {
  smith_grouped_product p = {};
  p.batch = 1;
  p.rows = 2;
  p.groups = p.k = p.n = 1;
  float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> rows{nan, 2}, matrix{3}, result{7, 7};
  std::vector<int32_t> groups{-1, 0};
  library.dot(p, rows.data(), groups.data(), matrix.data(), result.data());
  EXPECT_EQ(result, (std::vector<float>{0, 6}));
  std::vector<float> sum{7};
  p.id = 1;
  library.outer(p, rows.data(), groups.data(), rows.data(), sum.data());
  EXPECT_EQ(sum, (std::vector<float>{4}));
}

} // namespace

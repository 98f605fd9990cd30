// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interpreter/Comparison.h"

#include "TensorBuilders.h"

#include <cmath>
#include <limits>

namespace shardsmith {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

TEST(Comparison, ExactByDefault) {
  const Tensor a = f32({2}, {1, 2});
  EXPECT_TRUE(compareTensors(a, a, {}).holds());
  const Tensor b = f32({2}, {1, std::nextafterf(2, 3)});
  const ComparisonReport report = compareTensors(b, a, {});
  EXPECT_FALSE(report.holds());
  EXPECT_EQ(report.mismatches, 1);
  EXPECT_EQ(report.largestUlps, 1);
  EXPECT_THAT(report.where, ElementsAre(1));
}

TEST(Comparison, SpecialValues) {
  const Tensor a = f32({4}, {nan, inf, -inf, 0.0f});
  EXPECT_TRUE(compareTensors(a, f32({4}, {nan, inf, -inf, -0.0f}), {}).holds());
  Tolerance loose;
  loose.absolute = 1e30;
  EXPECT_FALSE(compareTensors(f32({1}, {nan}), f32({1}, {1}), loose).holds());
  EXPECT_FALSE(compareTensors(f32({1}, {inf}), f32({1}, {1}), loose).holds());
}

TEST(Comparison, UlpsAcrossZero) {
  Tolerance tolerance;
  tolerance.ulps = 2;
  EXPECT_TRUE(
      compareTensors(f32({1}, {0x1p-149f}), f32({1}, {-0x1p-149f}), tolerance)
          .holds());
  tolerance.ulps = 1;
  EXPECT_FALSE(
      compareTensors(f32({1}, {0x1p-149f}), f32({1}, {-0x1p-149f}), tolerance)
          .holds());
}

TEST(Comparison, RelativeToTheLargestElement) {
  Tolerance tolerance;
  tolerance.relativeToLargest = 1e-6;
  const Tensor expected = f32({2}, {1000, 0});
  EXPECT_TRUE(
      compareTensors(f32({2}, {1000, 5e-4f}), expected, tolerance).holds());
  EXPECT_FALSE(
      compareTensors(f32({2}, {1000, 5e-3f}), expected, tolerance).holds());
}

TEST(Comparison, IntegersAreNeverClose) {
  Tolerance loose;
  loose.absolute = 100;
  EXPECT_FALSE(compareTensors(i32({1}, {1}), i32({1}, {2}), loose).holds());
}

TEST(Comparison, OtherTypesAndShapes) {
  EXPECT_EQ(compareTensors(i32({1}, {1}), f32({1}, {1}), {}).str(),
            "tensor<1xi32> is not tensor<1xf32>");
}

} // namespace
} // namespace shardsmith

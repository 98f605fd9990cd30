// SPDX-License-Identifier: Apache-2.0

#include "Kernels/Elementwise.h"

#include "TensorBuilders.h"

#include <cmath>
#include <limits>

namespace shardsmith {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

std::vector<double> binary(BinaryKind kind, const Tensor &a, const Tensor &b) {
  return values(applyBinary(kind, a, b));
}

TEST(Elementwise, IntegerArithmeticWrapsAround) {
  EXPECT_THAT(binary(BinaryKind::Add, i8({2}, {127, -128}), i8({2}, {1, -1})),
              ElementsAre(-128, 127));
  EXPECT_THAT(binary(BinaryKind::Subtract, u8({1}, {3}), u8({1}, {5})),
              ElementsAre(254));
  EXPECT_THAT(binary(BinaryKind::Multiply, i8({1}, {100}), i8({1}, {100})),
              ElementsAre(16));
  EXPECT_THAT(values(negate(u8({1}, {1}))), ElementsAre(255));
  EXPECT_THAT(values(absolute(i8({2}, {-128, -3}))), ElementsAre(-128, 3));
}

TEST(Elementwise, DivisionByZeroHasAValue) {
  const Tensor a = i32({4}, {7, -7, 5, INT32_MIN});
  const Tensor b = i32({4}, {2, 2, 0, -1});
  EXPECT_THAT(binary(BinaryKind::Divide, a, b),
              ElementsAre(3, -3, -1, INT32_MIN));
  EXPECT_THAT(binary(BinaryKind::Remainder, a, b), ElementsAre(1, -1, 5, 0));
}

TEST(Elementwise, RemainderTakesTheSignOfTheDividend) {
  EXPECT_THAT(
      binary(BinaryKind::Remainder, f32({2}, {5.5, -5.5}), f32({2}, {-2, 2})),
      ElementsAre(1.5, -1.5));
}

TEST(Elementwise, IntegerPowers) {
  EXPECT_THAT(binary(BinaryKind::Power, i32({6}, {3, 2, -1, -1, 1, 5}),
                     i32({6}, {4, -1, -3, -2, -9, 0})),
              ElementsAre(81, 0, -1, 1, 1, 1));
}

TEST(Elementwise, ShiftsBeyondTheWidth) {
  const Tensor a = i8({3}, {-128, 64, -1}), by = i8({3}, {8, 1, -1});
  EXPECT_THAT(binary(BinaryKind::ShiftLeft, a, by), ElementsAre(0, -128, 0));
  EXPECT_THAT(binary(BinaryKind::ShiftRightLogical, a, by),
              ElementsAre(0, 32, 0));
  EXPECT_THAT(binary(BinaryKind::ShiftRightArithmetic, a, by),
              ElementsAre(-1, 32, -1));
}

TEST(Elementwise, ExtremaPropagateNaNAndOrderZeros) {
  const Tensor a = f32({3}, {nan, -0.0f, 1}), b = f32({3}, {1, 0.0f, 2});
  const Tensor larger = applyBinary(BinaryKind::Maximum, a, b);
  const Tensor smaller = applyBinary(BinaryKind::Minimum, b, a);
  EXPECT_TRUE(std::isnan(larger.asDouble(0)));
  EXPECT_TRUE(std::isnan(smaller.asDouble(0)));
  EXPECT_FALSE(std::signbit(larger.asDouble(1)));
  EXPECT_TRUE(std::signbit(smaller.asDouble(1)));
  EXPECT_EQ(larger.asDouble(2), 2);
}

TEST(Elementwise, BooleansAddAsOrAndMultiplyAsAnd) {
  const Tensor a =
      Tensor::of<bool>(ElementType::Bool, {3}, {true, true, false});
  const Tensor b =
      Tensor::of<bool>(ElementType::Bool, {3}, {true, false, false});
  EXPECT_THAT(binary(BinaryKind::Add, a, b), ElementsAre(1, 1, 0));
  EXPECT_THAT(binary(BinaryKind::Multiply, a, b), ElementsAre(1, 0, 0));
  EXPECT_THAT(binary(BinaryKind::Xor, a, b), ElementsAre(0, 1, 0));
  EXPECT_FALSE(applyBinary(BinaryKind::Subtract, a, b));
}

TEST(Elementwise, SplatsStaySplats) {
  const Tensor splat = Tensor::filled(ElementType::F32, {4}, 2);
  EXPECT_TRUE(applyBinary(BinaryKind::Add, splat, splat).isSplat());
  EXPECT_THAT(binary(BinaryKind::Add, splat, f32({4}, {1, 2, 3, 4})),
              ElementsAre(3, 4, 5, 6));
}

TEST(Elementwise, ComparisonWithNaN) {
  const Tensor a = f32({2}, {nan, 1}), b = f32({2}, {nan, 1});
  EXPECT_THAT(values(compare(Comparison::EQ, false, a, b)), ElementsAre(0, 1));
  EXPECT_THAT(values(compare(Comparison::NE, false, a, b)), ElementsAre(1, 0));
  EXPECT_THAT(values(compare(Comparison::GE, false, a, b)), ElementsAre(0, 1));
}

TEST(Elementwise, TotalOrder) {
  const Tensor a = f32({5}, {-nan, -inf, -0.0f, 0.0f, inf});
  const Tensor b = f32({5}, {-inf, -1, 0.0f, 1, nan});
  EXPECT_THAT(values(compare(Comparison::LT, true, a, b)),
              ElementsAre(1, 1, 1, 1, 1));
  EXPECT_THAT(values(compare(Comparison::EQ, true, b, b)),
              ElementsAre(1, 1, 1, 1, 1));
}

TEST(Elementwise, UnsignedComparison) {
  EXPECT_THAT(values(compare(Comparison::GT, false, u8({2}, {200, 1}),
                             u8({2}, {100, 2}))),
              ElementsAre(1, 0));
}

TEST(Elementwise, ConversionTruncatesAndSaturates) {
  EXPECT_THAT(values(convert(f32({6}, {-1.9f, 1.9f, 300, -300, nan, inf}),
                             ElementType::I8)),
              ElementsAre(-1, 1, 127, -128, 0, 127));
  EXPECT_THAT(values(convert(f32({3}, {-1, 255.5f, 256}), ElementType::U8)),
              ElementsAre(0, 255, 255));
  EXPECT_THAT(values(convert(i32({2}, {300, -1}), ElementType::U8)),
              ElementsAre(44, 255));
  EXPECT_THAT(values(convert(f32({3}, {0, -0.0f, nan}), ElementType::Bool)),
              ElementsAre(0, 0, 1));
  EXPECT_THAT(values(convert(i32({2}, {9, -9}), ElementType::I4)),
              ElementsAre(-7, 7));
}

TEST(Elementwise, BitCounts) {
  EXPECT_THAT(values(countOnes(i8({2}, {-1, 5}))), ElementsAre(8, 2));
  EXPECT_THAT(values(countLeadingZeros(i8({3}, {0, 1, -1}))),
              ElementsAre(8, 7, 0));
  EXPECT_THAT(values(bitwiseNot(u8({1}, {0x0f}))), ElementsAre(0xf0));
}

TEST(Elementwise, SignKeepsZerosAndNaN) {
  const Tensor signs = signOf(f32({4}, {-3, -0.0f, nan, 2}));
  EXPECT_EQ(signs.asDouble(0), -1);
  EXPECT_TRUE(std::signbit(signs.asDouble(1)));
  EXPECT_TRUE(std::isnan(signs.asDouble(2)));
  EXPECT_EQ(signs.asDouble(3), 1);
}

TEST(Elementwise, ReducePrecision) {
  // To bfloat16: 8 exponent bits, 7 mantissa bits.
  EXPECT_THAT(
      values(reducePrecision(
          f32({4}, {1.00390625f, 1.01171875f, 3.4e38f, -1e-40f}), 8, 7)),
      ElementsAre(1, 1.015625, inf, 0));
  // To float16's range: 65520 overflows, 2^-15 is no normal number.
  EXPECT_THAT(
      values(reducePrecision(f32({3}, {65519, 65520, 0x1p-15f}), 5, 10)),
      ElementsAre(65504, inf, 0));
}

TEST(Elementwise, ClampWithScalarBounds) {
  EXPECT_THAT(
      values(clamp(f32({}, {0}), f32({3}, {-1, 0.5f, 2}), f32({}, {1}))),
      ElementsAre(0, 0.5, 1));
}

TEST(Elementwise, NextAfter) {
  const Tensor next = nextAfter(f32({3}, {1, 0, -1}), f32({3}, {2, -1, -1}));
  EXPECT_EQ(next.asDouble(0), 1.0 + 0x1p-23);
  EXPECT_EQ(next.asDouble(1), -0x1p-149);
  EXPECT_EQ(next.asDouble(2), -1);
  const Tensor half = convert(f32({2}, {1, 0}), ElementType::F16);
  const Tensor up =
      nextAfter(half, convert(f32({2}, {2, 1}), ElementType::F16));
  EXPECT_THAT(values(up), ElementsAre(1.0 + 0x1p-10, 0x1p-24));
}

} // namespace
} // namespace shardsmith

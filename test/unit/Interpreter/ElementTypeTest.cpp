// SPDX-License-Identifier: Apache-2.0

#include "TensorBuilders.h"

#include "../FirstSeed.h"

#include "shardsmith/Runtime/ElementType.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace shardsmith {
namespace {

TEST(ElementType, BFloat16RoundsToNearestEven) {
  EXPECT_EQ(BFloat16(1.0f).bits, 0x3f80);
  // 1 + 2^-8 lies between 1 and 1 + 2^-7: the even one is 1.
  EXPECT_EQ(BFloat16(1.00390625f).bits, 0x3f80);
  EXPECT_EQ(BFloat16(1.01171875f).bits, 0x3f82);
  EXPECT_TRUE(std::isnan(float(BFloat16(std::nanf("")))));
  EXPECT_TRUE(std::isinf(float(BFloat16(3.4e38f))));
}

TEST(ElementType, BFloat16OfDoubleRoundsOnce) {
  // Just above the tie 1 + 2^-8. By way of float32 the difference would be
  // lost and the tie would go down.
  EXPECT_EQ(BFloat16(1.00390625 + 1e-12).bits, 0x3f81);
  EXPECT_EQ(BFloat16(1.00390625 - 1e-12).bits, 0x3f80);
  EXPECT_EQ(BFloat16(-1.00390625 - 1e-12).bits, 0xbf81);
}

/// The runtime has formats of its own, without LLVM's.
template <typename Runtime, typename Ours> void expectTheSame() {
  uint32_t seed = static_cast<uint32_t>(test::firstSeed());
  std::mt19937 random(seed);
  auto expectAlike = [&](float value) {
    Ours ours{static_cast<double>(value)};
    Runtime runtime = Runtime::fromFloat(value);
    ASSERT_EQ(runtime.bits, ours.bits) << value << ", seed " << seed;
  };
  for (uint32_t bits = 0; bits < 256; ++bits) {
    Ours ours;
    ours.bits = static_cast<uint8_t>(bits);
    float value = Runtime{ours.bits}.toFloat();
    ASSERT_EQ(std::isnan(value), std::isnan(float(ours))) << bits;
    ASSERT_EQ(std::signbit(value), (bits & 0x80) != 0) << bits;
    if (std::isnan(value))
      continue;
    ASSERT_EQ(value, float(ours)) << bits;
    float next = Runtime{static_cast<uint8_t>(bits + 1)}.toFloat();
    expectAlike(value);
    if (std::isfinite(value) && std::isfinite(next) && (bits & 0x7f) != 0x7f) {
      float half = (value + next) / 2;
      expectAlike(half);
      expectAlike(std::nextafter(half, value));
      expectAlike(std::nextafter(half, next));
    }
  }
  for (int i = 0; i < 10000; ++i)
    if (auto value = std::bit_cast<float>(static_cast<uint32_t>(random()));
        !std::isnan(value))
      expectAlike(value);
  for (float value : {0.0f, -0.0f, 1e-45f, 3e38f, -3e38f,
                      std::numeric_limits<float>::infinity()})
    expectAlike(value);
  EXPECT_TRUE(std::isnan(Runtime::fromFloat(std::nanf("")).toFloat()));
}

TEST(ElementType, FloatsOfEightBitsAreThoseOfTheRuntime) {
  expectTheSame<runtime::Float8E4M3FN, Float8E4M3FN>();
  expectTheSame<runtime::Float8E5M2, Float8E5M2>();
}

TEST(ElementType, HalfCoversItsWholeRange) {
  EXPECT_EQ(Half(1.0).bits, 0x3c00);
  EXPECT_EQ(Half(-2.0).bits, 0xc000);
  EXPECT_EQ(Half(65504.0).bits, 0x7bff);
  EXPECT_EQ(Half(65520.0).bits, 0x7c00); // Rounds to infinity.
  EXPECT_EQ(Half(0x1p-24).bits, 0x0001); // The smallest subnormal.
  EXPECT_EQ(Half(0x1p-25).bits, 0x0000); // A tie, to even.
  EXPECT_EQ(Half(-0.0).bits, 0x8000);
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    Half half;
    half.bits = static_cast<uint16_t>(bits);
    ASSERT_EQ(Half(static_cast<double>(half)).bits, bits);
  }
}

TEST(ElementType, EightBitFloats) {
  EXPECT_EQ(float(Float8E4M3FN(448.0)), 448.0f);
  EXPECT_TRUE(std::isnan(float(Float8E4M3FN(std::nan("")))));
  EXPECT_EQ(float(Float8E5M2(57344.0)), 57344.0f);
  EXPECT_EQ(float(Float8E5M2(1.1)), 1.0f);
}

TEST(Tensor, SplatStoresOneElement) {
  Tensor splat = Tensor::filled(ElementType::I32, {1000000, 1000000}, 7);
  EXPECT_TRUE(splat.isSplat());
  EXPECT_EQ(splat.size(), 1000000000000);
  EXPECT_EQ(splat.asInteger(999999999999), 7);
}

TEST(Tensor, ElementCountIsChecked) {
  EXPECT_EQ(checkedElementCount({3, 4}), 12);
  EXPECT_EQ(checkedElementCount({int64_t(1) << 40, int64_t(1) << 40}),
            std::nullopt);
}

} // namespace
} // namespace shardsmith

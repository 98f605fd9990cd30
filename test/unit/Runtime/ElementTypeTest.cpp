// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/ElementType.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

using namespace shardsmith::runtime;

namespace {

template <typename Format> using BitsOf = decltype(Format::bits);

template <typename Format> void checkEveryNumber() {
  using Bits = BitsOf<Format>;
  for (uint32_t bits = 0; bits <= std::numeric_limits<Bits>::max(); ++bits) {
    float value = Format{static_cast<Bits>(bits)}.toFloat();
    Bits back = Format::fromFloat(value).bits;
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(Format{back}.toFloat()));
    else
      ASSERT_EQ(back, bits) << value;
  }
}

TEST(Float16, RoundTripsEveryNumber) { checkEveryNumber<Float16>(); }
TEST(Float8, RoundTripsEveryNumber) {
  checkEveryNumber<Float8E4M3FN>();
  checkEveryNumber<Float8E5M2>();
}

/// Whatever lies between two neighbours goes to the nearer, or to the even
/// one of them.
template <typename Format> void checkRounding(uint32_t lastFinite) {
  using Bits = BitsOf<Format>;
  constexpr uint32_t minus = 1U << (8 * sizeof(Bits) - 1);
  for (uint32_t bits = 0; bits < lastFinite; ++bits) {
    float low = Format{static_cast<Bits>(bits)}.toFloat();
    float high = Format{static_cast<Bits>(bits + 1)}.toFloat();
    double middle = (static_cast<double>(low) + high) / 2;
    auto exact = static_cast<float>(middle);
    if (exact != middle)
      continue; // below float's own subnormal numbers
    uint32_t even = bits % 2 ? bits + 1 : bits;
    ASSERT_EQ(Format::fromFloat(exact).bits, even) << exact;
    float less = std::nextafter(exact, low), more = std::nextafter(exact, high);
    ASSERT_EQ(Format::fromFloat(less).bits, less == low ? bits : bits);
    ASSERT_EQ(Format::fromFloat(more).bits, bits + 1);
    ASSERT_EQ(Format::fromFloat(-more).bits, (bits + 1) | minus);
  }
}

TEST(Float16, RoundsToNearestEven) { checkRounding<Float16>(0x7bff); }
TEST(BFloat16, RoundsToNearestEven) { checkRounding<BFloat16>(0x7f7f); }
TEST(Float8, RoundsToNearestEven) {
  checkRounding<Float8E4M3FN>(0x7e);
  checkRounding<Float8E5M2>(0x7b);
}

TEST(Float16, Overflows) {
  EXPECT_EQ(Float16::fromFloat(65519.0f).bits, 0x7bff);
  EXPECT_EQ(Float16::fromFloat(65520.0f).bits, 0x7c00);
  EXPECT_EQ(Float16::fromFloat(-1e30f).bits, 0xfc00);
}

TEST(Float8, Overflows) {
  EXPECT_EQ(Float8E5M2::fromFloat(61439.0f).bits, 0x7b);
  EXPECT_EQ(Float8E5M2::fromFloat(61440.0f).bits, 0x7c);
  EXPECT_EQ(Float8E5M2::fromFloat(-1e30f).bits, 0xfc);
  EXPECT_EQ(Float8E4M3FN::fromFloat(464.0f).bits, 0x7e);
  EXPECT_EQ(Float8E4M3FN::fromFloat(464.1f).bits, 0x7f); // NaN
  float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(Float8E4M3FN::fromFloat(-infinity).bits, 0xff);
}

TEST(BFloat16, KeepsNaN) {
  float nan = std::bit_cast<float>(0x7f800001u); // its upper half is infinity
  EXPECT_TRUE(std::isnan(BFloat16::fromFloat(nan).toFloat()));
}

TEST(ElementType, NamesRoundTrip) {
  for (int i = 0; i <= SMITH_F8E5M2; ++i) {
    auto type = static_cast<ElementType>(i);
    EXPECT_EQ(elementTypeFromName(name(type)), type);
    EXPECT_EQ(elementTypeFromSafeTensors(safeTensorsName(type)), type);
  }
  EXPECT_FALSE(elementTypeFromName("f8"));
}

TEST(ElementType, ConvertsBetweenFloats) {
  // More than one piece, and none at the start of its array.
  constexpr int64_t count = 3000;
  std::vector<float> wide(count + 5);
  for (int64_t i = 0; i < count; ++i)
    wide[i + 5] = 1.0f + static_cast<float>(i) * 0x1p-12f;
  std::vector<uint16_t> narrow(count + 3);
  convertElements(SMITH_F32, wide.data(), 5, SMITH_BF16, narrow.data(), 3,
                  count);
  std::vector<double> back(count);
  convertElements(SMITH_BF16, narrow.data(), 3, SMITH_F64, back.data(), 0,
                  count);
  for (int64_t i = 0; i < count; ++i) {
    BFloat16 expected = BFloat16::fromFloat(wide[i + 5]);
    ASSERT_EQ(narrow[i + 3], expected.bits);
    ASSERT_EQ(back[i], expected.toFloat());
  }
}

TEST(ElementType, CopiesEqualTypes) {
  std::vector<uint8_t> source{1, 2, 3, 4}, target{0, 0, 0};
  convertElements(SMITH_U8, source.data(), 2, SMITH_U8, target.data(), 1, 2);
  EXPECT_EQ(target, (std::vector<uint8_t>{0, 3, 4}));
}

} // namespace

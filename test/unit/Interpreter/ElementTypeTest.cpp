// SPDX-License-Identifier: Apache-2.0

#include "TensorBuilders.h"

#include <cmath>
#include <limits>

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

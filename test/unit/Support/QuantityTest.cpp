// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/Quantity.h"

#include <gtest/gtest.h>

using namespace shardsmith;

namespace {

TEST(Quantity, AddsAndCompares) {
  EXPECT_EQ(Bytes(3) + Bytes(4), Bytes(7));
  EXPECT_LT(Bytes(3), Bytes(4));
  EXPECT_EQ((Bytes(3) * 5).count(), 15);
}

TEST(Quantity, SaturatesInsteadOfWrapping) {
  Bytes huge(INT64_MAX - 1);
  EXPECT_TRUE((huge + Bytes(2)).isSaturated());
  EXPECT_TRUE((huge * 2).isSaturated());
  EXPECT_TRUE((Bytes::saturated() - Bytes(5)).isSaturated());
}

TEST(Quantity, CheckedMultiplyReportsOverflow) {
  EXPECT_EQ(checkedMultiply(1 << 20, 1 << 20), int64_t(1) << 40);
  EXPECT_EQ(checkedMultiply(INT64_MAX, 2), std::nullopt);
}

TEST(Quantity, CeilDivideRoundsUp) {
  EXPECT_EQ(ceilDivide(7, 3), 3);
  EXPECT_EQ(ceilDivide(6, 3), 2);
}

} // namespace

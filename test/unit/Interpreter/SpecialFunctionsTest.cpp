// SPDX-License-Identifier: Apache-2.0

#include "Kernels/SpecialFunctions.h"

#include <gtest/gtest.h>

#include <cmath>

namespace shardsmith {
namespace {

TEST(SpecialFunctions, InverseErfUndoesErf) {
  for (double y : {-4.0, -1.5, -0.3, -1e-8, 0.0, 1e-300, 0.1, 0.7, 2.0, 3.9}) {
    const double x = std::erf(y);
    // Near the ends erf is flat: the error of x alone moves y this much.
    const double slope = 2 / std::sqrt(M_PI) * std::exp(-y * y);
    EXPECT_NEAR(inverseErf(x), y, 1e-15 * std::fabs(y) + 3e-16 / slope);
  }
  EXPECT_EQ(inverseErf(1.0), HUGE_VAL);
  EXPECT_EQ(inverseErf(-1.0), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(inverseErf(1.1)));
}

TEST(SpecialFunctions, DigammaAtKnownPoints) {
  const double euler = 0.57721566490153286061;
  EXPECT_DOUBLE_EQ(digamma(1.0), -euler);
  EXPECT_DOUBLE_EQ(digamma(2.0), 1 - euler);
  EXPECT_DOUBLE_EQ(digamma(0.5), -euler - 2 * std::log(2.0));
  EXPECT_NEAR(digamma(-0.5), digamma(0.5) + 2, 1e-15);
  EXPECT_TRUE(std::isnan(digamma(-3.0)));
  // Near a pole the distance from it is all that counts.
  EXPECT_DOUBLE_EQ(digamma(-1e-30), 1e30);
  EXPECT_EQ(digamma(0.0), -HUGE_VAL);
}

TEST(SpecialFunctions, ZetaAndPolygammaAtKnownPoints) {
  const double apery = 1.20205690315959428540;
  EXPECT_DOUBLE_EQ(zeta(2.0, 1.0), M_PI * M_PI / 6);
  EXPECT_DOUBLE_EQ(zeta(3.0, 1.0), apery);
  EXPECT_DOUBLE_EQ(zeta(1.5, 1.0), 2.6123753486854883);
  EXPECT_DOUBLE_EQ(zeta(2.0, 0.5), M_PI * M_PI / 2);
  // Terms of negative bases are added to those of positive ones.
  EXPECT_NEAR(zeta(3.0, -0.5), zeta(3.0, 0.5) - 8, 1e-14);
  EXPECT_NEAR(zeta(2.0, -1.5), zeta(2.0, 0.5) + 4 + 4 / 9.0, 1e-14);
  EXPECT_EQ(zeta(1.0, 3.0), HUGE_VAL);
  EXPECT_EQ(zeta(4.0, -2.0), HUGE_VAL);
  for (auto [x, q] : {std::pair{3.0, -2.0}, {2.5, -0.5}, {0.5, 1.0}})
    EXPECT_TRUE(std::isnan(zeta(x, q))) << x << " " << q;
  EXPECT_DOUBLE_EQ(polygamma(0.0, 1.0), digamma(1.0));
  EXPECT_DOUBLE_EQ(polygamma(1.0, 1.0), M_PI * M_PI / 6);
  EXPECT_NEAR(polygamma(2.0, 1.0), -2 * apery, 1e-15);
  EXPECT_TRUE(std::isnan(polygamma(0.5, 1.0)));
  EXPECT_TRUE(std::isnan(polygamma(-1.0, 1.0)));
}

TEST(SpecialFunctions, RoundNearestEven) {
  EXPECT_EQ(roundNearestEven(0.5), 0);
  EXPECT_EQ(roundNearestEven(1.5), 2);
  EXPECT_EQ(roundNearestEven(-2.5), -2);
  EXPECT_TRUE(std::signbit(roundNearestEven(-0.5)));
  EXPECT_EQ(roundNearestEven(2.4), 2);
  EXPECT_EQ(roundNearestEven(1e300), 1e300);
}

} // namespace
} // namespace shardsmith

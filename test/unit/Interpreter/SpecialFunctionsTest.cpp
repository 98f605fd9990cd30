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
  EXPECT_EQ(digamma(0.0), -HUGE_VAL);
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

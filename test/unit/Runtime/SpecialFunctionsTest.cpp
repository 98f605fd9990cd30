// SPDX-License-Identifier: Apache-2.0
//
// Special functions against what defines them.

#include "shardsmith/Runtime/ABI.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

namespace {

TEST(SpecialFunctionsTest, InverseErfIsTheInverse) {
  std::mt19937 random(std::random_device{}());
  for (int i = 0; i < 2000; ++i) {
    double y = std::uniform_real_distribution(-5.5, 5.5)(random);
    // Where erf is flat, its own rounding moves the inverse.
    double slope = 2 * std::numbers::inv_sqrtpi * std::exp(-y * y);
    double tolerance = 1e-15 * std::fabs(y) + 2.3e-16 / slope;
    EXPECT_NEAR(smith_inverse_erf(std::erf(y)), y, 2 * tolerance);
  }
  EXPECT_EQ(smith_inverse_erf(0.0), 0.0);
  EXPECT_EQ(smith_inverse_erf(-1), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(smith_inverse_erf(1.5)));
  EXPECT_TRUE(std::isnan(smith_inverse_erf(std::nan(""))));
}

TEST(SpecialFunctionsTest, DigammaSatisfiesItsRecurrence) {
  std::mt19937 random(std::random_device{}());
  EXPECT_NEAR(smith_digamma(1), -std::numbers::egamma, 1e-14);
  EXPECT_NEAR(smith_digamma(0.5), -std::numbers::egamma - 2 * std::numbers::ln2,
              1e-14);
  for (int i = 0; i < 2000; ++i) {
    double x = std::uniform_real_distribution(-3.0, 40.0)(random);
    if (std::fabs(x - std::round(x)) < 0.01 && x < 0.5)
      continue;
    double left = smith_digamma(x + 1), right = smith_digamma(x);
    double size = std::fabs(left) + std::fabs(right) + std::fabs(1 / x);
    EXPECT_NEAR(left - right, 1 / x, 1e-13 * size) << x;
  }
  EXPECT_TRUE(std::isnan(smith_digamma(-2)));
  EXPECT_TRUE(std::isinf(smith_digamma(0.0)));
}

TEST(SpecialFunctionsTest, LogGammaOfFactorials) {
  double factorial = 1;
  for (int n = 1; n < 20; ++n) {
    EXPECT_NEAR(smith_log_gamma(n), std::log(factorial), 1e-13 * n);
    factorial *= n;
  }
}

} // namespace

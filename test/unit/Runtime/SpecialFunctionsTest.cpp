// SPDX-License-Identifier: Apache-2.0
//
// Special functions against what defines them.

#include "../FirstSeed.h"
#include "shardsmith/Runtime/ABI.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

namespace {

TEST(SpecialFunctionsTest, InverseErfIsTheInverse) {
  std::mt19937 random{uint32_t(shardsmith::test::firstSeed())};
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
  std::mt19937 random{uint32_t(shardsmith::test::firstSeed())};
  EXPECT_NEAR(smith_digamma(1), -std::numbers::egamma, 1e-14);
  EXPECT_DOUBLE_EQ(smith_digamma(-1e-30), 1e30);
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

TEST(SpecialFunctionsTest, ZetaSatisfiesItsRecurrence) {
  std::mt19937 random{uint32_t(shardsmith::test::firstSeed())};
  constexpr double pi = std::numbers::pi;
  EXPECT_NEAR(smith_zeta(2, 1), pi * pi / 6, 1e-15);
  EXPECT_NEAR(smith_zeta(4, 0.5), 15 * std::pow(pi, 4) / 90, 1e-13);
  EXPECT_NEAR(smith_zeta(3, 1), 1.2020569031595942, 1e-15);
  EXPECT_NEAR(smith_zeta(1.5, 1), 2.6123753486854883, 1e-14);
  for (int i = 0; i < 2000; ++i) {
    double q = std::uniform_real_distribution(-6.0, 40.0)(random);
    double x = std::uniform_real_distribution(1.01, 30.0)(random);
    if (q < 0)
      x = std::ceil(x);
    if (std::fabs(q - std::round(q)) < 0.05 && q < 0.5)
      continue;
    double left = smith_zeta(x, q), right = smith_zeta(x, q + 1);
    double size = std::fabs(left) + std::fabs(right);
    EXPECT_NEAR(left - right, std::pow(q, -x), 1e-13 * size) << x << " " << q;
  }
  EXPECT_TRUE(std::isinf(smith_zeta(1, 2)));
  EXPECT_TRUE(std::isinf(smith_zeta(2, -3)));
  EXPECT_TRUE(std::isnan(smith_zeta(3, -3)));
  EXPECT_TRUE(std::isnan(smith_zeta(2.5, -0.5)));
  EXPECT_TRUE(std::isnan(smith_zeta(0.5, 1)));
  EXPECT_TRUE(std::isnan(smith_zeta(2, std::nan(""))));
}

TEST(SpecialFunctionsTest, PolygammaIsTheDerivativeOfDigamma) {
  std::mt19937 random{uint32_t(shardsmith::test::firstSeed())};
  constexpr double pi = std::numbers::pi;
  EXPECT_NEAR(smith_polygamma(1, 1), pi * pi / 6, 1e-15);
  EXPECT_NEAR(smith_polygamma(2, 0.5), -14 * 1.2020569031595942, 1e-13);
  EXPECT_EQ(smith_polygamma(0, 2.5), smith_digamma(2.5));
  EXPECT_TRUE(std::isnan(smith_polygamma(1.5, 2)));
  EXPECT_TRUE(std::isnan(smith_polygamma(-1, 2)));
  // A factorial too large for a double times as small a sum.
  double large = smith_polygamma(200, 5);
  EXPECT_NEAR(std::log(-large),
              smith_log_gamma(201) + std::log(smith_zeta(201, 5)), 1e-9);
  for (int i = 0; i < 500; ++i) {
    double order = std::uniform_int_distribution(0, 5)(random);
    double x = std::uniform_real_distribution(0.5, 30.0)(random);
    double step = 1e-3 * x;
    auto at = [&](double there) { return smith_polygamma(order, there); };
    double slope = (at(x - 2 * step) - 8 * at(x - step) + 8 * at(x + step) -
                    at(x + 2 * step)) /
                   (12 * step);
    double derivative = smith_polygamma(order + 1, x);
    EXPECT_NEAR(slope, derivative, 1e-8 * std::fabs(derivative))
        << order << " " << x;
  }
}

TEST(SpecialFunctionsTest, LogGammaOfFactorials) {
  double factorial = 1;
  for (int n = 1; n < 20; ++n) {
    EXPECT_NEAR(smith_log_gamma(n), std::log(factorial), 1e-13 * n);
    factorial *= n;
  }
}

} // namespace

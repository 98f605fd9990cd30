// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interpreter/Spread.h"

#include "TensorBuilders.h"

#include <random>

namespace shardsmith {
namespace {

Tensor random(int64_t size, double mean, double sigma,
              std::mt19937_64 &generator) {
  std::normal_distribution<double> values(mean, sigma);
  Tensor result = Tensor::zeros(ElementType::F32, {size}).denseCopy();
  for (int64_t i = 0; i < size; ++i)
    result.setElement(i,
                      Tensor::filled(ElementType::F32, {}, values(generator)));
  return result;
}

/// `tensor` · scale, with errors of this relative size.
Tensor noisy(const Tensor &tensor, double scale, double error,
             std::mt19937_64 &generator) {
  std::normal_distribution<double> errors(0, error);
  Tensor result = tensor.denseCopy();
  for (int64_t i = 0; i < tensor.size(); ++i)
    result.setElement(
        i, Tensor::filled(tensor.type(), {},
                          tensor.asDouble(i) * (scale + errors(generator))));
  return result;
}

Spread sampled(const Tensor &expected, double error,
               std::mt19937_64 &generator) {
  Spread spread(expected, Tensor(), Tensor(), /*isComputed=*/true);
  for (int sample = 0; sample < 8; ++sample)
    spread.add(noisy(expected, 1, error, generator));
  return spread;
}

bool accepts(const Spread &spread, const Tensor &actual) {
  return Spread::holds(spread.deviationOf(actual), spread.allowed());
}

TEST(Spread, AcceptsWhatScattersAsTheSamplesDo) {

  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937_64 generator(seed);
    for (int64_t size : {1, 3, 50, 1000}) {
      const Tensor expected = random(size, 0, 1, generator);
      const Spread spread = sampled(expected, 0.01, generator);
      EXPECT_TRUE(accepts(spread, noisy(expected, 1, 0.01, generator)))
          << "seed " << seed << ", " << size << " elements";
    }
  }
}

/// Each element is within the noise, all of them together are not.
TEST(Spread, RefusesAScaleThatIsOffByLessThanTheNoise) {
  std::mt19937_64 generator(11);
  const Tensor expected = random(20000, 0, 1, generator);
  const Spread spread = sampled(expected, 0.02, generator);
  const Deviation found =
      spread.deviationOf(noisy(expected, 1.02, 0.02, generator));
  EXPECT_NEAR(found.scale[0], 0.02, 0.002);
  EXPECT_LT(found.largest, spread.allowed().largest);
  EXPECT_LT(found.rootMeanSquare, spread.allowed().rootMeanSquare);
  EXPECT_FALSE(Spread::holds(found, spread.allowed()));
}

TEST(Spread, RefusesNoiseThatIsTenTimesAsLarge) {
  std::mt19937_64 generator(11);
  const Tensor expected = random(1000, 0, 1, generator);
  const Spread spread = sampled(expected, 0.001, generator);
  EXPECT_FALSE(accepts(spread, noisy(expected, 1, 0.01, generator)));
}

TEST(Spread, RefusesOneElementThatIsWrong) {
  std::mt19937_64 generator(11);
  const Tensor expected = random(1000, 0, 1, generator);
  const Spread spread = sampled(expected, 0.001, generator);
  Tensor wrong = expected.denseCopy();
  wrong.setElement(500, Tensor::filled(ElementType::F32, {}, 1));
  EXPECT_FALSE(accepts(spread, wrong));
  wrong.setElement(500, Tensor::filled(ElementType::F32, {}, NAN));
  EXPECT_FALSE(accepts(spread, wrong));
}

/// A step of 1e-3 on values of 1: what is left of 2 % of it is 2e-5.
TEST(Spread, MeasuresScalesAlongTheChange) {
  std::mt19937_64 generator(11);
  const Tensor before = random(1000, 1, 0.1, generator);
  const Tensor change = random(1000, 0, 1e-3, generator);
  auto after = [&](double scale) {
    Tensor result = before.denseCopy();
    for (int64_t i = 0; i < result.size(); ++i)
      result.setElement(
          i, Tensor::filled(ElementType::F32, {},
                            before.asDouble(i) + scale * change.asDouble(i)));
    return result;
  };
  Spread spread(after(1), before, Tensor(), /*isComputed=*/true);
  for (int sample = 0; sample < 8; ++sample)
    spread.add(noisy(after(1), 1, 1e-7, generator));
  EXPECT_NEAR(spread.deviationOf(after(1.02)).scale[0], 0.02, 1e-3);
  EXPECT_FALSE(accepts(spread, after(1.02)));
  EXPECT_TRUE(accepts(spread, after(1)));
}

TEST(Spread, ArgumentsThatAreReturnedMustBeEqual) {
  const Tensor value = f32({2}, {1, 2});
  Spread spread(value, value, value, /*isComputed=*/false);
  spread.add(value);
  EXPECT_TRUE(accepts(spread, value));
  EXPECT_FALSE(accepts(spread, f32({2}, {1, std::nextafterf(2, 3)})));
}

TEST(Spread, IntegersMayDifferAsOftenAsTheyDoInSamples) {
  auto indices = [](std::vector<int32_t> values) {
    return Tensor::of<int32_t>(ElementType::I32, {int64_t(values.size())},
                               values);
  };
  Spread fixed(indices({1, 2, 3}), {}, {}, /*isComputed=*/true);
  fixed.add(indices({1, 2, 3}));
  EXPECT_FALSE(accepts(fixed, indices({1, 2, 4})));
  Spread loose(indices({1, 2, 3}), {}, {}, /*isComputed=*/true);
  loose.add(indices({1, 2, 5}));
  EXPECT_TRUE(accepts(loose, indices({1, 2, 4})));
}

} // namespace
} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Random.h"
#include "shardsmith/Runtime/Failure.h"
#include "shardsmith/Runtime/Initialize.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

using namespace shardsmith::runtime;

namespace {

// The generator's published known answers (Random123, kat_vectors).
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (PhiloxWords{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (PhiloxWords{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                   {0xa4093822, 0x299f31d0}),
            (PhiloxWords{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomStream, NormalHasTheMomentsOfItsDistribution) {
  constexpr int64_t count = 1 << 20;
  std::vector<double> values(count);
  RandomStream(42, "w").normal(0, count, values.data());
  double moments[5] = {};
  for (double value : values)
    for (int power = 1; power <= 4; ++power)
      moments[power] += std::pow(value, power) / count;
  // Five standard errors of each.
  double error = 5 / std::sqrt(double(count));
  EXPECT_NEAR(moments[1], 0, error);
  EXPECT_NEAR(moments[2], 1, error * std::sqrt(2));
  EXPECT_NEAR(moments[3], 0, error * std::sqrt(15));
  EXPECT_NEAR(moments[4], 3, error * std::sqrt(96));
}

TEST(RandomStream, AnyPartEqualsTheSamePartOfTheWhole) {
  std::vector<double> whole(1000), part(1000);
  RandomStream stream(7, "tensor");
  stream.normal(0, 1000, whole.data());
  for (int64_t begin : {0, 1, 2, 3, 5, 64, 997}) {
    stream.normal(begin, 1000 - begin, part.data());
    for (int64_t i = begin; i < 1000; ++i)
      ASSERT_EQ(part[i - begin], whole[i]) << begin << " " << i;
  }
}

TEST(RandomStream, NamesAndSeedsGiveDifferentStreams) {
  EXPECT_NE(RandomStream(1, "a").word(0), RandomStream(1, "b").word(0));
  EXPECT_NE(RandomStream(1, "a").word(0), RandomStream(2, "a").word(0));
}

Argument makeArgument(Shape shape, std::string init) {
  Argument argument;
  argument.name = "w";
  argument.globalShape = argument.localShape = std::move(shape);
  argument.init = std::move(init);
  return argument;
}

// Fills 7 x 10 as a whole and as 3 x 4 shards of 3 x 3 with padding.
TEST(Initialize, DoesNotDependOnTheLayout) {
  ThreadTeam team(2);
  Argument argument = makeArgument({7, 10}, "normal:2");
  std::vector<float> whole(70);
  initialize(argument, wholeTensor({7, 10}), 3, whole.data(), team);
  double squares = 0;
  for (float value : whole)
    squares += value * value / 70;
  EXPECT_NEAR(squares, 4, 3);

  for (int64_t row = 0; row < 7; row += 3)
    for (int64_t column = 0; column < 10; column += 3) {
      Shard shard{
          {7, 10},
          {3, 3},
          {row, column},
          {std::min<int64_t>(3, 7 - row), std::min<int64_t>(3, 10 - column)},
          true};
      std::vector<float> local(9, -1);
      initialize(argument, shard, 3, local.data(), team);
      for (int64_t i = 0; i < 3; ++i)
        for (int64_t j = 0; j < 3; ++j) {
          bool isPadding = row + i >= 7 || column + j >= 10;
          EXPECT_EQ(local[i * 3 + j],
                    isPadding ? -1 : whole[(row + i) * 10 + column + j]);
        }
    }
}

TEST(Initialize, KnowsConstants) {
  ThreadTeam team(1);
  float values[2];
  initialize(makeArgument({2}, "constant:-1.5"), wholeTensor({2}), 0, values,
             team);
  EXPECT_EQ(values[1], -1.5f);
  initialize(makeArgument({2}, "ones"), wholeTensor({2}), 0, values, team);
  EXPECT_EQ(values[0], 1.0f);
  for (const char *wrong : {"normal", "normal:", "normal:x", "one", ":1"})
    EXPECT_THROW(checkInit(makeArgument({2}, wrong)), Failure) << wrong;
}

TEST(Synthesize, StaysBelowTheLimitAndReachesAllValues) {
  ThreadTeam team(2);
  Argument argument = makeArgument({4000}, "");
  argument.type = SMITH_I32;
  argument.limit = 11;
  std::vector<int32_t> values(4000), next(4000);
  synthesize(argument, wholeTensor({4000}), 1, 0, values.data(), team);
  synthesize(argument, wholeTensor({4000}), 1, 1, next.data(), team);
  EXPECT_NE(values, next);
  int counts[11] = {};
  for (int32_t value : values) {
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 11);
    ++counts[value];
  }
  for (int count : counts)
    EXPECT_NEAR(count, 4000 / 11, 100);
}

} // namespace

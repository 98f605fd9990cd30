// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interfaces/NeighbourhoodInterface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace shardsmith;
using testing::HasSubstr;

namespace {

/// A window over one dimension, another dimension that passes through.
FactorRule windowRule() {
  FactorRuleBuilder builder(1, 1);
  builder.add(4, {{0, 0}}, {{0, 0}});
  builder.add(7, {{0, 1}}, {{0, 1}}, FactorKind::Permutation);
  return builder.build();
}

Neighbourhood window() {
  return {.factor = 1,
          .operand = 0,
          .dimension = 1,
          .positions = 7,
          .elements = 15,
          .reach = {.first = -1, .step = 2, .extent = 3}};
}

TEST(Neighbourhood, IsPrintedAsWhatPositionsRead) {
  EXPECT_EQ(textOf(Neighbourhoods()), "");
  EXPECT_EQ(textOf({window()}),
            "neighbours={j of operand 0: e in [2*p-1, 2*p+2)}");
  Neighbourhood dilated = window();
  dilated.reach = {.first = 6, .step = -1, .extent = 1, .dilation = 2};
  EXPECT_EQ(textOf({dilated}),
            "neighbours={j of operand 0: e*2 in [-1*p+6, -1*p+7)}");
}

TEST(Neighbourhood, FitsItsRule) {
  EXPECT_EQ(verifyNeighbourhoods(windowRule(), {window()}), "");
}

TEST(Neighbourhood, MustNotNameWhatTheRuleLacks) {
  Neighbourhood bad = window();
  bad.dimension = 2;
  EXPECT_THAT(verifyNeighbourhoods(windowRule(), {bad}),
              HasSubstr("names a factor or dimension that does not exist"));
}

TEST(Neighbourhood, MustNotBeOfAFactorThatPassesThrough) {
  Neighbourhood bad = window();
  bad.factor = bad.dimension = 0;
  EXPECT_THAT(verifyNeighbourhoods(windowRule(), {window(), bad}),
              HasSubstr("factor i has a neighbourhood but is neither"));
}

TEST(Neighbourhood, MustBeOfItsDimension) {
  Neighbourhood bad = window();
  bad.dimension = 0;
  EXPECT_THAT(verifyNeighbourhoods(windowRule(), {bad}),
              HasSubstr("in a dimension that is not it alone"));
}

TEST(Neighbourhood, MustBeTheOnlyOne) {
  EXPECT_THAT(verifyNeighbourhoods(windowRule(), {window(), window()}),
              HasSubstr("a dimension has two neighbourhoods"));
}

TEST(Neighbourhood, MustReachSomething) {
  Neighbourhood bad = window();
  bad.reach.step = 0;
  EXPECT_THAT(verifyNeighbourhoods(windowRule(), {bad}),
              HasSubstr("without positions or elements"));
}

TEST(Neighbourhood, MustBeThereForAPermutation) {
  EXPECT_THAT(verifyNeighbourhoods(windowRule(), {}),
              HasSubstr("permutation factor j has no neighbourhood"));
}

} // namespace

// SPDX-License-Identifier: Apache-2.0

#include "ArgumentNames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace shardsmith;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

TEST(SimplifyKeyPath, SpellsDictionaryKeysAsAttributes) {
  EXPECT_EQ(simplifyKeyPath("params['blocks'][0]['w_q']"),
            "params.blocks[0].w_q");
  EXPECT_EQ(simplifyKeyPath("['w']"), "w");
  EXPECT_EQ(simplifyKeyPath("state.mu['b']"), "state.mu.b");
}

TEST(SimplifyKeyPath, KeepsWhatIsNoIdentifier) {
  EXPECT_EQ(simplifyKeyPath("p['a b'].c"), "p[a b].c");
  EXPECT_EQ(simplifyKeyPath("p['3']"), "p[3]");
  EXPECT_EQ(simplifyKeyPath("p['unclosed"), "p['unclosed");
  EXPECT_EQ(simplifyKeyPath(""), "");
}

TEST(ParseIndexRanges, ReadsRangesAndSingles) {
  std::string error;
  EXPECT_THAT(*parseIndexRanges("0-2,5", 6, error), ElementsAre(0, 1, 2, 5));
  EXPECT_THAT(*parseIndexRanges("", 6, error), ElementsAre());
  EXPECT_EQ(error, "");
}

struct BadRange {
  const char *text;
  const char *message;
};
class ParseBadIndexRanges : public testing::TestWithParam<BadRange> {};

TEST_P(ParseBadIndexRanges, SaysWhatIsWrong) {
  std::string error;
  EXPECT_FALSE(parseIndexRanges(GetParam().text, 6, error));
  EXPECT_THAT(error, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, ParseBadIndexRanges,
    testing::Values(BadRange{"a", "'a' is no range"},
                    BadRange{"3-1", "'3-1' is no range"},
                    BadRange{"1-", "'1-' is no range"},
                    BadRange{"4-6", "names argument 6"},
                    BadRange{"99999999999", "is no range"},
                    BadRange{"2,1", "positions must ascend"},
                    BadRange{"0-2,2", "positions must ascend"}));

} // namespace

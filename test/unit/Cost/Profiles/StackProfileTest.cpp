// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Profiles/StackProfile.h"
#include "shardsmith/Cluster/JsonObject.h"
#include "shardsmith/Cost/Profiles/ProfileFields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace shardsmith;
using testing::Contains;
using testing::HasSubstr;

namespace {

std::string errorOf(const std::string &text) {
  std::string error;
  EXPECT_FALSE(profileFromJson(text, error));
  return error;
}

TEST(StackProfile, BuiltinsAreSound) {
  std::vector<std::string> names = builtinProfileNames();
  for (const char *name :
       {"generic", "megatron-2021-a100", "torchtitan-2025-h100", "shardsmith"})
    EXPECT_THAT(names, Contains(name));
  for (const std::string &name : names) {
    SCOPED_TRACE(name);
    std::string error;
    std::optional<StackProfile> profile = findProfile(name, error);
    ASSERT_TRUE(profile) << error;
    EXPECT_EQ(profile->name, name);
    EXPECT_FALSE(profile->description.empty());
  }
}

TEST(StackProfile, TextKeepsEveryConstant) {
  StackProfile profile;
  profile.name = "other";
  profile.provenance = Provenance::Measured;
  profile.uncertainty = 0.05;
  double value = 1;
  for (const ProfileNumber &field : profileNumbers()) {
    value += 0.25;
    bool isFraction = !field.rule->accepts(2);
    profile.*field.value = isFraction ? 0.125 : value;
  }
  for (const ProfileFlag &field : profileFlags())
    profile.*field.value = !(profile.*field.value);
  std::string error;
  std::optional<StackProfile> again = profileFromJson(toJson(profile), error);
  ASSERT_TRUE(again) << error;
  EXPECT_EQ(*again, profile);
  EXPECT_EQ(toJson(*again), toJson(profile));
}

TEST(StackProfile, MissingConstantsHaveDefaults) {
  std::string error;
  std::optional<StackProfile> profile =
      profileFromJson(R"({"version": 1, "name": "generic"})", error);
  ASSERT_TRUE(profile) << error;
  StackProfile expected;
  expected.provenance = Provenance::Given;
  EXPECT_EQ(*profile, expected);
}

TEST(StackProfile, ErrorsAreLocated) {
  EXPECT_THAT(errorOf("{"), HasSubstr("not valid JSON"));
  EXPECT_THAT(errorOf("[]"), HasSubstr("expected an object"));
  EXPECT_THAT(errorOf(R"({"name": "a"})"), HasSubstr("/version: missing"));
  EXPECT_THAT(errorOf(R"({"version": 2, "name": "a"})"),
              HasSubstr("/version: unknown version 2"));
  EXPECT_THAT(errorOf(R"({"version": 1, "name": "a",
                          "kernels": {"matmul_rat": 1}})"),
              HasSubstr("/kernels/matmul_rat: unknown key, did you mean "
                        "\"matmul_rate\"?"));
  EXPECT_THAT(errorOf(R"({"version": 1, "name": "a",
                          "kernels": {"matmul_rate": 0}})"),
              HasSubstr("/kernels/matmul_rate: 0 is out of range"));
  EXPECT_THAT(errorOf(R"({"version": 1, "name": "a",
                          "step": {"fixed_ms": "1"}})"),
              HasSubstr("/step/fixed_ms: expected a number"));
  EXPECT_THAT(errorOf(R"({"version": 1, "name": "a", "provenance": "guess"})"),
              HasSubstr("/provenance: unknown value"));
}

TEST(StackProfile, UnknownNamesAreExplained) {
  std::string error;
  EXPECT_FALSE(findProfile("generik", error));
  EXPECT_THAT(error, HasSubstr("did you mean \"generic\"?"));
  EXPECT_FALSE(findProfile("nowhere.json", error));
  EXPECT_THAT(error, HasSubstr("neither a file nor a built-in"));
}

} // namespace

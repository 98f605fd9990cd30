// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/Json.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

using namespace shardsmith;
using testing::StartsWith;

namespace {

std::string errorOf(std::string_view text) {
  std::string error, ordered;
  EXPECT_FALSE(parseJson(text, error)) << text;
  EXPECT_FALSE(parseOrderedJson(text, ordered)) << text;
  EXPECT_EQ(error, ordered);
  return error;
}

TEST(Json, KeysKeepTheirOrderWhereAsked) {
  std::string error;
  EXPECT_EQ(parseJson(R"({"b": 1, "a": [2]})", error)->dump(),
            R"({"a":[2],"b":1})");
  EXPECT_EQ(parseOrderedJson(R"({"b": 1, "a": [2]})", error)->dump(),
            R"({"b":1,"a":[2]})");
  EXPECT_EQ(error, "");
}

TEST(Json, BrokenTextIsLocated) {
  EXPECT_THAT(errorOf("{\n  \"a\": }"),
              StartsWith("not valid JSON: parse error at line 2, column 8"));
  EXPECT_THAT(errorOf(""), StartsWith("not valid JSON: "));
  EXPECT_THAT(errorOf("{} {}"), StartsWith("not valid JSON: "));
  EXPECT_THAT(errorOf("\"\xff\""), StartsWith("not valid JSON: "));
}

TEST(Json, NoKeyTwiceInOneObject) {
  EXPECT_EQ(errorOf(R"({"a": {"b": 1}, "c": [{"a": 1, "a": 2}]})"),
            "key \"a\" is given twice in one object");
  std::string error;
  EXPECT_TRUE(parseJson(R"([{"a": 1}, {"a": {"a": 2}}])", error)) << error;
}

TEST(Json, DepthIsBounded) {
  std::string error;
  auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(parseJson(nested(64), error)) << error;
  EXPECT_EQ(errorOf(nested(66)), "nested deeper than 64 levels");
  EXPECT_EQ(errorOf(nested(1'000'000)), "nested deeper than 64 levels");
}

TEST(Json, TheDeepestFindingOfASchemaIsNamed) {
  const char *schema = R"({
    "type": "object", "required": ["stages"],
    "properties": {"stages": {"type": "array",
                              "items": {"required": ["begin"]}}}})";
  auto check = [&](const char *text) {
    return checkSchema(nlohmann::json::parse(text), schema);
  };
  EXPECT_FALSE(check(R"({"stages": [{"begin": 0}]})"));
  auto missing = check(R"({"stages": [{"begin": 0}, {}]})");
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->pointer, "/stages/1");
  EXPECT_THAT(missing->message, testing::HasSubstr("begin"));
  auto none = check("{}");
  ASSERT_TRUE(none);
  EXPECT_EQ(none->pointer, "");
}

} // namespace

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/ClosestWord.h"

#include <gtest/gtest.h>

using namespace shardsmith;

namespace {

TEST(ClosestWord, IsTheOneWithFewestEdits) {
  std::vector<std::string> names = {"llama2-7b", "llama3-8b", "mistral-7b"};
  EXPECT_EQ(closestWord("lama3-8b", names), "llama3-8b");
  EXPECT_EQ(closestWord("LLaMA3-8B", names), "llama3-8b");
  EXPECT_EQ(closestWord("llama3-7b", names), "llama2-7b") << "the first of two";
}

TEST(ClosestWord, MayBeTheWordWithMoreBehindIt) {
  std::vector<std::string> names = {"memory_gib", "memory_reserved_gib"};
  EXPECT_EQ(closestWord("memory", names), "memory_gib");
  EXPECT_EQ(closestWord("Memory_res", names), "memory_reserved_gib");
  EXPECT_EQ(closestWord("me", names), "") << "too short to say";
  EXPECT_EQ(closestWord("gib", names), "") << "an end is no beginning";
}

TEST(ClosestWord, NothingIsCloseToAnotherWord) {
  EXPECT_EQ(closestWord("falcon", {"llama", "bert", "vit"}), "");
  EXPECT_EQ(closestWord("word", {}), "");
  // Two edits are always close, a third of the letters in long words.
  EXPECT_EQ(closestWord("tb", {"tp"}), "tp");
  EXPECT_EQ(closestWord("abcdefghi", {"abcdefxyz"}), "abcdefxyz");
  EXPECT_EQ(closestWord("abcdefghi", {"abcdewxyz"}), "");
}

} // namespace

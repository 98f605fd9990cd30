// SPDX-License-Identifier: Apache-2.0

#include "../../../lib/Runtime/Files/WeightNames.h"

#include <gtest/gtest.h>

using namespace shardsmith::runtime;
using Kind = TensorMeaning::Kind;

namespace {

TEST(WeightNames, StarsStandForNumbers) {
  EXPECT_TRUE(matchesNumbered("h.*.bias", "h.12.bias"));
  EXPECT_TRUE(matchesNumbered("*.*", "0.34"));
  EXPECT_TRUE(matchesNumbered("", ""));
  EXPECT_FALSE(matchesNumbered("h.*.bias", "h..bias"));
  EXPECT_FALSE(matchesNumbered("h.*.bias", "h.x.bias"));
  EXPECT_FALSE(matchesNumbered("h.*.bias", "h.1.bias2"));
  EXPECT_FALSE(matchesNumbered("h.*", "h."));
  EXPECT_FALSE(matchesNumbered("h.*.bias", "h.1"));
}

TEST(WeightNames, HashesAreNumbersOfMatrices) {
  auto found = matchMatrix("l.*.e.#.w", "l.10.e.27.w");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->stack, "l.10.e.w");
  EXPECT_EQ(found->number, 27);
  found = matchMatrix("w#", "w3");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->stack, "w");
  EXPECT_FALSE(matchMatrix("l.*.e.#.w", "l.10.e.w"));
  EXPECT_FALSE(matchMatrix("l.*.e.#.w", "l.10.e.27.w.x"));
  EXPECT_FALSE(matchMatrix("l.*.w", "l.10.w")); // there is no # in it
  EXPECT_FALSE(matchMatrix("#", "99999999999999999999999"));
}

class WeightNamesOf : public testing::Test {
protected:
  WeightNamesOf() {
    for (const char *name : {"bert.norm.weight", "cls.bias"}) {
      Argument &argument = manifest.arguments.emplace_back();
      argument.name = name;
    }
    Argument &state = manifest.arguments.emplace_back();
    state.name = "mu.cls.bias";
    state.role = Role::State;
    Argument &stack = manifest.arguments.emplace_back();
    stack.name = "bert.e.w";
    stack.globalShape = {4, 2, 3};
    Argument &tokens = manifest.arguments.emplace_back();
    tokens.name = "batch.tokens";
    tokens.role = Role::Batch;
    manifest.weights = {.prefix = "bert.",
                        .ignored = {"bert.pooler.*.weight"},
                        .copies = {{"cls.decoder.bias", "cls.bias"}},
                        .older = {{"gamma", "weight"}},
                        .stacked = {"bert.e.#.w", "cls.#.bias"}};
  }

  /// KIND, KIND:ARGUMENT or KIND[MATRIX]:ARGUMENT.
  std::string meaning(const std::string &name) const {
    std::optional<TensorMeaning> found = WeightNames(manifest).meaningOf(name);
    if (!found)
      return "unknown";
    std::string kind = found->kind == Kind::Argument ? "argument"
                       : found->kind == Kind::Copy   ? "copy"
                                                     : "ignored";
    if (found->matrix)
      kind += "[" + std::to_string(*found->matrix) + "]";
    return found->argument ? kind + ":" + found->argument->name : kind;
  }

  Manifest manifest;
};

TEST_F(WeightNamesOf, KnowEverySpelling) {
  EXPECT_EQ(meaning("bert.norm.weight"), "argument:bert.norm.weight");
  EXPECT_EQ(meaning("norm.weight"), "argument:bert.norm.weight");
  EXPECT_EQ(meaning("bert.norm.gamma"), "argument:bert.norm.weight");
  EXPECT_EQ(meaning("norm.gamma"), "argument:bert.norm.weight");
  EXPECT_EQ(meaning("mu.cls.bias"), "argument:mu.cls.bias");
  EXPECT_EQ(meaning("cls.decoder.bias"), "copy:cls.bias");
  EXPECT_EQ(meaning("bert.pooler.0.weight"), "ignored");
  EXPECT_EQ(meaning("pooler.0.gamma"), "ignored");
}

TEST_F(WeightNamesOf, KnowMatricesOfStacks) {
  EXPECT_EQ(meaning("bert.e.3.w"), "argument[3]:bert.e.w");
  EXPECT_EQ(meaning("e.0.w"), "argument[0]:bert.e.w");
  EXPECT_EQ(meaning("bert.e.4.w"), "unknown"); // there are four
  EXPECT_EQ(meaning("cls.0.bias"), "unknown"); // it is no stack
}

TEST_F(WeightNamesOf, LeaveOutStatesOfOtherOptimizers) {
  EXPECT_EQ(meaning("nu.cls.bias"), "ignored");
  EXPECT_EQ(meaning("adamw.nu.bert.norm.weight"), "ignored");
  EXPECT_EQ(meaning("nu.mu.cls.bias"), "ignored");
}

TEST_F(WeightNamesOf, DoNotKnowTensorsOfOtherModels) {
  EXPECT_EQ(meaning("bert.norm.bias"), "unknown");
  EXPECT_EQ(meaning("pooler.weight"), "unknown");
  EXPECT_EQ(meaning("batch.tokens"), "unknown");
  EXPECT_EQ(meaning("xbert.norm.weight"), "unknown");
  EXPECT_EQ(meaning(""), "unknown");
}

} // namespace

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interfaces/FactorRule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace shardsmith;

namespace {

using Shape = llvm::ArrayRef<int64_t>;

FactorRule matmul() {
  FactorRuleBuilder builder(2, 1);
  builder.add(8, {{0, 0}}, {{0, 0}});
  builder.add(16, {{1, 1}}, {{0, 1}});
  FactorRule rule = builder.build();
  FactorIndex k = rule.factors.size();
  rule.factors.push_back({32, FactorKind::Reduction});
  rule.operands[0].resize(2);
  rule.operands[0][1].push_back(k);
  rule.operands[1][0].push_back(k);
  return rule;
}

TEST(FactorRule, PrintsLikeTheLiterature) {
  EXPECT_EQ(matmul().str(),
            "([i, k], [k, j])->([i, j]) {i=8, j=16, k=32} reduction={k}");
}

TEST(FactorRule, AcceptsAMatmul) {
  int64_t lhs[] = {8, 32}, rhs[] = {32, 16}, out[] = {8, 16};
  EXPECT_EQ(matmul().verify({Shape(lhs), Shape(rhs)}, {Shape(out)}), "");
}

TEST(FactorRule, RefusesAResultlessPassThroughFactor) {
  FactorRule rule = matmul();
  rule.factors[2].kind = FactorKind::PassThrough;
  int64_t lhs[] = {8, 32}, rhs[] = {32, 16}, out[] = {8, 16};
  EXPECT_THAT(rule.verify({Shape(lhs), Shape(rhs)}, {Shape(out)}),
              testing::HasSubstr("factor k is in no result"));
}

TEST(FactorRule, RefusesFactorsLargerThanTheDimension) {
  int64_t lhs[] = {7, 32}, rhs[] = {32, 16}, out[] = {8, 16};
  EXPECT_THAT(matmul().verify({Shape(lhs), Shape(rhs)}, {Shape(out)}),
              testing::HasSubstr("exceed its size"));
}

TEST(FactorRule, PointwiseSharesDimensionsAndSkipsScalars) {
  int64_t shape[] = {4, 5};
  FactorRule rule =
      FactorRuleBuilder::pointwise({Shape(), Shape(shape)}, {Shape(shape)});
  EXPECT_EQ(rule.str(), "([], [i, j])->([i, j]) {i=4, j=5}");
}

TEST(FactorRule, OnlyWholeDimensionsSplitUnevenly) {
  FactorRuleBuilder builder(1, 1);
  builder.add(2, {{0, 0}}, {{0, 0}});
  builder.add(4, {{0, 1}}, {{0, 0}});
  builder.add(5, {{0, 2}}, {{0, 1}});
  FactorRule rule = builder.build();
  EXPECT_FALSE(rule.isWholeDimension(0));
  EXPECT_FALSE(rule.isWholeDimension(1));
  EXPECT_TRUE(rule.isWholeDimension(2));
}

} // namespace

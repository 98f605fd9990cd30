// SPDX-License-Identifier: Apache-2.0

#include "Extract/Tidy.h"
#include "Extract/AxisTable.h"
#include "TwoLayers.h"

#include <gmock/gmock.h>

using namespace shardsmith;
using namespace shardsmith::workload;
using testing::ElementsAre;

namespace {

std::vector<int64_t> leafSizes(const AxisTable &axes, AxisId axis) {
  llvm::SmallVector<AxisId> leaves;
  axes.appendLeaves(axis, leaves);
  std::vector<int64_t> sizes;
  for (AxisId leaf : leaves)
    sizes.push_back(axes.sizeOf(leaf));
  return sizes;
}

TEST(AxisTable, CutsOfAllTiedDimensionsAddUp) {
  AxisTable axes;
  AxisId a = axes.add(48), b = axes.add(48), c = axes.add(48);
  EXPECT_TRUE(axes.unify(a, b));
  EXPECT_EQ(axes.split(a, {4, 12}).size(), 2u);
  EXPECT_THAT(leafSizes(axes, b), ElementsAre(4, 12));
  EXPECT_EQ(axes.split(c, {2, 2, 12}).size(), 3u);
  EXPECT_TRUE(axes.unify(b, c));
  EXPECT_THAT(leafSizes(axes, a), ElementsAre(2, 2, 12));
}

TEST(AxisTable, CutsThatCrossStayApart) {
  AxisTable axes;
  AxisId a = axes.add(6), b = axes.add(6);
  axes.split(a, {2, 3});
  axes.split(b, {3, 2});
  EXPECT_FALSE(axes.unify(a, b));
  EXPECT_TRUE(axes.split(a, {3, 2}).empty());
  EXPECT_THAT(leafSizes(axes, a), ElementsAre(2, 3));
  EXPECT_FALSE(axes.unify(a, axes.add(7)));
}

TEST(AxisTable, RolesBelongToLeaves) {
  AxisTable axes;
  AxisId tokens = axes.add(32), batch = axes.add(4);
  auto parts = axes.split(tokens, {4, 8});
  EXPECT_TRUE(axes.unify(parts[0], batch));
  axes.setRole(batch, FactorRole::Batch);
  EXPECT_EQ(axes.roleOf(parts[0]), FactorRole::Batch);
  EXPECT_EQ(axes.roleOf(parts[1]), FactorRole::Other);
}

/// One product whose result is [positions, 2, 4], and a reader of it.
Workload splitResult() {
  Workload workload;
  Block block;
  block.name = "block";
  block.tensors = {
      {"x", {positions, hidden}, ElementType::F32, TensorRole::Batch},
      {"w", {hidden, 2, 4}, ElementType::F32, TensorRole::Parameter},
      {"y", {positions, 2, 4}},
      {"z", {positions, 2, 4}}};
  Op product;
  product.product = ProductParts{};
  product.factors = {
      {"", positions}, {"", 2}, {"", 4}, {"", hidden, FactorKind::Reduction}};
  product.operands = {{0, {{0}, {3}}}, {1, {{3}, {1}, {2}}}};
  product.results = {{2, {{0}, {1}, {2}}}};
  Op reader;
  reader.factors = {{"", positions}, {"", 2}, {"", 4}};
  reader.operands = {{2, {{0}, {1}, {2}}}};
  reader.results = {{3, {{0}, {1}, {2}}}};
  block.ops = {product, reader};
  block.parameters = {1};
  workload.blocks = {block};
  workload.segments = {{0, 1, {{"w"}}}};
  return workload;
}

TEST(JoinDimensions, WhatNobodyTellsApartIsOneDimension) {
  Workload workload = splitResult();
  joinDimensions(workload);
  nameThings(workload);
  EXPECT_EQ(workload.verify(), "");
  const Block &block = workload.blocks[0];
  EXPECT_THAT(block.tensors[1].shape, ElementsAre(hidden, 8));
  EXPECT_THAT(block.tensors[2].shape, ElementsAre(positions, 8));
  EXPECT_EQ(block.ops[0].factors.size(), 3u);
  EXPECT_EQ(block.ops[1].factors.size(), 2u);
  EXPECT_EQ(block.ops[1].factors[1].size, 8);
}

TEST(JoinDimensions, OneReaderThatTellsThemApartIsEnough) {
  Workload workload = splitResult();
  // Reads the first of the two halves only.
  Op &reader = workload.blocks[0].ops[1];
  reader.operands[0].dims[1] = {};
  reader.results[0].dims = {{0}, {2}};
  workload.blocks[0].tensors[3].shape = {positions, 4};
  joinDimensions(workload);
  const Block &block = workload.blocks[0];
  EXPECT_THAT(block.tensors[1].shape, ElementsAre(hidden, 2, 4));
  EXPECT_THAT(block.tensors[2].shape, ElementsAre(positions, 2, 4));
}

TEST(JoinDimensions, KindsThatDifferInMeaningStayApart) {
  Workload workload = splitResult();
  workload.blocks[0].ops[1].factors[2].kind = FactorKind::RowStatistic;
  joinDimensions(workload);
  EXPECT_THAT(workload.blocks[0].tensors[2].shape,
              ElementsAre(positions, 2, 4));
  // What passes through may be whole with its neighbour.
  workload = splitResult();
  workload.blocks[0].ops[1].factors[2].kind = FactorKind::Whole;
  joinDimensions(workload);
  EXPECT_THAT(workload.blocks[0].tensors[2].shape, ElementsAre(positions, 8));
  EXPECT_EQ(workload.blocks[0].ops[1].factors[1].kind, FactorKind::Whole);
}

TEST(JoinDimensions, RepetitionsOfAParameterAgree) {
  // A second block with the same parameter, that tells its parts apart.
  Workload workload = splitResult();
  Workload other = splitResult();
  other.blocks[0].ops[1].operands[0].dims[1] = {};
  other.blocks[0].ops[1].results[0].dims = {{0}, {2}};
  other.blocks[0].tensors[3].shape = {positions, 4};
  workload.blocks.push_back(other.blocks[0]);
  workload.segments.push_back({1, 1, {{"w"}}});
  joinDimensions(workload);
  EXPECT_THAT(workload.blocks[0].tensors[1].shape, ElementsAre(hidden, 2, 4));
}

TEST(NameThings, FactorsOfAnOpAreDistinct) {
  Workload workload;
  workload.blocks = {attentionBlock()};
  workload.segments = {{0, 1, {{}}}};
  Block &block = workload.blocks[0];
  for (Factor &factor : block.ops[0].factors)
    factor.name = "";
  block.tensors[3].name = "";
  nameThings(workload);
  EXPECT_EQ(workload.verify(), "");
  std::vector<std::string> names;
  for (const Factor &factor : block.ops[0].factors)
    names.push_back(factor.name);
  EXPECT_THAT(names, ElementsAre("b", "kv", "g", "s", "t", "d", "v"));
  EXPECT_EQ(block.tensors[3].name, "attention.out");
}

} // namespace

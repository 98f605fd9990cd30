// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interpreter/Pieces.h"

#include "TensorBuilders.h"

#include <cmath>

namespace shardsmith {
namespace {

//        tensor 0  1  2
//   data 0    [ 0  1  2 ]
//        1    [ 3  4  5 ]
const Mesh mesh({{"data", 2}, {"tensor", 3}});
constexpr MeshAxis data = 0, tensor = 1;

Layout layoutOf(std::initializer_list<AxisList> dims) {
  Layout layout;
  layout.dims.assign(dims.begin(), dims.end());
  return layout;
}

TEST(Pieces, GroupsInOrderOfPosition) {
  using Group = llvm::SmallVector<int64_t>;
  EXPECT_THAT(groupsOver(mesh, {data}),
              ElementsAre(Group{0, 3}, Group{1, 4}, Group{2, 5}));
  EXPECT_THAT(groupsOver(mesh, {tensor, data}),
              ElementsAre(Group{0, 3, 1, 4, 2, 5}));
}

TEST(Pieces, UnevenSplitHasPoisonedPadding) {
  // 4 elements over 3 shards: 2, 2, 0.
  const Layout layout = layoutOf({{tensor}});
  const auto pieces = splitByLayout(f32({4}, {1, 2, 3, 4}), layout, mesh);
  ASSERT_EQ(pieces.size(), 6u);
  EXPECT_THAT(values(pieces[0]), ElementsAre(1, 2));
  EXPECT_THAT(values(pieces[4]), ElementsAre(3, 4));
  EXPECT_TRUE(std::isnan(pieces[2].asDouble(0)));
  EXPECT_TRUE(std::isnan(pieces[5].asDouble(1)));
}

TEST(Pieces, AssembleUndoesSplit) {
  const Tensor whole = i32({5, 4}, {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                                    10, 11, 12, 13, 14, 15, 16, 17, 18, 19});
  for (const Layout &layout :
       {layoutOf({{}, {}}), layoutOf({{data}, {}}), layoutOf({{}, {tensor}}),
        layoutOf({{tensor}, {data}}), layoutOf({{tensor, data}, {}})}) {
    const Assembled result = assemble(splitByLayout(whole, layout, mesh),
                                      whole.shape(), layout, mesh, {});
    EXPECT_EQ(result.divergence, "");
    EXPECT_TRUE(isIdentical(result.tensor, whole)) << layout.str(mesh);
  }
}

TEST(Pieces, PartialSumsAddUp) {
  Layout layout = layoutOf({{data}});
  layout.addPartial({tensor}, ReductionKind::Sum);
  const Tensor whole = f32({4}, {1, 2, 3, 4});
  auto pieces = splitByLayout(whole, layout, mesh);
  EXPECT_THAT(values(pieces[1]), ElementsAre(0, 0));
  pieces[1] = f32({2}, {10, 20});
  EXPECT_THAT(values(assemble(pieces, whole.shape(), layout, mesh, {}).tensor),
              ElementsAre(11, 22, 3, 4));
}

TEST(Pieces, CopiesThatDifferAreNamed) {
  const Layout layout = layoutOf({{data}});
  auto pieces = splitByLayout(f32({2}, {1, 2}), layout, mesh);
  pieces[5] = f32({1}, {2.5});
  const Assembled result = assemble(pieces, {2}, layout, mesh, {});
  EXPECT_THAT(result.divergence,
              ::testing::StartsWith("devices 3 and 5 should hold"));
}

} // namespace
} // namespace shardsmith

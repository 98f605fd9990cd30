// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Sharding/GspmdSharding.h"

#include <gtest/gtest.h>

using namespace shardsmith;

namespace {

/// The only sharding in `text`.
GspmdSharding parseOne(llvm::StringRef text) {
  auto parsed = parseGspmdSharding(text);
  if (auto *error = std::get_if<std::string>(&parsed)) {
    ADD_FAILURE() << *error;
    return {};
  }
  auto &shardings = std::get<std::vector<GspmdSharding>>(parsed);
  EXPECT_EQ(shardings.size(), 1u);
  return shardings.front();
}

std::string errorOf(llvm::StringRef text) {
  auto parsed = parseGspmdSharding(text);
  auto *error = std::get_if<std::string>(&parsed);
  return error ? *error : "";
}

/// Mesh and layout as text, for a mesh made from this sharding alone.
std::string layoutOf(llvm::StringRef text, unsigned rank) {
  GspmdSharding sharding = parseOne(text);
  auto mesh = getCommonMesh(sharding);
  if (auto *error = std::get_if<std::string>(&mesh))
    return *error;
  auto layout = toLayout(sharding, std::get<Mesh>(mesh), rank);
  if (auto *error = std::get_if<std::string>(&layout))
    return *error;
  std::string result;
  for (MeshAxis axis = 0; axis < std::get<Mesh>(mesh).getAxisCount(); ++axis)
    result += std::to_string(std::get<Mesh>(mesh).getSize(axis)) + " ";
  return result + std::get<Layout>(layout).str(std::get<Mesh>(mesh));
}

TEST(GspmdShardingTest, ReadsTiles) {
  EXPECT_EQ(layoutOf("{replicated}", 2), "[{}, {}]");
  EXPECT_EQ(layoutOf("{devices=[8,1]<=[8]}", 2), "8 [{\"axis_0\"}, {}]");
  EXPECT_EQ(layoutOf("{devices=[2,1,4]<=[8] last_tile_dim_replicate}", 2),
            "2 4 [{\"axis_0\"}, {}]");
  EXPECT_EQ(
      layoutOf("{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}", 2),
      "2 4 [{}, {\"axis_1\"}]");
}

TEST(GspmdShardingTest, ReadsSeveralAxesPerDimension) {
  // Mesh a=b=c=d=2, (None, ("d","b"), "c"), replicated over a.
  EXPECT_EQ(layoutOf("{devices=[1,4,2,2]<=[2,2,2,2]T(3,1,2,0) "
                     "last_tile_dim_replicate}",
                     3),
            "2 2 2 2 [{}, {\"axis_3\", \"axis_1\"}, {\"axis_2\"}]");
}

TEST(GspmdShardingTest, ReadsDeviceLists) {
  EXPECT_EQ(layoutOf("{devices=[4,2]0,4,1,5,2,6,3,7}", 2),
            "2 4 [{\"axis_1\"}, {\"axis_0\"}]");
  EXPECT_EQ(layoutOf("{devices=[2,3]0,1,2,3,4,5}", 2),
            "2 3 [{\"axis_0\"}, {\"axis_1\"}]");
}

// Three devices side by side, then the other three: 6 = 3 (stride 1) · 2.
TEST(GspmdShardingTest, ReadsSizesThatAreNoPowers) {
  EXPECT_EQ(layoutOf("{devices=[6]0,3,1,4,2,5}", 1),
            "2 3 [{\"axis_1\", \"axis_0\"}]");
}

TEST(GspmdShardingTest, ReadsGroups) {
  GspmdSharding sharding = parseOne("{devices=[2,2,2]0,1,2,3,4,5,6,7 "
                                    "last_tile_dims={manual, replicated}}");
  ASSERT_EQ(sharding.dims.size(), 1u);
  EXPECT_EQ(sharding.dims[0], (std::vector<DeviceAxis>{{4, 2}}));
  EXPECT_EQ(sharding.manual, (std::vector<DeviceAxis>{{2, 2}}));

  EXPECT_EQ(layoutOf("{devices=[2,2]<=[4] last_tile_dims={unreduced}}", 1),
            "2 2 [{\"axis_0\"}] partial={\"axis_1\"}");
  EXPECT_TRUE(parseOne("{unreduced}").isUnreducedEverywhere);
  EXPECT_EQ(parseOne("{manual}").kind, GspmdSharding::Kind::Manual);
  EXPECT_EQ(parseOne("{maximal device=3}").device, 3);
}

TEST(GspmdShardingTest, ReadsTuples) {
  auto parsed = parseGspmdSharding("{{devices=[2,1]<=[2]}, {replicated}}");
  ASSERT_TRUE(std::holds_alternative<std::vector<GspmdSharding>>(parsed));
  EXPECT_EQ(std::get<std::vector<GspmdSharding>>(parsed).size(), 2u);
}

TEST(GspmdShardingTest, CommonMeshHasTheCutsOfAll) {
  GspmdSharding shardings[] = {
      parseOne("{devices=[8]<=[8]}"),
      parseOne("{devices=[2,4]<=[8] last_tile_dim_replicate}"),
      parseOne("{devices=[2,4]<=[4,2]T(1,0) last_tile_dim_replicate}")};
  auto mesh = getCommonMesh(shardings);
  ASSERT_TRUE(std::holds_alternative<Mesh>(mesh));
  EXPECT_EQ(std::get<Mesh>(mesh),
            Mesh({{"axis_0", 2}, {"axis_1", 2}, {"axis_2", 2}}));
  auto whole = toLayout(shardings[0], std::get<Mesh>(mesh), 1);
  EXPECT_EQ(std::get<Layout>(whole).dims[0], (AxisList{0, 1, 2}));
  auto minor = toLayout(shardings[2], std::get<Mesh>(mesh), 1);
  EXPECT_EQ(std::get<Layout>(minor).dims[0], (AxisList{2}));
}

TEST(GspmdShardingTest, RefusesMeshesWithoutCommonAxes) {
  GspmdSharding shardings[] = {
      parseOne("{devices=[2,3]<=[6] last_tile_dim_replicate}"),
      parseOne("{devices=[3,2]<=[6] last_tile_dim_replicate}")};
  auto mesh = getCommonMesh(shardings);
  ASSERT_TRUE(std::holds_alternative<std::string>(mesh));
  EXPECT_NE(std::get<std::string>(mesh).find("groups of 3 and of 2"),
            std::string::npos);
}

TEST(GspmdShardingTest, SaysWhatIsWrong) {
  EXPECT_NE(errorOf("").find("expected '{' at position 0"), std::string::npos);
  EXPECT_NE(errorOf("{tiled}").find("expected replicated, maximal"),
            std::string::npos);
  EXPECT_NE(errorOf("{devices=[2,2]<=[8]}").find("4 tiles but 8 devices"),
            std::string::npos);
  EXPECT_NE(errorOf("{devices=[2]0,1,2}").find("2 tiles but 3 devices"),
            std::string::npos);
  EXPECT_NE(errorOf("{devices=[4]0,1,3,2}").find("no mesh of axes"),
            std::string::npos);
  EXPECT_NE(errorOf("{devices=[2,2]<=[2,2]T(0,0)}").find("no permutation"),
            std::string::npos);
  EXPECT_NE(errorOf("{devices=[0]<=[0]}").find("zero or too large"),
            std::string::npos);
  EXPECT_NE(errorOf("{devices=[99999999999999999999]<=[2]}").find("a number"),
            std::string::npos);
  EXPECT_NE(errorOf("{devices=[2]0,0}").find("every device number below 2"),
            std::string::npos);
  EXPECT_NE(errorOf("{replicated} x").find("expected end of text"),
            std::string::npos);
}

} // namespace

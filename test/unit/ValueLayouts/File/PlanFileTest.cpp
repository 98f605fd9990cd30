// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/ValueLayouts/File/PlanFile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>

using namespace shardsmith;
using testing::HasSubstr;

namespace {

Plan makePlan() {
  Plan plan;
  plan.modelName = "tiny";
  plan.modelHash = "0123456789abcdef";
  plan.clusterName = "cpu:4";
  plan.clusterHash = "fedcba9876543210";
  plan.profileName = "shardsmith";
  plan.profileHash = "00112233aabbccdd";
  plan.toolVersion = "0.1.0";
  plan.options.fix = {{"data", 2}, {"tensor", 2}};
  plan.mesh = plan.options.fix;
  plan.tensors = {{"w", "param", "f32", {8, 16}, {{}, {"tensor"}}},
                  {"x", "batch", "i32", {4, 8}, {{"data"}, {}}},
                  {"step", "state", "i32", {}, {}}};
  plan.stepHash = "00000000deadbeef";
  plan.choices = {
      {"#smith.factor_axes<[{\"data\"}]>", {}},
      {"#smith.factor_axes<[{}]>", {"", "#sdy.sharding<@mesh, []>"}}};
  plan.opChoices = {0, 0, 0, 1, 0};
  plan.predicted.source = "program";
  plan.predicted.compute = Nanoseconds(100);
  plan.predicted.communication = Nanoseconds(20);
  plan.predicted.collectives = {
      {"all_reduce", {"data", "tensor"}, 3, Bytes(4096)}};
  plan.predicted.parameters = Bytes(512);
  plan.predicted.peak = Bytes(2048);
  plan.estimated = plan.predicted;
  plan.estimated.source = "search";
  plan.search.cost = 120;
  plan.search.lowerBound = 100;
  plan.search.gap = 0.2;
  plan.search.proof = "bounded";
  plan.search.ops = 5;
  plan.search.decisions = 4;
  plan.search.meshes = {{{{"a", 4}}, "excluded", forbiddenCost, 130},
                        {{{"a", 2}, {"b", 2}}, "bounded", 120, 100}};
  return plan;
}

std::string messageOf(llvm::Error error, ExitCode expected) {
  std::string message;
  EXPECT_EQ(takeError(std::move(error), message), expected);
  return message;
}

TEST(PlanFile, RoundTrips) {
  Plan plan = makePlan();
  auto again = planFromJson(planToJson(plan));
  ASSERT_TRUE(bool(again)) << messageOf(again.takeError(), ExitCode::BadInput);
  EXPECT_EQ(planToJson(*again), planToJson(plan));
  EXPECT_EQ(again->profileName, plan.profileName);
  EXPECT_EQ(again->profileHash, plan.profileHash);
  EXPECT_EQ(again->tensors, plan.tensors);
  EXPECT_EQ(again->choices, plan.choices);
  EXPECT_EQ(again->opChoices, plan.opChoices);
  EXPECT_EQ(again->predicted, plan.predicted);
  EXPECT_EQ(again->estimated, plan.estimated);
  EXPECT_EQ(again->search, plan.search);
  EXPECT_EQ(again->mesh, plan.mesh);
  EXPECT_EQ(again->hash(), plan.hash());
}

TEST(PlanFile, HashFollowsTheDecisionsOnly) {
  Plan plan = makePlan(), other = plan;
  other.predicted.peak = Bytes(1);
  other.search.cost = 1;
  EXPECT_EQ(plan.hash(), other.hash());
  other.opChoices[0] = 1;
  EXPECT_NE(plan.hash(), other.hash());
}

TEST(PlanFile, WritesAndReadsFiles) {
  auto path = (std::filesystem::temp_directory_path() /
               ("plan-" + std::to_string(getpid()) + ".json"))
                  .string();
  ASSERT_FALSE(bool(writePlan(path, makePlan())));
  auto plan = readPlan(path);
  ASSERT_TRUE(bool(plan));
  EXPECT_EQ(plan->hash(), makePlan().hash());
  std::filesystem::remove(path);
  auto missing = readPlan(path);
  EXPECT_THAT(messageOf(missing.takeError(), ExitCode::BadInput),
              HasSubstr("cannot read \"" + path + "\""));
}

TEST(PlanFile, OtherModelsAndClustersAreRefused) {
  Plan plan = makePlan();
  EXPECT_FALSE(bool(checkPlanIsFor(plan, plan.modelHash, plan.clusterHash)));
  std::string model = messageOf(checkPlanIsFor(plan, "ffffffffffffffff", ""),
                                ExitCode::BadInput);
  EXPECT_THAT(model, HasSubstr("0123456789abcdef"));
  EXPECT_THAT(model, HasSubstr("ffffffffffffffff"));
  std::string cluster = messageOf(checkPlanIsFor(plan, "", "1111111111111111"),
                                  ExitCode::BadInput);
  EXPECT_THAT(cluster, HasSubstr("fedcba9876543210"));
  EXPECT_THAT(cluster, HasSubstr("1111111111111111"));
}

TEST(PlanFile, DamagedFilesAreLocated) {
  nlohmann::json sound = nlohmann::json::parse(planToJson(makePlan()));
  const std::tuple<const char *, nlohmann::json, const char *> cases[] = {
      {"/format", "shardsmith-plan/9", "plan/format: unknown format"},
      {"/mesh/0/size", 0, "plan/mesh/0/size"},
      {"/predicted/compute_ns", -1, "plan/predicted/compute_ns"},
      {"/search/proof", "sure", "plan/search/proof"},
      {"/decisions/ops/1", {7, 1}, "plan/decisions/ops/1: choice 7"},
      {"/decisions/ops/0", {0, 0}, "plan/decisions/ops/0: runs"},
      {"/decisions/ops/0", {0, 1 << 30}, "plan/decisions/ops/0: runs"},
      {"/decisions/ops/0", {0, INT64_MAX}, "plan/decisions/ops/0: runs"},
      {"/mesh/1/name", "data", "plan/mesh/1/name: axis \"data\" occurs twice"},
      {"/mesh", nlohmann::json::parse(R"([{"name": "a", "size": 1048576},
                                 {"name": "b", "size": 1048576},
                                 {"name": "c", "size": 1048576},
                                 {"name": "d", "size": 1048576}])"),
       "plan/mesh/3/size: the sizes multiply"},
      {"/tensors/0/axes", nlohmann::json::parse(R"([["data"], ["data"]])"),
       "plan/tensors/0/axes: axis \"data\" occurs twice"},
      {"/tensors/0/axes", nlohmann::json::parse(R"([["data"]])"),
       "plan/tensors/0/axes: axes of 1 dimensions, but the shape has 2"},
      {"/tensors/0/shape", "big", "plan/tensors/0/shape"},
      {"/surprise", 1, "plan"},
  };
  for (const auto &[pointer, value, expected] : cases) {
    SCOPED_TRACE(pointer);
    nlohmann::json damaged = sound;
    damaged[nlohmann::json::json_pointer(pointer)] = value;
    auto plan = planFromJson(damaged.dump());
    ASSERT_FALSE(bool(plan));
    EXPECT_THAT(messageOf(plan.takeError(), ExitCode::BadInput),
                HasSubstr(expected));
  }
  auto cut = planFromJson("{\"format\": ");
  EXPECT_THAT(messageOf(cut.takeError(), ExitCode::BadInput),
              HasSubstr("not valid JSON"));
}

TEST(PlanOptions, AxesAreReadAndChecked) {
  auto axes = parseFixedAxes("data=2, tensor=4");
  ASSERT_TRUE(bool(axes));
  EXPECT_EQ(*axes, (std::vector<FixedAxis>{{"data", 2}, {"tensor", 4}}));
  for (const char *bad :
       {"", "data", "data=0", "data=-1", "dp=2", "data=2,", "data=2,data=2",
        "data=1,fsdp=1,tensor=1", "data=99999999999999999999"}) {
    SCOPED_TRACE(bad);
    auto result = parseFixedAxes(bad);
    ASSERT_FALSE(bool(result));
    messageOf(result.takeError(), ExitCode::Usage);
  }
}

} // namespace

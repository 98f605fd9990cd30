// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Calibrate/RowBatch.h"

#include "../Cost/TransformerModel.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>

namespace shardsmith {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json rowJson(const std::string &id) {
  return {{"id", id},
          {"model", "small"},
          {"cluster", "16xa100-80"},
          {"global_batch", 64},
          {"plan", {{"tensor", 2}, {"data", 8}, {"micro_batch", 2}}}};
}

/// Models `small` and `large`.
std::shared_ptr<const workload::Workload> loadModel(const RowModel &model,
                                                    std::string &error) {
  workload::TransformerSizes sizes;
  sizes.layers = 8;
  if (model.model == "large")
    sizes.hidden = 4096;
  else if (model.model != "small")
    error = fmt::format("no model \"{}\"", model.model);
  if (!error.empty())
    return nullptr;
  return std::make_shared<const workload::Workload>(transformer(sizes));
}

PlanRow parsed(const json &row) {
  std::string error;
  std::optional<PlanRow> result = planRowFromJson(row.dump(), error);
  EXPECT_TRUE(result) << error;
  return result.value_or(PlanRow());
}

std::string problemOf(const json &row) {
  std::string error;
  EXPECT_FALSE(planRowFromJson(row.dump(), error));
  return error;
}

TEST(PlanRow, ReadsWhatARowSays) {
  json text = rowJson("a");
  text["plan"]["recompute"] = "full";
  text["compute_type"] = "f8E4M3FN";
  text["settings"] = {{"kernels.fused_attention", false},
                      {"communication.data_exposure", 1}};
  text["measured"] = {{"step_s", 1.5}};
  PlanRow row = parsed(text);
  EXPECT_EQ(row.plan.tensor, 2);
  EXPECT_EQ(row.plan.pipeline, 1);
  EXPECT_EQ(row.plan.recompute, Recompute::Full);
  EXPECT_EQ(row.computeType, workload::ElementType::F8);
  EXPECT_EQ(row.measured.seconds, 1.5);
  EXPECT_FALSE(row.measured.memoryGib);
  StackProfile applied = row.settings.appliedTo(StackProfile());
  EXPECT_FALSE(applied.fusedAttention);
  EXPECT_EQ(applied.dataExposure, 1);
}

TEST(PlanRow, ProblemsHavePointers) {
  json row = rowJson("a");
  row["plan"]["tensor"] = -2;
  EXPECT_THAT(problemOf(row), HasSubstr("/plan/tensor"));
  row = rowJson("a");
  row["plan"]["tesnor"] = 2;
  EXPECT_THAT(problemOf(row), HasSubstr("tesnor"));
  row = rowJson("a");
  row.erase("model");
  EXPECT_THAT(problemOf(row), HasSubstr("/model"));
  row = rowJson("a");
  row["settings"] = {{"kernels.speed", 2}};
  EXPECT_THAT(problemOf(row), HasSubstr("kernels.speed"));
  row = rowJson("a");
  row["compute_type"] = "f7";
  EXPECT_THAT(problemOf(row), HasSubstr("f7"));
  std::string error;
  EXPECT_FALSE(planRowFromJson("{", error));
  EXPECT_THAT(error, HasSubstr("not valid JSON"));
}

TEST(RowBatch, LinesFailOnTheirOwn) {
  json unknown = rowJson("unknown");
  unknown["model"] = "enormous";
  std::stringstream text;
  text << rowJson("good").dump() << "\n\n{\n" << unknown.dump() << "\n";
  std::vector<BatchLine> lines = readBatch(text);
  ASSERT_EQ(lines.size(), 3u);
  PlanRows rows(loadModel);
  json good = json::parse(estimateLine(rows, lines[0], "generic"));
  EXPECT_GT(good["step_s"], 0.0) << good;
  EXPECT_GT(good["memory_gib"], 0.0);
  json broken = json::parse(estimateLine(rows, lines[1], "generic"));
  EXPECT_EQ(broken["line"], 3);
  json other = json::parse(estimateLine(rows, lines[2], "generic"));
  EXPECT_THAT(other["error"].get<std::string>(), HasSubstr("enormous"));
}

TEST(RowBatch, DifferencesOfAClusterCount) {
  auto seconds = [](const json &differences) {
    json row = rowJson("a");
    row["cluster"] = differences;
    row["cluster"]["builtin"] = "16xa100-80";
    PlanRows rows(loadModel);
    BatchLine line{1, parsed(row), ""};
    json result = json::parse(estimateLine(rows, line, "generic"));
    return result.value("step_s", 0.0);
  };
  double plain = seconds(json::object());
  EXPECT_GT(seconds({{"compute_scale", 0.5}}), 1.2 * plain);
  EXPECT_GT(seconds({{"network_gb_per_s_per_node", 5}}), plain);
}

/// Twelve plans, timed by the model itself under another profile.
class FitProfilesTest : public testing::Test {
protected:
  FitProfilesTest() {
    truth.matmulRate = 0.7;
    truth.tensorExposure = 0.6;
    PlanRows rows(loadModel);
    for (const char *model : {"small", "large"})
      for (int64_t tensor : {1, 2, 4, 8})
        for (int64_t batch : {1, 4}) {
          json text = rowJson(fmt::format("{} {} {}", model, tensor, batch));
          text["model"] = model;
          text["plan"] = {{"tensor", tensor},
                          {"data", 16 / tensor},
                          {"micro_batch", batch}};
          PlanRow row = parsed(text);
          std::string error;
          auto priced = rows.prepare(row, truth, error);
          EXPECT_TRUE(priced) << error;
          row.measured.seconds = priced->predict(truth).seconds;
          measured.push_back(row);
        }
  }

  std::optional<std::vector<FittedProfile>> fit(const std::string &requests) {
    auto parsed = profileRequestsFromJson(requests, error);
    if (!parsed)
      return std::nullopt;
    PlanRows rows(loadModel);
    return fitProfiles(rows, measured, *parsed, error);
  }

  StackProfile truth;
  std::vector<PlanRow> measured;
  std::string error;
};

TEST_F(FitProfilesTest, FindsTheProfileThatTimedTheRows) {
  auto fitted =
      fit(R"({"fits": [{"name": "new", "start": "defaults", "ridge": 1e-6}]})");
  ASSERT_TRUE(fitted) << error;
  const StackProfile &profile = fitted->front().calibration.profile;
  EXPECT_NEAR(profile.matmulRate, 0.7, 0.03);
  EXPECT_NEAR(profile.tensorExposure, 0.6, 0.05);
  EXPECT_LT(fitted->front().calibration.timeAfter.mean, 0.01);
  EXPECT_THAT(reportOf(fitted->front()), HasSubstr("kernels.matmul_rate"));
}

TEST_F(FitProfilesTest, StartsFromEarlierFits) {
  auto fitted = fit(R"({"fits": [
      {"name": "first", "start": "defaults", "ridge": 1e-6},
      {"name": "second", "start": "first",
       "fixed": ["kernels.matmul_rate"]}]})");
  ASSERT_TRUE(fitted) << error;
  EXPECT_EQ((*fitted)[0].calibration.profile.matmulRate,
            (*fitted)[1].calibration.profile.matmulRate);
  EXPECT_LT((*fitted)[1].calibration.timeBefore.mean, 0.01);
}

TEST_F(FitProfilesTest, RefusesRowsThatAreNotThere) {
  EXPECT_FALSE(fit(R"({"fits": [{"name": "new", "rows": ["nobody"]}]})"));
  EXPECT_THAT(error, HasSubstr("nobody"));
}

TEST_F(FitProfilesTest, RefusesTooFewRows) {
  EXPECT_FALSE(fit(R"({"fits": [{"name": "new", "rows": ["small 1 1"]}]})"));
  EXPECT_THAT(error, HasSubstr("too few"));
}

TEST_F(FitProfilesTest, RefusesRequestsThatAreNone) {
  EXPECT_FALSE(fit(R"({"fits": [{"nmae": "new"}]})"));
  EXPECT_THAT(error, HasSubstr("/fits/0"));
}

} // namespace
} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0
//
// Plans for a train step: with a strategy that they follow from, and without.

#include "SamplePlan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

using namespace shardsmith;
using namespace shardsmith::test;
using testing::HasSubstr;

namespace {

using Json = nlohmann::ordered_json;

/// What is wrong with a text.
std::string refusalOf(const Json &json) {
  std::string error;
  EXPECT_FALSE(planDocumentFromJson(json.dump(), error)) << json.dump(1);
  return error;
}

/// The plan in a file of this text, or nothing with the reason in `error`.
std::optional<StepPlan> readFrom(const std::string &text, std::string &error) {
  std::string path = (std::filesystem::temp_directory_path() /
                      ("plan-" + std::to_string(getpid()) + ".json"))
                         .string();
  std::ofstream(path) << text;
  std::optional<StepPlan> plan = readStepPlan(path, error);
  std::filesystem::remove(path);
  return plan;
}

TEST(StepPlanFile, IsReadAsItWasWritten) {
  for (const PlanDocument &document : {makeDocument(), makeStepDocument()}) {
    std::string error;
    std::optional<PlanDocument> read =
        planDocumentFromJson(toJson(document), error);
    ASSERT_TRUE(read) << error;
    EXPECT_EQ(toJson(*read), toJson(document));
    EXPECT_EQ(read->program, document.program);
    EXPECT_EQ(read->program->hash(), document.program->hash());
    EXPECT_EQ(read->hasStrategy(), document.hasStrategy());
    std::optional<StepPlan> program = readFrom(toJson(document), error);
    EXPECT_EQ(program, document.program) << error;
  }
}

TEST(StepPlanFile, SaysEverythingOnce) {
  Json json = Json::parse(toJson(makeStepDocument()));
  EXPECT_FALSE(json.contains("strategy") || json.contains("alternatives"));
  EXPECT_EQ(json["prediction"]["step_ns"], 120);
  EXPECT_EQ(json["search"]["cost"], 120);
  EXPECT_EQ(json["search"]["proof"], "bounded");
  EXPECT_EQ(json["model"].size(), 2u);
  json = Json::parse(toJson(makeDocument()));
  EXPECT_EQ(json["prediction"]["step_ns"],
            makeDocument().estimate.step().count());
  EXPECT_EQ(json["layouts"].size(), 2u);
  EXPECT_FALSE(json["strategy"].contains("layouts"));
}

TEST(StepPlanFile, HasWhatRanksOfAPipelineDo) {
  PlanDocument document = makeDocument();
  document.program->predicted.pipelineRanks = {
      {{{"send", {"pipeline"}, 3, Bytes(48), {}}}, Bytes(640)},
      {{{"permute", {"tensor"}, 1, Bytes(0), {Bytes(0), Bytes(4)}}},
       Bytes(512)}};
  std::string text = toJson(document), error;
  Json ranks = Json::parse(text)["prediction"]["train_step"]["pipeline_ranks"];
  EXPECT_EQ(ranks[0]["collectives"][0]["bytes_per_rank"], 48);
  EXPECT_FALSE(ranks[0]["collectives"][0].contains("bytes_of_ranks"));
  EXPECT_EQ(ranks[1]["collectives"][0]["bytes_of_ranks"], Json({0, 4}));
  EXPECT_EQ(ranks[1]["peak_bytes_per_rank"], 512);
  EXPECT_EQ(readFrom(text, error), document.program) << error;
}

/// Only a schedule in place of that of the strategy's family has a step of its
/// own.
TEST(StepPlanFile, GivenScheduleHasItsOwnStep) {
  PlanDocument document = makeDocument();
  document.program->schedule = "0F0,0B0\n";
  Json json = Json::parse(toJson(document));
  EXPECT_FALSE(json["prediction"]["train_step"].contains("scheduled_ns"));
  document.program->predicted.step += Nanoseconds(5);
  json = Json::parse(toJson(document));
  EXPECT_EQ(json["prediction"]["train_step"]["scheduled_ns"],
            document.estimate.step().count() + 5);
  EXPECT_EQ(json["prediction"]["step_ns"], document.estimate.step().count());
  std::string error;
  EXPECT_EQ(readFrom(toJson(document), error), document.program) << error;
}

/// A strategy that was priced again gives its program the new step.
TEST(StepPlanFile, ProgramTakesTheStepOfItsStrategy) {
  PlanDocument document = makeDocument();
  document.program->predicted.step += Nanoseconds(5);
  std::string text = toJson(document), error;
  EXPECT_FALSE(
      Json::parse(text)["prediction"]["train_step"].contains("scheduled_ns"));
  std::optional<StepPlan> read = readFrom(text, error);
  ASSERT_TRUE(read) << error;
  EXPECT_EQ(read->predicted.step, document.estimate.step());
}

TEST(StepPlanFile, HashFollowsTheDecisionsOnly) {
  StepPlan plan = makeStepPlan(), other = plan;
  other.predicted.peak = Bytes(1);
  other.search.cost = 1;
  other.profile.hash = "00";
  EXPECT_EQ(plan.hash(), other.hash());
  other.opChoices[0] = 1;
  EXPECT_NE(plan.hash(), other.hash());
  other = plan;
  other.cluster.hash = "00";
  EXPECT_NE(plan.hash(), other.hash());
}

TEST(StepPlanFile, PlansOfAStrategyAloneHaveNone) {
  PlanDocument document = makeDocument();
  document.program.reset();
  std::string error;
  EXPECT_FALSE(readFrom(toJson(document), error));
  EXPECT_THAT(error, HasSubstr(".json: this plan has a strategy alone; "));
  std::filesystem::path missing = "/nonexistent/plan.json";
  EXPECT_FALSE(readStepPlan(missing, error));
  EXPECT_THAT(error, HasSubstr("cannot read \"/nonexistent/plan.json\""));
}

TEST(StepPlanFile, OtherVersionsAreRefusedWithTheWayOut) {
  Json json = Json::parse(toJson(makeStepDocument()));
  for (const char *version : {"shardsmith-plan/1", "shardsmith-plan/2"}) {
    json["format"] = version;
    EXPECT_THAT(refusalOf(json),
                HasSubstr(std::string("plan/format: unknown format \"") +
                          version +
                          "\", expected \"shardsmith-plan/3\"; make "
                          "the plan again with 'shardsmith plan "));
  }
}

TEST(StepPlanFile, PartsGoTogether) {
  auto without = [](const PlanDocument &document, const char *pointer) {
    Json json = Json::parse(toJson(document));
    Json::json_pointer place(pointer);
    json.at(place.parent_pointer()).erase(place.back());
    return refusalOf(json);
  };
  for (const char *part :
       {"/layouts/train_step", "/prediction/train_step", "/search/layouts"}) {
    SCOPED_TRACE(part);
    EXPECT_THAT(without(makeDocument(), part),
                HasSubstr("which a plan for a train step has"));
    EXPECT_THAT(without(makeStepDocument(), part),
                HasSubstr("which a plan without a strategy has"));
  }
  for (const char *part : {"/model/dtype", "/layouts/blocks",
                           "/prediction/ranks", "/prediction/uncertainty"}) {
    SCOPED_TRACE(part);
    EXPECT_THAT(without(makeDocument(), part),
                HasSubstr("which a plan with a strategy has"));
    Json json = Json::parse(toJson(makeStepDocument()));
    Json::json_pointer place(part);
    json[place] = Json::parse(toJson(makeDocument()))[place];
    EXPECT_THAT(refusalOf(json), HasSubstr(std::string("plan") + part +
                                           ": is no part of a plan without a "
                                           "strategy"));
  }
  without(makeDocument(), "/alternatives");
  without(makeDocument(), "/strategy");
}

TEST(StepPlanFile, DamagedFilesAreLocated) {
  const Json sound = Json::parse(toJson(makeStepDocument()));
  const std::tuple<const char *, Json, const char *> cases[] = {
      {"/layouts/train_step/mesh/0/size", 0, ""},
      {"/layouts/train_step/mesh/1/name", "data",
       ": axis \"data\" occurs twice"},
      {"/layouts/train_step/ops/1", {7, 1}, ": choice 7"},
      {"/layouts/train_step/ops/0", {0, 0}, ": runs"},
      {"/layouts/train_step/ops/0", {0, 1 << 30}, ": runs"},
      {"/layouts/train_step/ops/0", {0, INT64_MAX}, ": runs"},
      {"/layouts/train_step/arguments/0/axes",
       {{"data"}, {"data"}},
       ": axis \"data\" occurs twice"},
      {"/layouts/train_step/arguments/0/axes", Json::parse(R"([["data"]])"),
       ": axes of 1 dimensions, but the shape has 2"},
      {"/layouts/train_step/arguments/0/shape", "big", ""},
      {"/search/layouts/compute_ns", -1, ""},
      {"/prediction/train_step/scheduled_ns", 5,
       ": expected only beside layouts/train_step/schedule"},
      {"/prediction/step_ns", 7, ": 7 is not what train_step takes"},
      {"/search/layouts/proof", "sure", ""},
  };
  for (const auto &[pointer, value, expected] : cases) {
    SCOPED_TRACE(pointer);
    Json damaged = sound;
    damaged[Json::json_pointer(pointer)] = value;
    EXPECT_THAT(refusalOf(damaged),
                HasSubstr(std::string("plan") + pointer + expected));
  }
  Json damaged = sound;
  damaged["layouts"]["train_step"]["mesh"] = Json::parse(R"([
      {"name": "a", "size": 1048576}, {"name": "b", "size": 1048576},
      {"name": "c", "size": 1048576}, {"name": "d", "size": 1048576}])");
  EXPECT_THAT(refusalOf(damaged), HasSubstr("plan/layouts/train_step/mesh/3/"
                                            "size: the sizes multiply"));
}

} // namespace

// SPDX-License-Identifier: Apache-2.0

#include "SamplePlan.h"

#include "shardsmith/PlanFiles/NamedStrategy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace shardsmith;
using namespace shardsmith::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

using Json = nlohmann::ordered_json;

/// What is wrong with the sample after `edit`.
template <typename Edit> std::string complaint(Edit edit) {
  Json json = Json::parse(toJson(makeDocument()));
  edit(json);
  std::string error;
  EXPECT_FALSE(planDocumentFromJson(json.dump(), error));
  return error;
}

TEST(PlanDocument, ReadsWhatItWrites) {
  PlanDocument document = makeDocument();
  std::string error;
  std::optional<PlanDocument> read =
      planDocumentFromJson(toJson(document), error);
  ASSERT_TRUE(read) << error;
  EXPECT_EQ(toJson(*read), toJson(document));
  ASSERT_EQ(bindLayouts(makeWorkload(), *read), "");
  EXPECT_EQ(*read, document);
}

TEST(PlanDocument, CheckpointsMayLackTimes) {
  PlanDocument document = makeDocument();
  document.checkpoints->times.reset();
  std::string error;
  std::optional<PlanDocument> read =
      planDocumentFromJson(toJson(document), error);
  ASSERT_TRUE(read) << error;
  EXPECT_EQ(read->checkpoints, document.checkpoints);
  EXPECT_THAT(
      complaint([](Json &json) { json["checkpoints"]["times"].erase("lost"); }),
      HasSubstr("/checkpoints/times"));
  EXPECT_THAT(
      complaint([](Json &json) { json["checkpoints"]["times"]["lost"] = 2; }),
      HasSubstr("/checkpoints/times/lost"));
}

TEST(PlanDocument, NamesParametersOfAllLayersAtOnce) {
  NamedLayout layout = makeDocument().layouts.at(0);
  EXPECT_EQ(layout.ops.at(0).split, "column");
  EXPECT_THAT(layout.parameters.at(0).names, ElementsAre("layers.*.up.weight"));
  EXPECT_THAT(layout.parameters[0].axes,
              ElementsAre(testing::IsEmpty(), ElementsAre("tensor")));
}

TEST(PlanDocument, ListsParameterNamesThatDifferInMoreThanANumber) {
  workload::Workload workload = makeWorkload();
  workload::ParameterNames names;
  for (int64_t layer = 0; layer < 12; ++layer)
    names.add({layer == 3
                   ? "special.3.up.weight"
                   : workload.segments[0].parameterNames.name(layer, 0)});
  workload.segments[0].parameterNames = names;
  NamedLayout layout = nameLayouts(workload, makeStrategy()).at(0);
  EXPECT_EQ(layout.parameters.at(0).names.size(), 12u);
}

TEST(PlanDocument, NumbersThatShareDigitsAreStillOneNumber) {
  workload::Workload workload = makeWorkload();
  workload::ParameterNames names;
  for (size_t layer = 0; layer < 12; ++layer)
    names.add({"layers." + std::to_string(10 * layer + 100) + "0.w"});
  workload.segments[0].parameterNames = names;
  NamedLayout layout = nameLayouts(workload, makeStrategy()).at(0);
  EXPECT_THAT(layout.parameters.at(0).names, ElementsAre("layers.*.w"));
}

TEST(PlanDocument, PatternsStandForOneParameterOnly) {
  // The one parameter is called 0, 2, 4, …, and the head, of a block of its
  // own, goes on counting.
  workload::Workload workload = makeWorkload();
  workload::ParameterNames names, head;
  for (int64_t layer = 0; layer < 12; ++layer)
    names.add({"dense_" + std::to_string(2 * layer) + ".w"});
  workload.segments[0].parameterNames = names;
  EXPECT_THAT(
      nameLayouts(workload, makeStrategy()).at(0).parameters.at(0).names,
      ElementsAre("dense_*.w"));
  head.add({"dense_24.w"});
  workload::Segment last{1, 1, head};
  workload.blocks.push_back(workload.blocks[0]);
  workload.segments.push_back(last);
  Strategy strategy = makeStrategy();
  strategy.layouts.push_back(strategy.layouts[0]);
  std::vector<NamedLayout> layouts = nameLayouts(workload, strategy);
  EXPECT_EQ(layouts.at(0).parameters.at(0).names.size(), 12u);
  EXPECT_EQ(layouts.at(0).parameters.at(0).names[1], "dense_2.w");
  EXPECT_THAT(layouts.at(1).parameters.at(0).names, ElementsAre("dense_24.w"));
}

TEST(PlanDocument, TellsFactorsOfOneNameApart) {
  workload::Workload workload = makeWorkload();
  workload.blocks[0].ops[0].factors[3].name = "column";
  PlanDocument document = makeDocument();
  document.layouts = nameLayouts(workload, document.strategy);
  EXPECT_EQ(document.layouts[0].ops[0].split, "column#2");
  document.strategy.layouts.clear();
  ASSERT_EQ(bindLayouts(workload, document), "");
  EXPECT_EQ(document.strategy, makeStrategy());
}

TEST(PlanDocument, LayoutsOfAnotherModelAreRefused) {
  PlanDocument document = makeDocument();
  workload::Workload other = makeWorkload();
  other.blocks[0].ops[0].name = "down";
  EXPECT_THAT(bindLayouts(other, document),
              HasSubstr(R"(op 0 is "up", but the model's is "down")"));
  document.layouts[0].ops[0].split = "width";
  EXPECT_THAT(bindLayouts(makeWorkload(), document),
              HasSubstr(R"(op "up" has no factor "width")"));
  document.layouts.clear();
  EXPECT_THAT(bindLayouts(makeWorkload(), document),
              HasSubstr("layouts of 0 blocks, the model has 1"));
}

TEST(PlanDocument, ParametersAreWhatTheLayoutsSay) {
  auto refuses = [](auto change) {
    PlanDocument document = makeDocument();
    ASSERT_EQ(bindLayouts(makeWorkload(), document), "");
    change(document.layouts[0].parameters[0]);
    EXPECT_THAT(bindLayouts(makeWorkload(), document),
                HasSubstr("of parameter 0 are not those of the model's"));
  };
  using Entry = NamedLayout::ParameterEntry;
  refuses([](Entry &entry) { entry.names.push_back("more"); });
  refuses([](Entry &entry) { entry.shape[0] += 1; });
  refuses([](Entry &entry) { entry.axes[0].push_back("expert"); });
}

TEST(PlanDocument, NamesTheInputsThatChanged) {
  PlanDocument document = makeDocument();
  EXPECT_EQ(differentInputs(document, document.model.identity.hash,
                            document.cluster.hash, document.profile.hash),
            "");
  std::string text = differentInputs(document, document.model.identity.hash,
                                     "00", document.profile.hash);
  EXPECT_THAT(text, HasSubstr("cluster \"2x8xh100\""));
  EXPECT_THAT(text, HasSubstr("now has hash 00"));
  EXPECT_THAT(text, testing::Not(HasSubstr("model")));
}

TEST(PlanDocument, ErrorsCarryAPointer) {
  EXPECT_THAT(complaint([](Json &json) { json["format"] = "x"; }),
              HasSubstr("plan/format: unknown format \"x\""));
  EXPECT_THAT(
      complaint([](Json &json) { json["strategy"]["degrees"]["tensor"] = 0; }),
      HasSubstr("plan/strategy/degrees/tensor: "));
  EXPECT_THAT(complaint([](Json &json) { json["strategy"].erase("zero"); }),
              HasSubstr("plan/strategy: "));
  EXPECT_THAT(complaint([](Json &json) { json["surprise"] = 1; }),
              HasSubstr("surprise"));
  EXPECT_THAT(complaint([](Json &json) {
                json["strategy"]["degrees"]["data"] = int64_t(1) << 62;
              }),
              HasSubstr("plan/strategy/degrees: "));
  EXPECT_THAT(complaint([](Json &json) {
                json["strategy"]["stages"][1]["recompute"][0][1] = 4;
              }),
              HasSubstr("plan/strategy/stages/1/recompute: the runs cover 4 "
                        "of the stage's 5 units"));
  EXPECT_THAT(complaint([](Json &json) {
                json["strategy"]["stages"][0]["units"][1] = int64_t(1) << 40;
              }),
              HasSubstr("plan/strategy/stages/0/units: "));
  EXPECT_THAT(complaint([](Json &json) { json["prediction"]["step_ns"] = 5; }),
              HasSubstr("plan/prediction/step_ns: 5 is not the sum"));
  EXPECT_THAT(complaint([](Json &json) {
                json["alternatives"][0]["prediction"]["fullest_rank"] = 2;
              }),
              HasSubstr("plan/alternatives/0/prediction/fullest_rank: "));
  EXPECT_THAT(complaint([](Json &json) { json["model"]["dtype"] = "f33"; }),
              HasSubstr("plan/model/dtype: unknown type \"f33\""));
  EXPECT_THAT(complaint([](Json &json) {
                json["layouts"]["blocks"][0]["parameters"][0]["axes"].erase(0);
              }),
              HasSubstr("plan/layouts/blocks/0/parameters/0/axes: axes of 1 "
                        "dimensions, but the shape has 2"));
}

TEST(PlanDocument, AnyCutOrDeepTextIsRefused) {
  std::string text = toJson(makeDocument()), error;
  for (size_t length = 0; length + 3 < text.size(); length += 97)
    EXPECT_FALSE(planDocumentFromJson(text.substr(0, length), error));
  EXPECT_FALSE(planDocumentFromJson(std::string(100000, '['), error));
  EXPECT_FALSE(
      planDocumentFromJson("{\"format\":\"shardsmith-plan/3\"}", error));
}

TEST(NamedStrategy, IsThatOfThePlanFileWithTheLayoutsOfBlocks) {
  PlanDocument document = makeDocument();
  Json json = strategyToJson(makeWorkload(), document.strategy);
  Json file = Json::parse(toJson(document)), wanted = file["strategy"];
  wanted["layouts"] = file["layouts"]["blocks"];
  EXPECT_EQ(json, wanted);
  std::string error;
  EXPECT_EQ(strategyFromJson(makeWorkload(), json, error), document.strategy)
      << error;
}

TEST(NamedStrategy, SaysWhatIsWrongAndWhere) {
  auto complaintOf = [](auto edit) {
    Json json = strategyToJson(makeWorkload(), makeDocument().strategy);
    edit(json);
    std::string error;
    EXPECT_FALSE(strategyFromJson(makeWorkload(), json, error));
    return error;
  };
  EXPECT_THAT(complaintOf([](Json &json) { json.erase("zero"); }),
              HasSubstr("strategy: "));
  EXPECT_THAT(complaintOf([](Json &json) { json["degrees"]["tensor"] = 0; }),
              HasSubstr("strategy/degrees/tensor: "));
  EXPECT_THAT(complaintOf([](Json &json) { json.erase("layouts"); }),
              HasSubstr("strategy: the plan has layouts of 0 blocks, the model "
                        "has 1"));
  EXPECT_THAT(complaintOf([](Json &json) {
                json["layouts"][0]["ops"][0]["split"] = "luck";
              }),
              HasSubstr("op \"up\" has no factor \"luck\""));
}

TEST(PlanDocument, UserKeysAreKeptOut) {
  Json json = Json::parse(toJson(makeDocument()));
  json["x_note"] = "mine";
  std::string error;
  EXPECT_TRUE(planDocumentFromJson(json.dump(), error)) << error;
}

} // namespace

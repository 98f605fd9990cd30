// SPDX-License-Identifier: Apache-2.0
//
// From the text of a device program to what a rank puts into its streams.

#include "shardsmith/Runtime/Device/ActionList.h"
#include "shardsmith/Runtime/Device/PassTimes.h"

#include "../FirstSeed.h"
#include "shardsmith/Runtime/Failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace shardsmith::runtime::device {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Dependencies, ReadsFollowWrites) {
  Dependencies all(2);
  std::vector<Access> write{{0, 8, true}}, read{{4, 12, false}};
  EXPECT_THAT(all.add(0, write), IsEmpty());
  EXPECT_THAT(all.add(1, read), ElementsAre(0));
  EXPECT_THAT(all.add(1, read), IsEmpty());
  EXPECT_THAT(all.add(0, write), ElementsAre(2));
  std::vector<Access> elsewhere{{12, 20, true}};
  EXPECT_THAT(all.add(1, elsewhere), IsEmpty());
}

TEST(Dependencies, WhatFollowsFromOthersIsNotWaitedFor) {
  Dependencies all(3);
  std::vector<Access> first{{0, 8, true}}, second{{0, 8, true}, {8, 16, true}},
      third{{0, 16, false}};
  EXPECT_THAT(all.add(0, first), IsEmpty());
  EXPECT_THAT(all.add(1, second), ElementsAre(0));
  EXPECT_THAT(all.add(2, third), ElementsAre(1));
}

TEST(Dependencies, AJoinFollowsAllAndIsFollowedByAll) {
  Dependencies all(2);
  std::vector<Access> write{{0, 8, true}}, other{{8, 16, true}};
  EXPECT_THAT(all.addJoin(0), IsEmpty());
  EXPECT_THAT(all.add(1, write), ElementsAre(0));
  EXPECT_THAT(all.addJoin(0), ElementsAre(1));
  EXPECT_THAT(all.add(1, other), ElementsAre(2));
}

/// Whether `later` comes after `earlier` by streams and waits alone.
bool follows(const std::vector<size_t> &streams,
             const std::vector<std::vector<size_t>> &waits, size_t earlier,
             size_t later, std::pair<size_t, size_t> without) {
  std::vector<bool> reached(later + 1);
  reached[later] = true;
  for (size_t i = later + 1; i-- > earlier;) {
    if (!reached[i])
      continue;
    for (size_t wait = 0; wait < waits[i].size(); ++wait)
      if (std::pair(i, wait) != without)
        reached[waits[i][wait]] = true;
    for (size_t before = i; before-- > 0;)
      if (streams[before] == streams[i]) {
        reached[before] = true;
        break;
      }
  }
  return reached[earlier];
}

TEST(Dependencies, WaitsAreEnoughAndNoneIsTooMuch) {
  std::mt19937_64 random(test::firstSeed());
  for (int round = 0; round < 20; ++round) {
    constexpr size_t streamCount = 3, count = 40;
    Dependencies all(streamCount);
    std::vector<size_t> streams;
    std::vector<std::vector<Access>> accesses;
    std::vector<std::vector<size_t>> waits;
    for (size_t i = 0; i < count; ++i) {
      std::vector<Access> own;
      for (int k = 0; k < 2; ++k) {
        auto begin = static_cast<int64_t>(random() % 30);
        own.push_back({begin, begin + 1 + static_cast<int64_t>(random() % 6),
                       random() % 3 == 0});
      }
      streams.push_back(random() % streamCount);
      accesses.push_back(own);
      waits.push_back(all.add(streams.back(), own));
    }
    auto conflict = [&](size_t a, size_t b) {
      for (const Access &x : accesses[a])
        for (const Access &y : accesses[b])
          if ((x.isWrite || y.isWrite) && x.begin < y.end && y.begin < x.end)
            return true;
      return false;
    };
    auto isOrdered = [&](std::pair<size_t, size_t> without) {
      for (size_t later = 0; later < count; ++later)
        for (size_t earlier = 0; earlier < later; ++earlier)
          if (conflict(earlier, later) &&
              !follows(streams, waits, earlier, later, without))
            return false;
      return true;
    };
    EXPECT_TRUE(isOrdered({count, 0}));
    for (size_t i = 0; i < count; ++i)
      for (size_t wait = 0; wait < waits[i].size(); ++wait)
        EXPECT_FALSE(isOrdered({i, wait})) << i << " waits in vain";
  }
}

/// Two ranks along an axis.
Manifest twoRanks() {
  Manifest manifest;
  manifest.ranks = 2;
  manifest.mesh = {{"data", 2}};
  manifest.arenaBytes = 1024;
  manifest.groups = {{{"data"}, {{0, 1}}}};
  return manifest;
}

StepProgram readSteps(const std::string &steps, const Manifest &manifest,
                      const std::string &more = "") {
  return readStepProgram(R"({"format": "shardsmith-device-program/4",
    "model": "m", "plan_hash": "", "entries": ["main"], "constants":
    [{"element": "f32", "bytes": 8, "offset": 0}],
    "functions": {"main": {"arena_bytes": 1024, "steps": [)" +
                             steps + "]}" + more + "}}",
                         manifest, 8);
}

std::string refusal(const std::function<void()> &call) {
  try {
    call();
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.code(), ExitCode::BadInput);
    return failure.what();
  }
  return "accepted";
}

constexpr const char *gatherStep = R"({"kind": "all_gather", "group": 0,
    "outer": 3, "chunk_bytes": 8, "input": 0, "result": 256})";

TEST(ActionList, GathersOfInnerDimensionsGoThroughStaging) {
  Manifest manifest = twoRanks();
  ActionList list(readSteps(gatherStep, manifest), manifest, 1, 8);
  ASSERT_EQ(list.actions.size(), 5u); // begin, gather, two copies, end
  const auto &gather = std::get<AllGatherAction>(list.actions[1].work);
  const auto &copy = std::get<CopyAction>(list.actions[3].work);
  EXPECT_EQ(gather.bytes, 24);
  EXPECT_EQ(gather.out + 2 * gather.bytes <= list.memoryBytes, true);
  EXPECT_EQ(copy.from, gather.out + 24);
  EXPECT_EQ(copy.to, 256 + 8);
  EXPECT_EQ(copy.rows, 3);
  EXPECT_EQ(copy.toPitch, 16);
  EXPECT_THAT(list.actions[1].waits, ElementsAre(0));
  EXPECT_THAT(list.actions[4].waits, ElementsAre(3));
}

/// Two ranks along each of two axes.
Manifest fourRanks() {
  Manifest manifest = twoRanks();
  manifest.ranks = 4;
  manifest.mesh = {{"data", 2}, {"tensor", 2}};
  manifest.groups = {{{"tensor"}, {{0, 1}, {2, 3}}}};
  return manifest;
}

std::string permuteStep(int group, const std::string &sources) {
  return R"({"kind": "collective_permute", "group": )" + std::to_string(group) +
         R"(, "sources": [)" + sources +
         R"(], "bytes": 8, "input": 0, "result": 256})";
}

TEST(ActionList, PermutesAreAmongTheRanksOfTheirGroup) {
  Manifest manifest = fourRanks();
  ActionList list(readSteps(permuteStep(0, "1, 0, 3, 2"), manifest), manifest,
                  3, 8);
  const auto &along = std::get<ExchangeAction>(list.actions[1].work);
  EXPECT_EQ(along.kind, CollectiveKind::Permute);
  EXPECT_EQ(along.communicator, 0u);
  ASSERT_EQ(along.messages.size(), 2u);
  for (const ExchangeAction::Message &message : along.messages)
    EXPECT_EQ(message.peer, 0);
  ActionList all(readSteps(permuteStep(-1, "2, 3, 0, 1"), manifest), manifest,
                 3, 8);
  const auto &among = std::get<ExchangeAction>(all.actions[1].work);
  EXPECT_EQ(among.communicator, 1u);
  ASSERT_EQ(among.messages.size(), 2u);
  for (const ExchangeAction::Message &message : among.messages)
    EXPECT_EQ(message.peer, 1);
}

TEST(ActionList, PermutesAreOfAllRanksEvenWithoutAMessage) {
  Manifest manifest = fourRanks();
  ActionList list(readSteps(permuteStep(-1, "1, 0, -1, -1"), manifest),
                  manifest, 3, 8);
  const auto &exchange = std::get<ExchangeAction>(list.actions[1].work);
  EXPECT_EQ(exchange.bytes, 8);
  EXPECT_TRUE(exchange.messages.empty());
  EXPECT_TRUE(std::holds_alternative<FillAction>(list.actions[2].work));
}

TEST(ActionList, PermutesWithRanksOfOtherGroupsAreRefused) {
  Manifest manifest = fourRanks();
  StepProgram program = readSteps(permuteStep(0, "2, 3, 0, 1"), manifest);
  EXPECT_THAT(refusal([&] { ActionList(program, manifest, 3, 8); }),
              HasSubstr("rank 3 exchanges with rank 1, which is not in its "
                        "group"));
}

TEST(ActionList, RepeatedFunctionsGetTheirNumbers) {
  Manifest manifest = twoRanks();
  std::string repeat = R"({"kind": "repeat", "function": "body", "count": 3,
    "inputs": [0], "carried": [{"constant": 0}], "carried_bytes": [8],
    "outputs": [256], "workspace": 512})";
  std::string body = R"(, "body": {"workspace_bytes": 256, "steps": [
    {"kind": "launch", "function": "k", "grid": 1, "block": 32,
     "buffers": [{"entry": 0}, {"entry": 1}, {"entry": 2}, 16],
     "bytes": [4, 4, 8, 8], "written": 2}]})";
  ActionList list(readSteps(repeat, manifest, body), manifest, 0, 8);
  ASSERT_EQ(list.actions.size(), 6u); // begin, copy, three launches, end
  EXPECT_EQ(list.numbers, 3);
  EXPECT_EQ(std::get<CopyAction>(list.actions[1].work).to, 256);
  for (int64_t i = 0; i < 3; ++i)
    EXPECT_THAT(std::get<LaunchAction>(list.actions[2 + i].work).arguments,
                ElementsAre(list.numbersPlace + i * ActionList::numberPitch, 0,
                            256, 512 + 16));
}

std::string countingStep(const std::string &axes) {
  return R"({"kind": "launch", "function": "k", "grid": 3, "block": 32,
      "buffers": [0, 256, {"counters_of_first": [)" +
         axes + R"(]}], "bytes": [8, 8, 12], "written": 2})";
}

/// Of ranks with copies the first one counts, where the host looks.
TEST(ActionList, CountersAreThoseOfTheFirstCopy) {
  Manifest manifest = fourRanks();
  StepProgram program = readSteps(countingStep(R"("tensor")"), manifest);
  for (int rank = 0; rank < 4; ++rank) {
    ActionList list(program, manifest, rank, 8);
    ASSERT_EQ(list.actions.size(), 4u); // begin, fill, launch, end
    EXPECT_EQ(list.counters, 3);
    const auto &fill = std::get<FillAction>(list.actions[1].work);
    const auto &launch = std::get<LaunchAction>(list.actions[2].work);
    EXPECT_EQ(fill.to, list.countersPlace);
    int64_t counted = launch.arguments[2] - list.countersPlace;
    EXPECT_EQ(counted == 0, rank % 2 == 0);
    EXPECT_GE(fill.words * 4, counted + 12);
    EXPECT_LE(list.countersPlace + fill.words * 4, list.memoryBytes);
  }
  EXPECT_THAT(refusal([&] { readSteps(countingStep(R"("x")"), manifest); }),
              HasSubstr("/functions/main/steps/0/buffers/2/counters_of_first"));
}

TEST(PassTimes, ArePartsOfTheStreamOfKernels) {
  Manifest manifest = twoRanks();
  manifest.channels = {{1, 0, 256}};
  std::string steps = R"({"kind": "receive", "axis": "data", "from": 1,
      "result": 0, "bytes": 8},
    {"kind": "run", "function": "work", "micro_batch": 3, "inputs": [],
     "carried": [], "carried_bytes": [], "outputs": [], "workspace": 256},
    {"kind": "repeat", "function": "idle", "count": 2, "inputs": [],
     "carried": [], "carried_bytes": [], "outputs": [], "workspace": 256})";
  std::string functions = R"(, "work": {"pass": "1F", "steps": [
      {"kind": "all_reduce", "group": 0, "reduction": "sum", "element": "f32",
       "count": 1, "input": 0, "result": 0},
      {"kind": "launch", "function": "k", "grid": 1, "block": 32,
       "buffers": [0], "bytes": [8], "written": 1},
      {"kind": "launch", "function": "k", "grid": 1, "block": 32,
       "buffers": [64], "bytes": [8], "written": 1},
      {"kind": "all_reduce", "group": 0, "reduction": "sum", "element": "f32",
       "count": 1, "input": 0, "result": 0}]},
    "idle": {"steps": []})";
  ActionList list(readSteps(steps, manifest, functions), manifest, 0, 8);
  // begin, receive, copy, four actions, end
  ASSERT_EQ(list.actions.size(), 8u);
  ASSERT_EQ(list.passes.size(), 3u);
  EXPECT_EQ(list.passes[0].name, "1F");
  EXPECT_EQ(list.passes[0].microBatch, 3);
  EXPECT_EQ(list.passes[2].name, "micro-batch ");
  EXPECT_EQ(list.passes[2].microBatch, 1);
  EXPECT_EQ(list.actions[2].takes, 1u);
  EXPECT_FALSE(list.actions[2].pass);
  std::vector<TimedAction> times{{1, 2, 30},  {2, 30, 34}, {3, 35, 50},
                                 {4, 50, 60}, {5, 61, 70}, {6, 70, 95}};
  StepTimes step = timesOfPasses(list, times);
  ASSERT_EQ(step.waits.size(), 1u);
  EXPECT_EQ(step.waits[0].action, 1u);
  EXPECT_EQ(step.waits[0].begin, 0);
  EXPECT_EQ(step.waits[0].end, 30);
  EXPECT_EQ(step.passes[0].begin, 50);
  EXPECT_EQ(step.passes[0].end, 70);
  // Those that do nothing come behind.
  EXPECT_EQ(step.passes[2].begin, 70);
  EXPECT_EQ(step.passes[2].end, 70);
}

TEST(ActionList, LoopsThatDataEndsAreThereOnce) {
  Manifest manifest = twoRanks();
  std::string repeat = R"({"kind": "repeat", "function": "body", "while": 1,
    "inputs": [0], "carried": [{"constant": 0}, 8], "carried_bytes": [8, 1],
    "outputs": [256, 384], "workspace": 512})";
  std::string body = R"(, "body": {"workspace_bytes": 256, "steps": [
    {"kind": "all_reduce", "group": 0, "reduction": "or", "element": "bool",
     "count": 1, "input": 16, "result": {"entry": 3}}]})";
  ActionList list(readSteps(repeat, manifest, body), manifest, 0, 8);
  // begin, two copies, the loop's begin, a collective, the loop's end, end
  ASSERT_EQ(list.actions.size(), 7u);
  EXPECT_EQ(list.numbers, 1);
  const auto &begin = std::get<DecideAction>(list.actions[3].work);
  const auto &end = std::get<DecideAction>(list.actions[5].work);
  EXPECT_EQ(begin.flag, 384);
  EXPECT_EQ(end.flag, 384);
  EXPECT_EQ(begin.other, 5u);
  EXPECT_EQ(end.other, 3u);
  // The collective, in a stream of its own, is between the two.
  EXPECT_THAT(list.actions[4].waits, ElementsAre(3));
  EXPECT_THAT(list.actions[5].waits, ElementsAre(4));
}

/// Of 2 x 4 by 4 x 2, whose result is at 256.
std::string productStep(const std::string &more,
                        const std::string &strides = "[2, 1]") {
  return R"({"kind": "gemm", "batch": [], "sizes": [2, 2, 4],
    "lhs": {"buffer": 0, "bytes": 32, "element": "f32", "offset": 0,
            "strides": [4, 1]},
    "rhs": {"buffer": 64, "bytes": 32, "element": "f32", "offset": 0,
            "strides": [2, 1]},
    "result": {"buffer": 256, "bytes": 16, "element": "f32", "offset": 0,
               "strides": )" +
         strides + "}" + more + "}";
}

TEST(ActionList, ProductsReadWhatTheyAdd) {
  Manifest manifest = twoRanks();
  auto actionsOf = [&](const std::string &steps) {
    return ActionList(readSteps(steps, manifest), manifest, 0, 8).actions;
  };
  std::vector<Action> plain = actionsOf(productStep(""));
  EXPECT_FALSE(std::get<MultiplyAction>(plain[1].work).sum);
  // Two collectives make what is added.
  auto reduceTo = [](int place, int count) {
    return fmt::format(R"({{"kind": "all_reduce", "group": 0,
      "reduction": "sum", "element": "f32", "count": {}, "input": {},
      "result": {}}},)",
                       count, place, place);
  };
  std::string product = productStep(R"(, "sum": 512, "bias": {"constant": 0})");
  std::vector<Action> actions = actionsOf(reduceTo(512, 4) + product);
  ASSERT_EQ(actions.size(), 4u);
  const auto &multiply = std::get<MultiplyAction>(actions[2].work);
  EXPECT_EQ(multiply.sum, 512);
  EXPECT_EQ(multiply.bias, 1024);
  EXPECT_THAT(actions[2].waits, ElementsAre(1));
  actions = actionsOf(reduceTo(768, 2) + productStep(R"(, "bias": 768)"));
  EXPECT_THAT(actions[2].waits, ElementsAre(1));
  EXPECT_THAT(actionsOf(reduceTo(768, 2) + product)[2].waits, IsEmpty());
}

/// The launch that a product has for its GELU, which it writes to `to`.
std::string geluOf(const std::string &buffers, const std::string &bytes) {
  return R"(, "gelu": {"kind": "launch", "function": "gelu", "grid": 1,
    "block": 32, "buffers": )" +
         buffers + R"(, "bytes": )" + bytes + R"(, "written": 1})";
}

TEST(ActionList, ProductsWriteTheirGelu) {
  Manifest manifest = twoRanks();
  std::string steps = productStep(geluOf("[256, 512]", "[16, 16]")) +
                      R"(, {"kind": "all_reduce", "group": 0,
      "reduction": "sum", "element": "f32", "count": 4, "input": 512,
      "result": 512})";
  ActionList list(readSteps(steps, manifest), manifest, 0, 8);
  const auto &multiply = std::get<MultiplyAction>(list.actions[1].work);
  ASSERT_TRUE(multiply.gelu);
  EXPECT_THAT(multiply.gelu->arguments, ElementsAre(256, 512));
  EXPECT_THAT(list.functions, ElementsAre("gelu"));
  // The exchange of what it writes waits for it.
  EXPECT_THAT(list.actions[2].waits, ElementsAre(1));
}

TEST(ActionList, RefusesWhatIsOutsideOfItsMemory) {
  Manifest manifest = twoRanks();
  auto refuse = [&](const std::string &step) {
    return refusal(
        [&] { ActionList(readSteps(step, manifest), manifest, 0, 8); });
  };
  EXPECT_THAT(refuse(R"({"kind": "copy", "from": 0, "to": 1020, "bytes": 8})"),
              HasSubstr("writes to constants"));
  EXPECT_THAT(refuse(R"({"kind": "copy", "from": 8000, "to": 0, "bytes": 8})"),
              HasSubstr("of a memory of"));
  EXPECT_THAT(
      refuse(R"({"kind": "copy", "from": {"entry": 1}, "to": 0, "bytes": 8})"),
      HasSubstr("no entry 1 in its table of 0"));
  EXPECT_THAT(refuse(R"({"kind": "repeat", "function": "main", "count": 1,
    "inputs": [], "carried": [], "carried_bytes": [], "outputs": [],
    "workspace": 0})"),
              HasSubstr("call one another more than 8 deep"));
}

TEST(StepProgram, RefusalsNameTheField) {
  Manifest manifest = twoRanks();
  auto refuse = [&](const std::string &step) {
    return refusal([&] { readSteps(step, manifest); });
  };
  EXPECT_THAT(refuse(R"({"kind": "repeat", "function": "main", "while": 1,
    "inputs": [], "carried": [0], "carried_bytes": [1], "outputs": [0],
    "workspace": 0})"),
              HasSubstr("/while: expected an integer from 0 to 0, found 1"));
  EXPECT_THAT(refuse(R"({"kind": "repeat", "function": "main", "while": 0,
    "inputs": [], "carried": [0], "carried_bytes": [4], "outputs": [0],
    "workspace": 0})"),
              HasSubstr("/while: what decides is not one boolean"));
  EXPECT_THAT(refuse(R"({"kind": "repeat", "function": "main", "while": 0,
    "count": 2, "inputs": [], "carried": [0], "carried_bytes": [1],
    "outputs": [0], "workspace": 0})"),
              HasSubstr("count"));
  EXPECT_THAT(refuse(productStep(R"(, "bias": 512)", "[1, 2]")),
              HasSubstr("/bias: a bias is along columns of stride 1"));
  EXPECT_THAT(
      refuse(productStep(geluOf("[256, 512, 768]", "[16, 16, 16]"))),
      HasSubstr("/gelu: expected a launch that reads the product's result"));
  EXPECT_THAT(refuse(R"({"kind": "dance"})"),
              HasSubstr("/functions/main/steps/0/kind: there is no step of the "
                        "kind \"dance\""));
  EXPECT_THAT(refuse(R"({"kind": "copy", "from": 0, "bytes": 8})"),
              HasSubstr("key \"to\" is missing"));
  EXPECT_THAT(refuse(R"({"kind": "all_reduce", "group": 1, "reduction": "sum",
    "element": "f32", "count": 1, "input": 0, "result": 0})"),
              HasSubstr("/group: expected an integer from 0 to 0, found 1"));
  EXPECT_THAT(refuse(R"({"kind": "all_reduce", "group": 0, "reduction": "mean",
    "element": "f32", "count": 1, "input": 0, "result": 0})"),
              HasSubstr("expected one of: sum, product, max, min, and, or"));
  EXPECT_THAT(refuse(R"({"kind": "copy", "from": {"constant": 1}, "to": 0,
    "bytes": 8})"),
              HasSubstr("expected an integer from 0 to 0"));
  EXPECT_THAT(refuse(R"({"kind": "shard_index", "axes": ["z"], "result": 0})"),
              HasSubstr("the mesh has no axis \"z\""));
  EXPECT_THAT(refusal([&] { readStepProgram("{", manifest, 0); }),
              HasSubstr("not a JSON text"));
  EXPECT_THAT(refusal([&] {
                readStepProgram(R"({"format": "shardsmith-device-program/1"})",
                                manifest, 0);
              }),
              HasSubstr("compile the program again with this version"));
}

} // namespace
} // namespace shardsmith::runtime::device

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Manifest.h"
#include "shardsmith/Runtime/Failure.h"
#include "shardsmith/Runtime/Placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace shardsmith::runtime;
using testing::HasSubstr;

namespace {

nlohmann::json validManifest() {
  return nlohmann::json::parse(R"({
    "format": "shardsmith-program/1",
    "model": {"name": "m", "hash": "00ff"}, "plan_hash": "11",
    "ranks": 6,
    "mesh": [{"name": "data", "size": 2}, {"name": "tensor", "size": 3}],
    "arena_bytes": 1000,
    "arguments": [
      {"name": "w", "role": "param", "dtype": "f32", "global_shape": [4, 5],
       "local_shape": [4, 2], "sharding": [[], ["tensor"]], "offset": 64,
       "init": "zeros"},
      {"name": "x", "role": "batch", "dtype": "i32", "global_shape": [10],
       "local_shape": [2], "sharding": [["tensor", "data"]], "offset": 128,
       "batch_dim": 0, "limit": 7}],
    "results": [
      {"name": "w", "role": "param", "dtype": "f32", "global_shape": [4, 5],
       "local_shape": [4, 2], "sharding": [[], ["tensor"]], "offset": 64,
       "argument": 0},
      {"name": "loss", "role": "loss", "dtype": "f32", "global_shape": [],
       "local_shape": [], "sharding": [], "offset": 512, "argument": -1}],
    "groups": [{"axes": ["data"], "ranks": [[0, 3], [1, 4], [2, 5]]}],
    "tokens_per_step": 10, "drops_rows": 1,
    "predicted": {"communication_bytes_per_rank": 5, "peak_bytes": 6,
                  "step_nanoseconds": 7, "row_bytes_per_rank": 4},
    "weights": {"prefix": "model.", "ignored": ["h.*.bias"],
                "copies": [["head", "w"]], "older": [["gamma", "weight"]],
                "stacked": ["experts.#.w"]},
    "x_note": "free"})");
}

TEST(Manifest, ReadsEveryField) {
  Manifest manifest = readManifest(validManifest().dump());
  EXPECT_EQ(manifest.ranks, 6);
  EXPECT_EQ(manifest.mesh[1].name, "tensor");
  EXPECT_EQ(manifest.arguments[0].sharding[1][0], "tensor");
  EXPECT_EQ(manifest.arguments[1].limit, 7);
  EXPECT_EQ(manifest.results[1].argument, -1);
  EXPECT_EQ(manifest.groups[0].ranks[2][1], 5);
  EXPECT_EQ(manifest.predictedPeakBytes, 6);
  EXPECT_EQ(manifest.predictedRowBytes, 4);
  EXPECT_TRUE(manifest.dropsRows);
  EXPECT_EQ(manifest.weights.prefix, "model.");
  EXPECT_EQ(manifest.weights.ignored[0], "h.*.bias");
  EXPECT_EQ(manifest.weights.copies[0].second, "w");
  EXPECT_EQ(manifest.weights.older[0].first, "gamma");
  EXPECT_EQ(manifest.weights.stacked[0], "experts.#.w");
}

TEST(Manifest, ShardsFollowMeshOrder) {
  Manifest manifest = readManifest(validManifest().dump());
  // Rank 5 is data 1, tensor 2.
  Shard shard = shardOf(manifest, manifest.arguments[0], 5);
  EXPECT_EQ(shard.start, (Shape{0, 4}));
  EXPECT_EQ(shard.size, (Shape{4, 1})); // the fifth column, then padding
  EXPECT_FALSE(shard.isFirstCopy);
  EXPECT_TRUE(shardOf(manifest, manifest.arguments[0], 2).isFirstCopy);
  // Split over tensor, then data: index 2·2 + 1.
  EXPECT_EQ(shardOf(manifest, manifest.arguments[1], 5).start, (Shape{10}));
  EXPECT_EQ(shardOf(manifest, manifest.arguments[1], 5).size, (Shape{0}));
  EXPECT_EQ(shardOf(manifest, manifest.arguments[1], 2).start, (Shape{8}));
}

/// Three stages: "w" is on the last two, "x" on the first, the loss on all.
nlohmann::json pipelineManifest() {
  return nlohmann::json::parse(R"({
    "format": "shardsmith-program/1",
    "model": {"name": "m", "hash": "00ff"}, "plan_hash": "11",
    "ranks": 6,
    "mesh": [{"name": "data", "size": 2}, {"name": "pipeline", "size": 3}],
    "arena_bytes": 1000,
    "pipeline": {"axis": "pipeline", "arena_bytes": [300, 1000, 500]},
    "channels": [{"from": 0, "to": 1, "bytes": 65536},
                 {"from": 1, "to": 0, "bytes": 0}],
    "arguments": [
      {"name": "w", "role": "param", "dtype": "f32", "global_shape": [4, 5],
       "local_shape": [4, 5], "sharding": [[], []], "offset": 64,
       "offsets": [-1, 64, 128], "init": "zeros"},
      {"name": "x", "role": "batch", "dtype": "i32", "global_shape": [10],
       "local_shape": [5], "sharding": [["data"]], "offset": 128,
       "offsets": [128, -1, -1]},
      {"name": "step", "role": "state", "dtype": "i32", "global_shape": [],
       "local_shape": [], "sharding": [], "offset": 0,
       "offsets": [-1, -1, 0]},
      {"name": "z", "role": "state", "dtype": "u8", "global_shape": [9],
       "local_shape": [3], "sharding": [["pipeline"]], "offset": 9,
       "offsets": [9, 8, 7]}],
    "results": [
      {"name": "w", "role": "param", "dtype": "f32", "global_shape": [4, 5],
       "local_shape": [4, 5], "sharding": [[], []], "offset": 64,
       "offsets": [-1, 64, 128], "argument": 0},
      {"name": "loss", "role": "loss", "dtype": "f32", "global_shape": [],
       "local_shape": [], "sharding": [], "offset": 256,
       "offsets": [256, 512, 256], "argument": -1}],
    "groups": [],
    "tokens_per_step": 10})");
}

TEST(Manifest, ReadsChannels) {
  Manifest manifest = readManifest(pipelineManifest().dump());
  ASSERT_EQ(manifest.channels.size(), 2u);
  EXPECT_EQ(manifest.channels[0].to, 1);
  EXPECT_EQ(manifest.channels[0].bytes, 65536);
  EXPECT_EQ(manifest.channels[1].from, 1);
  EXPECT_TRUE(readManifest(validManifest().dump()).channels.empty());
}

TEST(Manifest, StagesHaveArenasOfTheirOwn) {
  Manifest manifest = readManifest(pipelineManifest().dump());
  const Argument &w = manifest.arguments[0];
  // Ranks 0 and 3 are the first stage.
  EXPECT_EQ(arenaBytesOf(manifest, 3), 300);
  EXPECT_EQ(arenaBytesOf(manifest, 1), 1000);
  EXPECT_EQ(arenaBytesOf(manifest, 5), 500);
  EXPECT_EQ(offsetOf(manifest, w, 3), std::nullopt);
  EXPECT_EQ(offsetOf(manifest, w, 1), 64);
  EXPECT_EQ(offsetOf(manifest, w, 5), 128);
  uint8_t arena[1000];
  EXPECT_EQ(placeOf(manifest, w, 0, arena), nullptr);
  EXPECT_EQ(placeOf(manifest, w, 4, arena), arena + 64);
  Manifest plain = readManifest(validManifest().dump());
  EXPECT_EQ(arenaBytesOf(plain, 5), 1000);
  EXPECT_EQ(offsetOf(plain, plain.arguments[1], 5), 128);
}

/// Of "s" the first stage has two rows, the last one three, over data.
nlohmann::json stackedManifest() {
  using Json = nlohmann::json;
  nlohmann::json document = pipelineManifest();
  for (auto [begin, end, offsets] : {std::tuple(0, 2, std::vector{100, -1, -1}),
                                     std::tuple(2, 5, std::vector{-1, -1, 96})})
    document["arguments"].push_back({{"name", "s"},
                                     {"role", "param"},
                                     {"dtype", "f32"},
                                     {"global_shape", {5, 3}},
                                     {"rows", {begin, end}},
                                     {"local_shape", {end / 2, 3}},
                                     {"sharding", {{"data"}, Json::array()}},
                                     {"offset", begin == 0 ? 100 : 96},
                                     {"offsets", offsets}});
  document["arguments"][4]["local_shape"] = {1, 3};
  nlohmann::json result = document["arguments"][5];
  result["argument"] = 5;
  document["results"].push_back(result);
  return document;
}

TEST(Manifest, RowsOfOneTensorAreOnDifferentStages) {
  Manifest manifest = readManifest(stackedManifest().dump());
  const Argument &first = manifest.arguments[4], &last = manifest.arguments[5];
  EXPECT_EQ(first.rows, (Rows{0, 2}));
  EXPECT_EQ(last.sizeOf(0), 3);
  EXPECT_EQ(last.localBytes(), 24);
  EXPECT_EQ(partsOf(manifest, last), (std::vector{&first, &last}));
  EXPECT_EQ(partsOf(manifest, manifest.arguments[0]).size(), 1u);
  // Rank 3 is data 1 of the first stage, rank 5 of the last one.
  EXPECT_EQ(shardOf(manifest, first, 3).start, (Shape{1, 0}));
  EXPECT_EQ(shardOf(manifest, last, 2).start, (Shape{2, 0}));
  Shard shard = shardOf(manifest, last, 5);
  EXPECT_EQ(shard.globalShape, (Shape{5, 3}));
  EXPECT_EQ(shard.start, (Shape{4, 0}));
  EXPECT_EQ(shard.size, (Shape{1, 3}));
  EXPECT_TRUE(shard.isFirstCopy);
  EXPECT_FALSE(shardOf(manifest, first, 5).isHeld);
}

TEST(Manifest, FirstCopiesAreOnTheFirstHolders) {
  Manifest manifest = readManifest(pipelineManifest().dump());
  auto firstCopies = [&](const Tensor &tensor) {
    std::vector<int> ranks;
    for (int rank = 0; rank < manifest.ranks; ++rank)
      if (shardOf(manifest, tensor, rank).isFirstCopy)
        ranks.push_back(rank);
    return ranks;
  };
  EXPECT_EQ(firstCopies(manifest.arguments[0]), std::vector({1}));
  EXPECT_EQ(firstCopies(manifest.arguments[1]), std::vector({0, 3}));
  EXPECT_EQ(firstCopies(manifest.arguments[2]), std::vector({2}));
  EXPECT_EQ(firstCopies(manifest.arguments[3]), std::vector({0, 1, 2}));
  EXPECT_EQ(firstCopies(manifest.results[1]), std::vector({0}));
}

TEST(Manifest, WhatARankDoesNotHoldIsAnEmptyShard) {
  Manifest manifest = readManifest(pipelineManifest().dump());
  for (size_t argument : {0, 2}) { // a matrix and a scalar
    Shard shard = shardOf(manifest, manifest.arguments[argument], 3);
    EXPECT_FALSE(shard.isHeld);
    EXPECT_EQ(shard.globalShape, manifest.arguments[argument].globalShape);
    EXPECT_TRUE(contiguousRuns(shard).empty());
  }
  EXPECT_EQ(contiguousRuns(shardOf(manifest, manifest.arguments[2], 5)).size(),
            1u);
}

TEST(Manifest, KnowsTheAxisBetweenTwoRanks) {
  Manifest manifest = readManifest(pipelineManifest().dump());
  EXPECT_EQ(axisBetween(manifest, 0, 2), 1u);
  EXPECT_EQ(axisBetween(manifest, 4, 1), 0u);
  EXPECT_EQ(axisBetween(manifest, 0, 4), std::nullopt);
  EXPECT_EQ(axisBetween(manifest, 2, 2), std::nullopt);
}

/// A change of the manifest, and what the message must contain.
struct Fault {
  const char *pointer;
  const char *value; // JSON; "delete" removes
  const char *message;
};

class ManifestFault : public testing::TestWithParam<Fault> {};

void expectFault(nlohmann::json document, const Fault &fault) {
  nlohmann::json::json_pointer pointer(fault.pointer);
  if (std::string(fault.value) == "delete")
    document.at(pointer.parent_pointer()).erase(pointer.back());
  else
    document[pointer] = nlohmann::json::parse(fault.value);
  try {
    readManifest(document.dump());
    FAIL() << "accepted";
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.code(), ExitCode::BadInput);
    EXPECT_THAT(failure.what(), HasSubstr(fault.message));
  }
}

TEST_P(ManifestFault, IsNamedByItsPointer) {
  expectFault(validManifest(), GetParam());
}

class PipelineFault : public testing::TestWithParam<Fault> {};

TEST_P(PipelineFault, IsNamedByItsPointer) {
  expectFault(pipelineManifest(), GetParam());
}

class RowsFault : public testing::TestWithParam<Fault> {};

TEST_P(RowsFault, IsNamedByItsPointer) {
  expectFault(stackedManifest(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Faults, RowsFault,
    testing::Values(
        Fault{"/arguments/4/rows", "[0]",
              "/arguments/4/rows: expected two numbers"},
        Fault{"/arguments/4/rows", "[2, 2]",
              "/arguments/4/rows: expected two numbers"},
        Fault{"/arguments/4/rows", "[3, 6]",
              "/arguments/4/rows: expected two numbers, the first smaller than "
              "the second, of 0 to 5"},
        Fault{"/arguments/4/rows", "[1, 3]",
              "/arguments/5/name: two arguments are called \"s\""},
        Fault{"/arguments/4/rows", "delete", "/arguments/4/local_shape/0: 5"},
        Fault{"/arguments/4/rows", "[1, 2]",
              "/arguments: 1 rows of \"s\" are missing"},
        Fault{"/arguments/2/rows", "[0, 1]",
              "/arguments/2/rows: a tensor without dimensions has no rows"},
        Fault{"/results/2/rows", "[1, 4]",
              "/results/2/argument: result \"s\" differs"}));

INSTANTIATE_TEST_SUITE_P(
    Faults, ManifestFault,
    testing::Values(
        Fault{"/format", "\"other/1\"", "/format: expected \"shardsmith"},
        Fault{"/ranks", "0", "/ranks: expected an integer from 1"},
        Fault{"/ranks", "4", "/mesh: the axes span 6 ranks, but /ranks is 4"},
        Fault{"/ranks", "1e300", "/ranks: expected an integer"},
        Fault{"/plan_hash", "delete", "key \"plan_hash\" is missing"},
        Fault{"/colour", "1", "/colour: unknown key"},
        Fault{"/a~1b", "1", "/a~1b: unknown key"},
        Fault{"/mesh/1/name", "\"data\"", "/mesh/1: two axes are called"},
        Fault{"/arguments/0/dtype", "\"f99\"",
              "/arguments/0/dtype: unknown element type \"f99\""},
        Fault{"/arguments/0/role", "\"loss\"", "/arguments/0/role: expected"},
        Fault{"/arguments/0/local_shape/1", "3",
              "/arguments/0/local_shape/1: 5 split 3 ways is 2, found 3"},
        Fault{"/arguments/0/local_shape", "[4]",
              "/arguments/0/local_shape: expected 2 entries"},
        Fault{"/arguments/0/sharding/0", "[\"tensor\"]", "/arguments/0/"},
        Fault{"/arguments/0/sharding/1", "[\"row\"]",
              "/arguments/0/sharding/1: no mesh axis is called \"row\""},
        Fault{"/arguments/0/offset", "980",
              "/arguments/0/offset: the tensor ends at byte 1012"},
        Fault{"/arguments/0/offset", "-1", "/arguments/0/offset: expected"},
        Fault{"/arguments/0/offset", "9223372036854775807",
              "/arguments/0/offset: the tensor ends"},
        Fault{"/arguments/1/name", "\"w\"",
              "/arguments/1/name: two arguments are called \"w\""},
        Fault{"/results/0/argument", "7", "/results/0/argument: expected"},
        Fault{"/results/0/offset", "128", "/results/0/argument: result \"w\""},
        Fault{"/groups/0/ranks", "[[0, 3], [1, 4], [2]]",
              "/groups/0/ranks: rank 5 is in no group"},
        Fault{"/groups/0/ranks/0", "[0, 0]",
              "/groups/0/ranks/0/1: rank 0 is in the groups twice"},
        Fault{"/arguments/0/offsets", "[64]",
              "/arguments/0/offsets: only tensors of a program with a"},
        Fault{"/tokens_per_step", "\"many\"", "/tokens_per_step: expected"},
        Fault{"/drops_rows", "2", "/drops_rows: expected"},
        Fault{"/predicted/row_bytes_per_rank", "-1",
              "/predicted/row_bytes_per_rank: expected"},
        Fault{"/weights", "7", "/weights: expected an object"},
        Fault{"/weights/prefix", "delete", "key \"prefix\" is missing"},
        Fault{"/weights/suffix", "\"\"", "/weights/suffix: unknown key"},
        Fault{"/weights/ignored", "[1]", "/weights/ignored/0: expected a str"},
        Fault{"/weights/stacked", "7", "/weights/stacked: expected an array"},
        Fault{"/weights/older", "[[\"a\"]]", "/weights/older/0: expected two"},
        Fault{"/weights/older", "[[\"\", \"a\"]]",
              "/weights/older/0: expected two names"},
        Fault{"/weights/copies", "[[\"head\", \"x\"]]",
              "/weights/copies: \"head\" should be a copy of \"x\", which is "
              "no parameter"}));

INSTANTIATE_TEST_SUITE_P(
    Faults, PipelineFault,
    testing::Values(
        Fault{"/pipeline", "3", "/pipeline: expected an object"},
        Fault{"/pipeline/stages", "3", "/pipeline/stages: unknown key"},
        Fault{"/pipeline/axis", "delete", "/pipeline: key \"axis\" is missing"},
        Fault{"/pipeline/axis", "\"time\"",
              "/pipeline/axis: no mesh axis is called \"time\""},
        Fault{"/pipeline/arena_bytes", "delete",
              "/pipeline: key \"arena_bytes\" is missing"},
        Fault{"/pipeline/arena_bytes", "[300, 1000]",
              "/pipeline/arena_bytes: expected 3 entries"},
        Fault{"/pipeline/arena_bytes/0", "-1",
              "/pipeline/arena_bytes/0: expected an integer from 0"},
        Fault{"/pipeline/arena_bytes/1", "999",
              "/pipeline/arena_bytes: the largest is 999, but /arena_bytes is "
              "1000"},
        Fault{"/pipeline", "delete", "/arguments/0/offsets: only tensors"},
        Fault{"/arguments/0/offsets", "delete",
              "/arguments/0: key \"offsets\" is missing"},
        Fault{"/arguments/0/offsets", "64",
              "/arguments/0/offsets: expected an array"},
        Fault{"/arguments/0/offsets", "[-1, 64]",
              "/arguments/0/offsets: expected 3 entries, one per coordinate of "
              "axis \"pipeline\""},
        Fault{"/arguments/0/offsets/0", "-2",
              "/arguments/0/offsets/0: expected an integer from -1"},
        Fault{"/arguments/0/offsets/2", "460",
              "/arguments/0/offsets/2: the tensor ends at byte 540, but "
              "/pipeline/arena_bytes/2 is 500"},
        Fault{"/arguments/0/offsets/2", "9223372036854775807",
              "/arguments/0/offsets/2: the tensor ends"},
        Fault{"/arguments/0/offsets", "[-1, -1, -1]",
              "/arguments/0/offsets: no rank holds the tensor"},
        Fault{"/arguments/0/offset", "128",
              "/arguments/0/offset: the first rank that holds the tensor has "
              "it at 64, found 128"},
        Fault{"/arguments/3/offsets/1", "-1",
              "/arguments/3/offsets/1: all ranks must hold"},
        Fault{"/results/1/offsets/1", "-1",
              "/results/1/offsets/1: all ranks must hold"},
        Fault{"/results/0/offsets/2", "64",
              "/results/0/argument: result \"w\" differs"},
        Fault{"/channels", "{}", "/channels: expected an array"},
        Fault{"/channels/0/room", "1", "/channels/0/room: unknown key"},
        Fault{"/channels/0/bytes", "delete",
              "/channels/0: key \"bytes\" is missing"},
        Fault{"/channels/0/bytes", "-1", "/channels/0/bytes: expected"},
        Fault{"/channels/0/bytes", "9223372036854775807",
              "/channels/0/bytes: expected"},
        Fault{"/channels/0/from", "6",
              "/channels/0/from: expected an integer from 0 to 5, found 6"},
        Fault{"/channels/0/to", "\"next\"", "/channels/0/to: expected"},
        Fault{"/channels/0/to", "0",
              "/channels/0: rank 0 needs no channel to itself"},
        Fault{"/channels/1", R"({"from": 0, "to": 1, "bytes": 1})",
              "/channels/1: there are two channels from rank 0 to rank 1"}));

TEST(Manifest, RefusesAbsurdSizes) {
  nlohmann::json document = validManifest();
  document["arguments"][0]["global_shape"] = {int64_t(1) << 40, 1 << 30};
  document["arguments"][0]["local_shape"] = {int64_t(1) << 40, 357913942};
  EXPECT_THROW(readManifest(document.dump()), Failure);
}

TEST(Manifest, RefusesWhatIsNoJson) {
  std::string text = validManifest().dump();
  for (size_t length = 0; length < text.size(); length += 7)
    EXPECT_THROW(readManifest(text.substr(0, length)), Failure) << length;
  EXPECT_THROW(readManifest("[]"), Failure);
}

} // namespace

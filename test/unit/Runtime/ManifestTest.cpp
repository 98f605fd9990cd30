// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Manifest.h"
#include "shardsmith/Runtime/Failure.h"

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
    "tokens_per_step": 10,
    "predicted": {"communication_bytes_per_rank": 5, "peak_bytes": 6,
                  "step_nanoseconds": 7},
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

/// A change of the manifest, and what the message must contain.
struct Fault {
  const char *pointer;
  const char *value; // JSON; "delete" removes
  const char *message;
};

class ManifestFault : public testing::TestWithParam<Fault> {};

TEST_P(ManifestFault, IsNamedByItsPointer) {
  nlohmann::json document = validManifest();
  nlohmann::json::json_pointer pointer(GetParam().pointer);
  if (std::string(GetParam().value) == "delete")
    document.at(pointer.parent_pointer()).erase(pointer.back());
  else
    document[pointer] = nlohmann::json::parse(GetParam().value);
  try {
    readManifest(document.dump());
    FAIL() << "accepted";
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.code(), ExitCode::BadInput);
    EXPECT_THAT(failure.what(), HasSubstr(GetParam().message));
  }
}

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
        Fault{"/tokens_per_step", "\"many\"", "/tokens_per_step: expected"},
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

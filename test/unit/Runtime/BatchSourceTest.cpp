// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Files/BatchSource.h"
#include "Processes.h"
#include "shardsmith/Runtime/Failure.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace shardsmith::runtime;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// batch.tokens and batch.targets, i32 [2, 3] below 100, and batch.x, f32.
Manifest makeManifest() {
  Manifest manifest;
  for (const char *name : {"batch.tokens", "batch.targets", "batch.x"}) {
    Argument argument;
    argument.name = name;
    argument.role = Role::Batch;
    argument.type = SMITH_I32;
    argument.globalShape = argument.localShape = {2, 3};
    argument.limit = 100;
    manifest.arguments.push_back(argument);
  }
  manifest.arguments[2].type = SMITH_F32;
  return manifest;
}

class BatchSourceTest : public testing::Test {
protected:
  Manifest manifest = makeManifest();
  ThreadTeam team{1};
  DataOptions options;
  TemporaryFolder folder;

  template <typename T>
  std::string write(const std::string &name, const std::string &header,
                    const std::vector<T> &values) {
    std::ofstream file(folder / name, std::ios::binary);
    if (!header.empty()) {
      auto length = static_cast<uint16_t>(header.size());
      file.write("\x93NUMPY\x01\x00", 8);
      file.write(reinterpret_cast<const char *>(&length), 2);
      file << header;
    }
    file.write(reinterpret_cast<const char *>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(T)));
    return folder / name;
  }

  std::string writeInts(const std::string &shape, int count) {
    std::vector<int64_t> values(count);
    for (int i = 0; i < count; ++i)
      values[i] = i;
    return write("a.npy",
                 "{'descr': '<i8', 'fortran_order': False, 'shape': " + shape +
                     ", }\n",
                 values);
  }

  std::vector<int> batch(const BatchSource &source, size_t index,
                         int64_t step) {
    std::vector<int> values(6, -1);
    source.fill(index, step, wholeTensor({2, 3}), values.data());
    return values;
  }

  void expectRefusal(const std::string &message) {
    try {
      BatchSource source(manifest, options, team);
      batch(source, 0, 0);
      ADD_FAILURE() << "accepted; expected: " << message;
    } catch (const Failure &failure) {
      EXPECT_EQ(failure.code(), ExitCode::BadInput);
      EXPECT_THAT(failure.what(), HasSubstr(message));
    }
  }
};

TEST_F(BatchSourceTest, TokensAreConsecutiveAndTargetsOneLater) {
  std::vector<uint16_t> tokens(16);
  for (int i = 0; i < 16; ++i)
    tokens[i] = static_cast<uint16_t>(50 + i);
  options.tokenFile = write("tokens", "", tokens);
  BatchSource source(manifest, options, team);
  EXPECT_THAT(batch(source, 0, 0), ElementsAre(50, 51, 52, 53, 54, 55));
  EXPECT_THAT(batch(source, 1, 0), ElementsAre(51, 52, 53, 54, 55, 56));
  // Five sequences with a successor; the sixth of the steps is the first.
  EXPECT_THAT(batch(source, 0, 2), ElementsAre(62, 63, 64, 50, 51, 52));
  EXPECT_THAT(batch(source, 1, 2), ElementsAre(63, 64, 65, 51, 52, 53));
}

TEST_F(BatchSourceTest, RanksTakeTheirPart) {
  options.tokenFile =
      write("tokens", "", std::vector<uint16_t>{1, 2, 3, 4, 5, 6, 7, 8});
  BatchSource source(manifest, options, team);
  std::vector<int> local(4, -1);
  source.fill(0, 0, Shard{{2, 3}, {1, 2}, {1, 1}, {1, 2}, true}, local.data());
  EXPECT_THAT(local, ElementsAre(5, 6, -1, -1));
}

TEST_F(BatchSourceTest, RefusesTokenFiles) {
  options.tokenFile = write("tokens", "", std::vector<uint16_t>{1, 2, 3});
  expectRefusal("3 tokens are too few");
  options.tokenFile =
      write("tokens", "", std::vector<uint16_t>{1, 2, 3, 4, 5, 600, 7});
  expectRefusal("element 5 is 600; argument \"batch.tokens\" takes values");
  options.tokenFile = folder / "none";
  expectRefusal("cannot open");
}

TEST_F(BatchSourceTest, ArraysGiveOneOrManyBatches) {
  options.arrays["batch.tokens"] = writeInts("(2, 3)", 6);
  EXPECT_THAT(batch(BatchSource(manifest, options, team), 0, 9),
              ElementsAre(0, 1, 2, 3, 4, 5));
  writeInts("(2, 2, 3)", 12);
  BatchSource steps(manifest, options, team);
  EXPECT_THAT(batch(steps, 0, 1), ElementsAre(6, 7, 8, 9, 10, 11));
  EXPECT_THAT(batch(steps, 0, 2), ElementsAre(0, 1, 2, 3, 4, 5));
  writeInts("(5, 3)", 15); // two batches of two samples, one sample unused
  BatchSource samples(manifest, options, team);
  EXPECT_THAT(batch(samples, 0, 3), ElementsAre(6, 7, 8, 9, 10, 11));
}

TEST_F(BatchSourceTest, RefusesArrays) {
  options.arrays["batch.tokens"] = writeInts("(2, 4)", 8);
  expectRefusal("shape [2, 4] does not fit argument \"batch.tokens\"");
  manifest.arguments[0].limit = 5;
  writeInts("(2, 3)", 6);
  expectRefusal("element 5 is 5");
  manifest.arguments[0].limit.reset();
  manifest.arguments[0].type = SMITH_F32;
  expectRefusal("holds i64, but argument \"batch.tokens\" takes f32");
  options.arrays = {{"batch.token", writeInts("(2, 3)", 6)}};
  expectRefusal("no batch argument has this name; there are: batch.tokens, "
                "batch.targets, batch.x");
}

} // namespace

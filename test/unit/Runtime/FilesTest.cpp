// SPDX-License-Identifier: Apache-2.0
//
// Files that others write: safetensors and .npy, good and damaged.

#include "../../../lib/Runtime/Files/Npy.h"
#include "../FirstSeed.h"
#include "Processes.h"
#include "TensorFiles.h"
#include "shardsmith/Runtime/Failure.h"

#include <fstream>
#include <random>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace shardsmith::runtime;
using testing::HasSubstr;

namespace {

void writeFile(const std::string &path, const std::string &content) {
  std::ofstream(path, std::ios::binary) << content;
}

std::string contentOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

std::string safeTensors(const std::string &header, size_t dataBytes) {
  uint64_t length = header.size();
  return std::string(reinterpret_cast<const char *>(&length), sizeof length) +
         header + std::string(dataBytes, 'x');
}

template <typename Read>
void expectRefusal(Read read, const std::string &message) {
  try {
    read();
    ADD_FAILURE() << "accepted; expected: " << message;
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.code(), ExitCode::BadInput);
    EXPECT_THAT(failure.what(), HasSubstr(message));
  }
}

TEST(SafeTensors, RoundTripsAllTypes) {
  TemporaryFolder folder;
  TensorMap tensors;
  std::mt19937 random(1);
  for (int i = 0; i <= SMITH_BOOL; ++i) {
    auto type = static_cast<ElementType>(i);
    Shape shape(random() % 4);
    for (int64_t &size : shape)
      size = random() % 5;
    WholeTensor tensor{type, shape, {}};
    tensor.data.resize(
        static_cast<size_t>(elementCount(shape) * byteSize(type)));
    for (uint8_t &byte : tensor.data)
      byte = random() % 2;
    tensors["tensor \"" + std::string(name(type)) + "\"/é"] = tensor;
  }
  writeTensors(folder / "all", tensors, {{"step", "7"}});
  TensorMap found = readTensors(folder / "all");
  ASSERT_EQ(found.size(), tensors.size());
  for (const auto &[name, tensor] : tensors) {
    EXPECT_EQ(found[name].type, tensor.type);
    EXPECT_EQ(found[name].shape, tensor.shape);
    EXPECT_EQ(found[name].data, tensor.data);
  }
  EXPECT_EQ(SafeTensorsFile(folder / "all").metadata().at("step"), "7");
}

TEST(SafeTensors, ReadsTheShardOfARank) {
  TemporaryFolder folder;
  writeTensors(folder / "f", {{"w", floatTensor({4, 5})}});
  Tensor tensor;
  tensor.name = "w";
  tensor.globalShape = {4, 5};
  tensor.localShape = {2, 3};
  Shard shard{{4, 5}, {2, 3}, {2, 3}, {2, 2}, true};
  std::vector<float> local(6, -1);
  SafeTensorsFile(folder / "f").read(tensor, shard, local.data());
  EXPECT_EQ(local, (std::vector<float>{13, 14, -1, 18, 19, -1}));
}

TEST(SafeTensors, RefusesDamagedFiles) {
  TemporaryFolder folder;
  auto refuse = [&](const std::string &content, const std::string &message) {
    writeFile(folder / "f", content);
    expectRefusal([&] { SafeTensorsFile(folder / "f"); }, message);
  };
  refuse("", "too short");
  refuse("1234567", "too short");
  refuse(std::string(8, '\xff'), "the header should have");
  refuse(safeTensors("{", 0), "header");
  refuse(safeTensors("[]", 0), "expected an object");
  refuse(safeTensors(R"({"w": 3})", 0), "/w: expected an object");
  refuse(safeTensors(R"({"w": {"dtype": "Q7", "shape": [],
                          "data_offsets": [0, 4]}})",
                     4),
         "/w/dtype: unknown element type");
  refuse(safeTensors(R"({"w": {"dtype": "F32", "shape": [2],
                          "data_offsets": [0, 8]}})",
                     4),
         "/w/data_offsets: expected [begin, end] within the 4 bytes");
  refuse(safeTensors(R"({"w": {"dtype": "F32", "shape": [2],
                          "data_offsets": [0, 4]}})",
                     8),
         "f32 [2] takes 8 bytes, found 4");
  refuse(safeTensors(R"({"w": {"dtype": "F32",
                          "shape": [4294967296, 4294967296],
                          "data_offsets": [0, 0]}})",
                     0),
         "/w/data_offsets");
  refuse(safeTensors(R"({"w": {"dtype": "F32", "shape": [-1],
                          "data_offsets": [0, 0]}})",
                     0),
         "/w/shape/0: expected an integer");
  refuse(safeTensors(R"({"__metadata__": {"a": 1}})", 0),
         "/__metadata__/a: expected a string");
  expectRefusal([&] { SafeTensorsFile(folder / "none"); }, "cannot open");
}

TEST(SafeTensors, SurvivesRandomDamage) {
  TemporaryFolder folder;
  writeTensors(folder / "good", {{"w", floatTensor({4, 5})}});
  std::string good = contentOf(folder / "good");
  uint32_t seed = uint32_t(shardsmith::test::firstSeed());
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int trial = 0; trial < 300; ++trial) {
    std::string bad = good.substr(0, good.size() - random() % 100);
    for (int flips = random() % 4; flips-- > 0;)
      bad[random() % bad.size()] ^= static_cast<char>(1 << random() % 8);
    writeFile(folder / "bad", bad);
    try {
      readTensors(folder / "bad");
    } catch (const Failure &failure) {
      EXPECT_EQ(failure.code(), ExitCode::BadInput);
    }
  }
}

std::string npy(const std::string &header, size_t dataBytes) {
  auto length = static_cast<uint16_t>(header.size());
  return std::string("\x93NUMPY\x01\x00", 8) +
         std::string(reinterpret_cast<const char *>(&length), 2) + header +
         std::string(dataBytes, '\x01');
}

TEST(Npy, ReadsWhatNumpyWrites) {
  TemporaryFolder folder;
  writeFile(folder / "a.npy",
            npy("{'descr': '<i4', 'fortran_order': False, 'shape': (3, 2), }"
                "        \n",
                24));
  NpyFile array = readNpy(folder / "a.npy");
  EXPECT_EQ(array.type, SMITH_I32);
  EXPECT_EQ(array.shape, (Shape{3, 2}));
  EXPECT_EQ(loadAsDouble(array.type, array.data, 5), 0x01010101);
  for (auto [text, shape] :
       {std::pair<const char *, Shape>{"()", {}}, {"(7,)", {7}}}) {
    writeFile(folder / "a.npy",
              npy(std::string("{'descr': '|u1', 'fortran_order': False, "
                              "'shape': ") +
                      text + ", }\n",
                  7));
    EXPECT_EQ(readNpy(folder / "a.npy").shape, shape);
  }
}

TEST(Npy, RefusesWhatItCannotRead) {
  TemporaryFolder folder;
  auto refuse = [&](const std::string &content, const std::string &message) {
    writeFile(folder / "a.npy", content);
    expectRefusal([&] { readNpy(folder / "a.npy"); }, message);
  };
  refuse("", "too short");
  refuse("PK\x03\x04 something else entirely", "no .npy file");
  refuse(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }", 8),
         "column-major");
  refuse(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", 8),
         "element type '>f4'");
  refuse(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", 7),
         "takes 8 bytes, but only 7");
  refuse(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, x), }", 8),
         "something other than sizes");
  refuse(npy("{'fortran_order': False, 'shape': (2,), }", 8), "has no 'descr'");
  refuse(npy("{'descr': ", 0), "");
  refuse(npy("{'descr': '<f8', 'fortran_order': False, "
             "'shape': (4294967296, 4294967296), }",
             8),
         "truncated");
  expectRefusal([&] { readNpy(folder / "none"); }, "cannot open");
}

} // namespace

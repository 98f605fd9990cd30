// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/ReadFile.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>

using namespace shardsmith;
using testing::EndsWith;

namespace {

std::string errorOf(const std::string &path) {
  std::string error;
  EXPECT_FALSE(readFile(path, error)) << path;
  return error;
}

TEST(ReadFile, GivesEveryByte) {
  std::string path = testing::TempDir() + "read-file.bin";
  std::string text(200'000, 'x');
  text[7] = '\0';
  text[100'000] = '\n';
  std::ofstream(path, std::ios::binary) << text;
  std::string error = "untouched";
  EXPECT_EQ(readFile(path, error), text);
  EXPECT_EQ(error, "untouched");
  std::ofstream(path, std::ios::trunc);
  EXPECT_EQ(readFile(path, error), "") << "an empty file is a text";
  std::filesystem::remove(path);
}

TEST(ReadFile, SaysWhyItCannot) {
  EXPECT_EQ(errorOf("/no/such/file"),
            "cannot read \"/no/such/file\": No such file or directory");
  EXPECT_EQ(errorOf("/tmp"), "cannot read \"/tmp\": Is a directory");
  EXPECT_THAT(errorOf(std::string(5000, 'a')), EndsWith("File name too long"));
}

TEST(ReadFile, EndsOnEndlessFiles) {
  EXPECT_THAT(errorOf("/dev/zero"), EndsWith("larger than 256 MiB"));
}

} // namespace

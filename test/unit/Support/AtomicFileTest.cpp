// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/AtomicFile.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

using namespace shardsmith;
namespace fs = std::filesystem;

namespace {

class AtomicFile : public testing::Test {
protected:
  fs::path folder = fs::path(testing::TempDir()) / "atomic-file";
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }

  static std::string read(const fs::path &path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
};

TEST_F(AtomicFile, ReplacesTheOldFileAndMakesFolders) {
  fs::path path = folder / "a" / "b.txt";
  EXPECT_EQ(writeFileAtomically(path, "one"), "");
  EXPECT_EQ(writeFileAtomically(path, "two"), "");
  EXPECT_EQ(read(path), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "a"),
                          fs::directory_iterator()),
            1);
}

TEST_F(AtomicFile, FailureLeavesTheOldFileAndNoTemporary) {
  // A folder in the file's place cannot be replaced by a file.
  fs::path path = folder / "taken";
  fs::create_directories(path / "inside");
  EXPECT_THAT(writeFileAtomically(path, "text"),
              testing::HasSubstr("cannot replace"));
  EXPECT_TRUE(fs::exists(path / "inside"));
  EXPECT_EQ(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()),
      1);
}

TEST_F(AtomicFile, NamesTheFolderThatCannotBeMade) {
  std::ofstream(folder / "file") << "x";
  EXPECT_THAT(writeFileAtomically(folder / "file" / "b.txt", "text"),
              testing::HasSubstr("cannot make folder"));
}

} // namespace

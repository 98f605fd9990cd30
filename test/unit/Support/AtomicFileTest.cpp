// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/AtomicFile.h"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

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

TEST_F(AtomicFile, TellsBeforehandWhatIsInTheWay) {
  using testing::StartsWith, testing::EndsWith, testing::AllOf;
  std::ofstream(folder / "file") << "x";
  fs::create_directory_symlink(folder / "nowhere", folder / "broken");
  EXPECT_THAT(whyNotWritable(folder / "file" / "a" / "b.txt"),
              AllOf(StartsWith("cannot make folder"),
                    EndsWith("/file/a': Not a directory")));
  EXPECT_THAT(whyNotWritable(folder / "broken" / "b.txt"),
              StartsWith("cannot make folder"));
  EXPECT_THAT(whyNotWritable(folder),
              AllOf(StartsWith("cannot replace"), EndsWith("Is a directory")));
  // Nobody can make files there, whatever the permissions say.
  EXPECT_THAT(whyNotWritable("/proc/b.txt"), StartsWith("cannot create"));
  EXPECT_THAT(whyNotWritable("/proc/a/b.txt"),
              StartsWith("cannot make folder '/proc/a'"));
}

TEST_F(AtomicFile, AskingLeavesNoTrace) {
  std::ofstream(folder / "file") << "x";
  EXPECT_EQ(whyNotWritable(folder / "file"), "");
  EXPECT_EQ(whyNotWritable(folder / "a" / "b" / "c.txt"), "");
  EXPECT_EQ(whyNotWritable("/dev/null"), "");
  EXPECT_EQ(read(folder / "file"), "x");
  EXPECT_EQ(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()),
      1);
}

TEST_F(AtomicFile, WritesToPipesAndDevicesAndLeavesThem) {
  fs::path pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  // Opened for both, so that the writer need not wait for a reader.
  int reader = open(pipe.c_str(), O_RDWR | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  EXPECT_EQ(writeFileAtomically(pipe, "one"), "");
  char text[4] = {};
  EXPECT_EQ(::read(reader, text, 3), 3);
  EXPECT_STREQ(text, "one");
  close(reader);
  EXPECT_TRUE(fs::is_fifo(pipe));

  // By a link: a mistake here must not cost the machine its device.
  fs::path link = folder / "full";
  fs::create_symlink("/dev/full", link);
  EXPECT_THAT(writeFileAtomically(link, "one"),
              testing::EndsWith("No space left on device"));
  EXPECT_TRUE(fs::is_symlink(link));
}

} // namespace

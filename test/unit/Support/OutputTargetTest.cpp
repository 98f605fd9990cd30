// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/OutputTarget.h"
#include "shardsmith/Support/AtomicFile.h"
#include "shardsmith/Support/TemporaryPath.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

using namespace shardsmith;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

class Output : public testing::Test {
protected:
  fs::path folder = fs::path(testing::TempDir()) / "output-target";
  void SetUp() override {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  static std::string read(const fs::path &path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
};

TEST_F(Output, PlainFilesAndNewOnesAreReplaced) {
  std::ofstream(folder / "old") << "x";
  for (const char *name : {"old", "new", "no/folder/yet"}) {
    OutputTarget target = findOutputTarget(folder / name);
    EXPECT_EQ(target.problem, "") << name;
    EXPECT_FALSE(target.isStream) << name;
  }
}

TEST_F(Output, LinksToFilesAreRefusedAndStayWhatTheyAre) {
  std::ofstream(folder / "file") << "x";
  fs::create_symlink("file", folder / "link");
  fs::create_symlink(folder / "link", folder / "link to link");
  fs::create_symlink("absent", folder / "broken");
  fs::create_symlink("circle", folder / "circle");
  for (const char *name : {"link", "link to link", "broken", "circle"}) {
    EXPECT_NE(writeFileAtomically(folder / name, "text"), "") << name;
    EXPECT_NE(whyNotWritable(folder / name), "") << name;
    EXPECT_TRUE(fs::is_symlink(folder / name)) << name;
  }
  EXPECT_THAT(whyNotWritable(folder / "link"),
              HasSubstr("link': it is a link to"));
  EXPECT_EQ(read(folder / "file"), "x");
  EXPECT_FALSE(fs::exists(folder / "absent"));
}

TEST_F(Output, LinksToFoldersAreFollowed) {
  fs::create_directories(folder / "real");
  fs::create_directory_symlink("real", folder / "link");
  EXPECT_EQ(writeFileAtomically(folder / "link" / "file", "text"), "");
  EXPECT_EQ(read(folder / "real" / "file"), "text");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
}

TEST_F(Output, DevicesAreWrittenToAndStay) {
  fs::path device = folder / "null";
  if (mknod(device.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0)
    GTEST_SKIP() << "cannot make a device; needs root";
  EXPECT_EQ(writeFileAtomically(device, "text"), "");
  EXPECT_TRUE(fs::is_character_file(device));
  std::string problem;
  int file = openOutput(device, problem);
  EXPECT_GE(file, 0) << problem;
  close(file);
  EXPECT_TRUE(fs::is_character_file(device));
}

TEST_F(Output, WholeDisksAreRefused) {
  fs::path disk = folder / "disk";
  // A number that no driver has.
  if (mknod(disk.c_str(), S_IFBLK | 0600, makedev(240, 200)) != 0)
    GTEST_SKIP() << "cannot make a device; needs root";
  EXPECT_THAT(writeFileAtomically(disk, "text"), HasSubstr("whole disk"));
}

TEST_F(Output, OpenFilesAreWrittenToWhereTheyAre) {
  // As `command -o /dev/fd/N N>>file` gives it.
  int file = open((folder / "file").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(write(file, "one ", 4), 4);
  std::string path = "/dev/fd/" + std::to_string(file);
  EXPECT_EQ(findOutputTarget(path).descriptor, file);
  EXPECT_EQ(writeFileAtomically(path, "two"), "");
  close(file);
  EXPECT_EQ(read(folder / "file"), "one two");
}

TEST_F(Output, NoTemporaryOfALivingProcessIsTaken) {
  fs::path path = folder / "file";
  // One that a killed process has left, and one that somebody holds.
  std::ofstream(folder / "file.tmp1") << "left";
  std::ofstream(folder / "file.tmp2") << "held";
  int held = open((folder / "file.tmp2").c_str(), O_RDONLY);
  ASSERT_TRUE(lockTemporary(held));
  EXPECT_EQ(writeFileAtomically(path, "text"), "");
  EXPECT_FALSE(fs::exists(folder / "file.tmp1"));
  EXPECT_TRUE(fs::exists(folder / "file.tmp2"));
  close(held);
}

} // namespace

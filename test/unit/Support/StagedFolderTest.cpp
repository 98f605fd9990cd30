// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/StagedFolder.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace shardsmith;
namespace fs = std::filesystem;

namespace {

class Staged : public testing::Test {
protected:
  fs::path folder = fs::path(testing::TempDir()) / "staged-folder";
  void SetUp() override { fs::remove_all(folder); }
  void TearDown() override { fs::remove_all(folder); }

  static std::string read(const fs::path &path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static void write(const fs::path &path, const std::string &text) {
    std::ofstream(path) << text;
  }
  /// Files with `text` in them, staged and not yet published.
  static void fill(const StagedFolder &stage, const std::string &text) {
    write(stage.pathOf("plan"), text);
    write(stage.pathOf("program"), text);
  }
  /// Publishes files with `text` in them.
  std::string publish(const std::string &text) const {
    std::string problem;
    StagedFolder stage(folder, problem);
    fill(stage, text);
    return problem + stage.publish();
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto &entry : fs::directory_iterator(folder))
      all.push_back(entry.path().filename());
    std::ranges::sort(all);
    return all;
  }
};

TEST_F(Staged, FilesComeTogetherAndNothingStays) {
  EXPECT_EQ(publish("one"), "");
  write(folder / "mine", "kept");
  fs::create_directory(folder / "checkpoints");
  {
    std::string problem;
    StagedFolder stage(folder, problem);
    fill(stage, "two");
    EXPECT_EQ(read(folder / "plan"), "one");
    EXPECT_EQ(stage.publish(), "");
  }
  EXPECT_EQ(read(folder / "plan"), "two");
  EXPECT_EQ(read(folder / "program"), "two");
  EXPECT_EQ(read(folder / "mine"), "kept");
  EXPECT_THAT(names(),
              testing::ElementsAre("checkpoints", "mine", "plan", "program"));
}

TEST_F(Staged, WhatIsNotPublishedLeavesNoTrace) {
  std::string problem;
  {
    StagedFolder stage(folder, problem);
  }
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_EQ(publish("one"), "");
  {
    StagedFolder stage(folder, problem);
    fill(stage, "two");
  }
  EXPECT_EQ(read(folder / "plan"), "one");
  EXPECT_THAT(names(), testing::ElementsAre("plan", "program"));
}

TEST_F(Staged, AKilledProcessLeavesTheOldFilesAndTheNextOneCleansUp) {
  EXPECT_EQ(publish("one"), "");
  pid_t child = fork();
  if (child == 0) {
    std::string problem;
    StagedFolder stage(folder, problem);
    fill(stage, "two");
    raise(SIGKILL);
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(names().size(), 3u);
  finishStaged(folder);
  EXPECT_EQ(read(folder / "plan"), "one");
  EXPECT_EQ(read(folder / "program"), "one");
  EXPECT_EQ(publish("three"), "");
  EXPECT_THAT(names(), testing::ElementsAre("plan", "program"));
}

TEST_F(Staged, WhatShallGoGoesWithTheOtherFiles) {
  EXPECT_EQ(publish("one"), "");
  {
    std::string problem;
    StagedFolder stage(folder, problem);
    write(stage.pathOf("plan"), "two");
    EXPECT_TRUE(stage.remove("program"));
    EXPECT_TRUE(stage.remove("never there"));
    EXPECT_EQ(read(folder / "program"), "one");
    EXPECT_EQ(stage.publish(), "");
  }
  EXPECT_EQ(read(folder / "plan"), "two");
  EXPECT_THAT(names(), testing::ElementsAre("plan"));
}

TEST_F(Staged, WhatAnotherProcessIsMakingIsLeftAlone) {
  std::string problem;
  StagedFolder other(folder, problem);
  fill(other, "other");
  EXPECT_EQ(publish("mine"), "");
  EXPECT_EQ(read(folder / "plan"), "mine");
  EXPECT_EQ(other.publish(), "");
  EXPECT_EQ(read(folder / "plan"), "other");
  EXPECT_EQ(read(folder / "program"), "other");
}

TEST_F(Staged, AMoveThatWasCutShortIsFinished) {
  // Every moment between the two renamings: files that are already moved, and
  // files that are not.
  for (std::string moved : {"", "plan", "program", "both"}) {
    SCOPED_TRACE(moved);
    fs::remove_all(folder);
    EXPECT_EQ(publish("old"), "");
    fs::path made = folder / ".shardsmith-made";
    fs::create_directory(made);
    for (std::string name : {"plan", "program"})
      write((moved == name || moved == "both" ? folder : made) / name, "new");
    finishStaged(folder);
    EXPECT_EQ(read(folder / "plan"), "new");
    EXPECT_EQ(read(folder / "program"), "new");
    EXPECT_THAT(names(), testing::ElementsAre("plan", "program"));
  }
}

TEST_F(Staged, ANewBuildReplacesOneThatWasMadeAndNotMoved) {
  EXPECT_EQ(publish("old"), "");
  std::string problem;
  StagedFolder stage(folder, problem);
  fill(stage, "newest");
  fs::create_directory(folder / ".shardsmith-made");
  write(folder / ".shardsmith-made" / "program", "new");
  EXPECT_EQ(stage.publish(), "");
  EXPECT_EQ(read(folder / "program"), "newest");
  EXPECT_THAT(names(), testing::ElementsAre("plan", "program"));
}

TEST_F(Staged, WhatCannotBeReplacedStopsAllFiles) {
  EXPECT_EQ(publish("old"), "");
  fs::remove(folder / "program");
  fs::create_directory(folder / "program");
  EXPECT_THAT(publish("new"), testing::HasSubstr("Is a directory"));
  EXPECT_EQ(read(folder / "plan"), "old");
  fs::remove(folder / "program");
  fs::create_symlink("elsewhere", folder / "program");
  EXPECT_THAT(publish("new"), testing::HasSubstr("is a link"));
  EXPECT_EQ(read(folder / "plan"), "old");
  EXPECT_THAT(names(), testing::ElementsAre("plan", "program"));
}

TEST_F(Staged, LinkedFoldersStayLinks) {
  fs::path link = fs::path(testing::TempDir()) / "staged-link";
  fs::remove(link);
  fs::create_directory(folder);
  fs::create_directory_symlink(folder, link);
  std::string problem;
  {
    StagedFolder stage(link, problem);
    fill(stage, "one");
    EXPECT_EQ(stage.publish(), "");
  }
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read(folder / "plan"), "one");
  fs::remove(link);
}

TEST(TemporaryPath, GoesWithTheScopeAndOnDemand) {
  fs::path path = fs::path(testing::TempDir()) / "temporary-path";
  auto make = [&] {
    fs::create_directory(path);
    std::ofstream(path / "a") << "x";
    std::ofstream(path / "b") << "x";
  };
  {
    TemporaryPath temporary(path);
    make();
  }
  EXPECT_FALSE(fs::exists(path));
  {
    TemporaryPath temporary(path);
    make();
    removeTemporaryPaths();
    EXPECT_FALSE(fs::exists(path));
    make();
    temporary.release();
    removeTemporaryPaths();
  }
  EXPECT_TRUE(fs::exists(path / "a"));
  fs::remove_all(path);
}

} // namespace

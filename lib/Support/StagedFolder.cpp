// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/StagedFolder.h"

#include "shardsmith/Support/OutputTarget.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace shardsmith {
namespace {

constexpr const char *kMaking = ".shardsmith-making-";
constexpr const char *kMade = ".shardsmith-made";
/// Before the names of files that shall go: an empty file stands for each.
constexpr std::string_view kGone = ".shardsmith-gone-";

std::string systemError(const std::string &what, const fs::path &path) {
  return "cannot " + what + " '" + path.string() + "': " + std::strerror(errno);
}

/// Holds back the signals that end a process while files change places.
class SignalPause {
public:
  SignalPause() {
    sigset_t ending;
    sigemptyset(&ending);
    for (int signal : {SIGINT, SIGTERM, SIGHUP})
      sigaddset(&ending, signal);
    pthread_sigmask(SIG_BLOCK, &ending, &before);
  }
  ~SignalPause() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  SignalPause(const SignalPause &) = delete;
  SignalPause &operator=(const SignalPause &) = delete;

private:
  sigset_t before;
};

bool flushPath(const fs::path &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  bool isFlushed = fsync(file) == 0;
  close(file);
  return isFlushed;
}

} // namespace

StagedFolder::StagedFolder(const std::string &folder, std::string &problem)
    : folder(folder) {
  std::error_code error;
  madeFolder = !fs::exists(folder, error);
  fs::create_directories(folder, error);
  if (error) {
    problem = "cannot make folder '" + folder + "': " + error.message();
    return;
  }
  finishStaged(folder);
  removeAbandoned(folder, kMaking);
  problem = makeStage();
}

StagedFolder::~StagedFolder() {
  stage.reset();
  if (lock >= 0)
    close(lock);
  // Only an empty folder goes: nothing was published.
  if (madeFolder)
    rmdir(folder.c_str());
}

std::string StagedFolder::pathOf(const std::string &name) const {
  return (fs::path(stage->path()) / name).string();
}

bool StagedFolder::remove(const std::string &name) const {
  std::string mark = pathOf(std::string(kGone) + name);
  int file = open(mark.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  return file >= 0 && close(file) == 0;
}

std::string StagedFolder::makeStage() {
  std::string name = kMaking + std::to_string(getpid()) + "-";
  for (int attempt = 0; attempt < 8; ++attempt) {
    stage.emplace((fs::path(folder) / (name + std::to_string(attempt))));
    if (mkdir(stage->path().c_str(), 0777) != 0) {
      if (errno == EEXIST) {
        stage->release();
        continue;
      }
      return systemError("make folder", stage->path());
    }
    lock = open(stage->path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock >= 0 && lockTemporary(lock))
      return "";
    if (lock >= 0)
      close(lock);
    lock = -1;
  }
  errno = EEXIST;
  return systemError("make folder", stage->path());
}

/// What was made can only take the places of plain files.
std::string StagedFolder::whyNotReplaceable() const {
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(stage->path(), error)) {
    fs::path place = fs::path(folder) / entry.path().filename();
    OutputTarget target = findOutputTarget(place.string());
    if (!target.problem.empty())
      return target.problem;
    if (target.isStream)
      return "cannot replace '" + place.string() + "': it is a device or pipe";
  }
  return error ? "cannot read '" + stage->path() + "': " + error.message() : "";
}

std::string StagedFolder::flush() const {
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(stage->path(), error))
    if (!flushPath(entry.path()))
      return systemError("write", entry.path());
  if (!flushPath(stage->path()))
    return systemError("write", stage->path());
  return "";
}

std::string StagedFolder::publish(Flush flush) {
  std::string problem = whyNotReplaceable();
  if (problem.empty() && flush == Flush::AtOnce)
    problem = this->flush();
  if (!problem.empty())
    return problem;
  SignalPause pause;
  fs::path made = fs::path(folder) / kMade;
  while (std::rename(stage->path().c_str(), made.c_str()) != 0) {
    // Another process has just put its build there.
    if (errno != ENOTEMPTY && errno != EEXIST)
      return systemError("replace the files of", folder);
    finishStaged(folder, flush);
    std::error_code error;
    if (fs::exists(made, error)) {
      errno = ENOTEMPTY;
      return systemError("move the files of", made);
    }
  }
  stage->release();
  finishStaged(folder, flush);
  return "";
}

void finishStaged(const std::string &folder, Flush flush) {
  fs::path made = fs::path(folder) / kMade;
  std::error_code error;
  fs::directory_iterator entries(made, error);
  if (error)
    return;
  // Two processes may do this at once: each file is moved by one of them.
  for (const auto &entry : entries) {
    std::string name = entry.path().filename().string();
    if (!name.starts_with(kGone)) {
      std::rename(entry.path().c_str(), (fs::path(folder) / name).c_str());
      continue;
    }
    unlink((fs::path(folder) / name.substr(kGone.size())).c_str());
    unlink(entry.path().c_str());
  }
  rmdir(made.c_str());
  if (flush == Flush::AtOnce)
    flushPath(folder);
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "FolderLock.h"

#include "shardsmith/Runtime/Failure.h"
#include "shardsmith/Support/AtomicFile.h"

#include <array>
#include <cerrno>
#include <string_view>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

namespace shardsmith::runtime {
namespace {

std::string hostName() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// What the holder of a lock has written about itself.
std::string holderOf(int file) {
  std::array<char, 512> text{};
  ssize_t length = pread(file, text.data(), text.size(), 0);
  std::string_view words(text.data(), length > 0 ? size_t(length) : 0);
  words = words.substr(0, words.find('\n'));
  return words.empty() ? "another process" : std::string(words);
}

/// Whether the path still leads to the file that we have opened.
bool isCurrent(int file, const std::string &path) {
  struct stat ours{}, theirs{};
  return fstat(file, &ours) == 0 && stat(path.c_str(), &theirs) == 0 &&
         ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev;
}

} // namespace

FolderLock::FolderLock(const std::string &folder) {
  std::string path = folder + "/run.lock";
  // A run that ends removes the file between our opening and locking it.
  while (!tryLock(path)) {
  }
  removal.emplace(path);
  std::string holder = fmt::format("process {} on {}\n", getpid(), hostName());
  if (ftruncate(file.get(), 0) != 0 || !writeAll(file.get(), holder))
    fail(ExitCode::Environment, "cannot write {}: {}", path,
         describeError(errno));
}

bool FolderLock::tryLock(const std::string &path) {
  file = FileDescriptor(
      open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file.isOpen())
    fail(ExitCode::Environment, "cannot write {}: {}", path,
         describeError(errno));
  if (flock(file.get(), LOCK_EX | LOCK_NB) == 0)
    return isCurrent(file.get(), path);
  if (errno == EINTR)
    return false;
  if (errno == EWOULDBLOCK)
    fail(ExitCode::Environment,
         "{}: {} writes its checkpoints there; wait for its end, or give "
         "another --checkpoint-dir",
         path, holderOf(file.get()));
  fail(ExitCode::Environment, "cannot lock {}: {}", path, describeError(errno));
}

} // namespace shardsmith::runtime

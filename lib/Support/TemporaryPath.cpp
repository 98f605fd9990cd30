// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/TemporaryPath.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace shardsmith {
namespace {

/// A path where handlers of signals find it without taking locks or memory.
struct Slot {
  std::atomic<bool> isTaken = false;
  std::atomic<bool> isSet = false;
  std::array<char, 4096> path;
};

static_assert(std::atomic<bool>::is_always_lock_free);
std::array<Slot, 16> slots;

int takeSlot(const std::string &path) {
  for (size_t i = 0; i < slots.size(); ++i) {
    Slot &slot = slots[i];
    if (path.size() >= slot.path.size() || slot.isTaken.exchange(true))
      continue;
    std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
    slot.isSet = true;
    return static_cast<int>(i);
  }
  return -1;
}

void freeSlot(int index) {
  if (index < 0)
    return;
  slots[index].isSet = false;
  slots[index].isTaken = false;
}

/// Removes the files of an open folder. System calls only: the library's
/// functions for folders take memory, which handlers must not.
void emptyFolder(int folder) noexcept {
  alignas(dirent64) char entries[4096];
  for (int round = 0; round < 3; ++round) {
    lseek(folder, 0, SEEK_SET);
    long bytes = 0;
    while ((bytes = syscall(SYS_getdents64, folder, entries, sizeof entries)) >
           0)
      for (long at = 0; at < bytes;) {
        auto *entry = reinterpret_cast<dirent64 *>(entries + at);
        unlinkat(folder, entry->d_name, 0);
        at += entry->d_reclen;
      }
  }
}

/// Removes a file, or a folder without folders in it.
void removePath(const char *path) noexcept {
  if (unlink(path) == 0 || (errno != EISDIR && errno != EPERM))
    return;
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0)
    return;
  emptyFolder(folder);
  close(folder);
  rmdir(path);
}

bool isUnlinked(int file) {
  struct stat status = {};
  return fstat(file, &status) == 0 && status.st_nlink == 0;
}

} // namespace

TemporaryPath::TemporaryPath(std::string path)
    : where(std::move(path)), slot(takeSlot(where)) {}

TemporaryPath::~TemporaryPath() {
  if (!where.empty())
    removePath(where.c_str());
  freeSlot(slot);
}

void TemporaryPath::release() {
  freeSlot(slot);
  slot = -1;
  where.clear();
}

void removeTemporaryPaths() noexcept {
  int error = errno;
  for (const Slot &slot : slots)
    if (slot.isSet)
      removePath(slot.path.data());
  errno = error;
}

bool lockTemporary(int file) {
  // Waits for one who is about to remove it. Where locks are not supported
  // nobody takes it for abandoned either.
  while (flock(file, LOCK_EX) != 0 && errno == EINTR) {
  }
  return !isUnlinked(file);
}

void removeAbandoned(const std::string &folder, const std::string &prefix) {
  std::error_code error;
  for (const auto &entry :
       fs::directory_iterator(folder.empty() ? "." : folder, error)) {
    if (!entry.path().filename().string().starts_with(prefix))
      continue;
    int file = open(entry.path().c_str(),
                    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
      continue;
    if (flock(file, LOCK_EX | LOCK_NB) == 0)
      removePath(entry.path().c_str());
    close(file);
  }
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/AtomicFile.h"

#include "shardsmith/Support/OutputTarget.h"
#include "shardsmith/Support/TemporaryPath.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <unistd.h>

namespace fs = std::filesystem;

namespace shardsmith {
namespace {

/// Stands between the name of a file and the process that writes its successor.
constexpr const char *kTemporary = ".tmp";

std::string systemError(const std::string &what, const std::string &path) {
  return "cannot " + what + " '" + path + "': " + std::strerror(errno);
}

std::string writeStream(const std::string &path, std::string_view contents) {
  std::string failure;
  int file = openOutput(path, failure);
  if (file < 0)
    return failure;
  if (!writeAll(file, contents))
    failure = systemError("write", path);
  if (close(file) != 0 && failure.empty())
    failure = systemError("write", path);
  return failure;
}

/// Beside the file, so that renaming moves no data.
std::string temporaryName(const std::string &path) {
  return path + kTemporary + std::to_string(getpid());
}

/// A new file at `path`, locked; −1 with errno set if there cannot be one.
int createTemporary(const std::string &path) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    int file = open(path.c_str(),
                    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file < 0 && errno == EEXIST) {
      // Left by a process of the same number where files cannot be locked.
      unlink(path.c_str());
      continue;
    }
    if (file < 0 || lockTemporary(file))
      return file;
    close(file);
  }
  return -1;
}

/// Whether a file can be made in a folder; else errno says why not. It has no
/// name where the file system knows such files, so that a process that is
/// killed here leaves nothing.
bool canCreateIn(const fs::path &folder) {
  int file = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  bool isUnknown = file < 0 && (errno == EOPNOTSUPP || errno == EISDIR);
  std::optional<TemporaryPath> named;
  if (isUnknown) {
    named.emplace(temporaryName((folder / ".probe").string()));
    file = createTemporary(named->path());
  }
  if (file >= 0) {
    close(file);
    return true;
  }
  int error = errno;
  named.reset();
  errno = error;
  return false;
}

std::string folderError(const fs::path &folder, std::error_code error) {
  return "cannot make folder '" + folder.string() + "': " + error.message();
}

/// Whether anything is there, be it a link to nothing.
bool isPresent(const fs::path &path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

} // namespace

bool writeAll(int file, std::string_view contents) {
  while (!contents.empty()) {
    ssize_t written = write(file, contents.data(), contents.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    contents.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

std::string writeFileAtomically(const std::string &path,
                                std::string_view contents, Flush flush) {
  OutputTarget target = findOutputTarget(path);
  if (!target.problem.empty())
    return target.problem;
  if (target.isStream)
    return writeStream(path, contents);
  fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  if (!folder.empty())
    fs::create_directories(folder, error);
  if (error)
    return folderError(folder, error);

  removeAbandoned(folder.string(),
                  fs::path(path).filename().string() + kTemporary);
  TemporaryPath temporary(temporaryName(path));
  int file = createTemporary(temporary.path());
  if (file < 0)
    return systemError("create", temporary.path());
  std::string failure;
  if (!writeAll(file, contents) || (flush == Flush::AtOnce && fsync(file) != 0))
    failure = systemError("write", temporary.path());
  if (failure.empty() &&
      std::rename(temporary.path().c_str(), path.c_str()) != 0)
    failure = systemError("replace", path);
  if (failure.empty())
    temporary.release();
  if (close(file) != 0 && failure.empty())
    failure = systemError("write", path);
  return failure;
}

std::string whyNotWritable(const std::string &path) {
  OutputTarget target = findOutputTarget(path);
  if (!target.problem.empty())
    return target.problem;
  if (target.isStream)
    return access(path.c_str(), W_OK) == 0 ? "" : systemError("open", path);
  std::error_code error;

  // Folders are made inside the nearest one that exists.
  fs::path folder = fs::path(path).parent_path();
  fs::path nearest = folder;
  while (!nearest.empty() && !isPresent(nearest))
    nearest = nearest.parent_path();
  if (nearest.empty())
    nearest = ".";
  if (!fs::is_directory(nearest, error))
    return folderError(folder,
                       std::make_error_code(std::errc::not_a_directory));

  // Permissions alone say nothing about quotas and file systems of their own.
  if (canCreateIn(nearest))
    return "";
  return nearest == folder || folder.empty()
             ? systemError("create", path)
             : systemError("make folder", folder.string());
}

} // namespace shardsmith

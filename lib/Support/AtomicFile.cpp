// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/AtomicFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace shardsmith {
namespace {

std::string systemError(const std::string &what, const std::string &path) {
  return "cannot " + what + " '" + path + "': " + std::strerror(errno);
}

/// Writes all of `contents`, however often the kernel takes only a part.
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

/// Devices and pipes: /dev/null, /dev/stdout. A file in their place would take
/// them from everybody.
bool isSpecial(const std::string &path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) &&
         !S_ISDIR(status.st_mode);
}

std::string writeSpecial(const std::string &path, std::string_view contents) {
  int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return systemError("open", path);
  std::string failure;
  if (!writeAll(file, contents))
    failure = systemError("write", path);
  if (close(file) != 0 && failure.empty())
    failure = systemError("write", path);
  return failure;
}

/// Beside the file, so that renaming moves no data.
std::string temporaryName(const std::string &path) {
  return path + ".tmp" + std::to_string(getpid());
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

std::string writeFileAtomically(const std::string &path,
                                std::string_view contents) {
  if (isSpecial(path))
    return writeSpecial(path, contents);
  fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  if (!folder.empty())
    fs::create_directories(folder, error);
  if (error)
    return folderError(folder, error);

  std::string temporary = temporaryName(path);
  int file =
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return systemError("create", temporary);
  std::string failure;
  if (!writeAll(file, contents) || fsync(file) != 0)
    failure = systemError("write", temporary);
  if (close(file) != 0 && failure.empty())
    failure = systemError("write", temporary);
  if (failure.empty() && std::rename(temporary.c_str(), path.c_str()) != 0)
    failure = systemError("replace", path);
  if (!failure.empty())
    unlink(temporary.c_str());
  return failure;
}

std::string whyNotWritable(const std::string &path) {
  if (isSpecial(path))
    return access(path.c_str(), W_OK) == 0 ? "" : systemError("open", path);
  std::error_code error;
  if (fs::is_directory(path, error)) {
    errno = EISDIR;
    return systemError("replace", path);
  }

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
  std::string probe = temporaryName((nearest / ".probe").string());
  int file = open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0)
    return nearest == folder || folder.empty()
               ? systemError("create", path)
               : systemError("make folder", folder.string());
  close(file);
  unlink(probe.c_str());
  return "";
}

} // namespace shardsmith

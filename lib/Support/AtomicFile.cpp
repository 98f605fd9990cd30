// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/AtomicFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

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

} // namespace

std::string writeFileAtomically(const std::string &path,
                                std::string_view contents) {
  if (isSpecial(path))
    return writeSpecial(path, contents);
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty())
    std::filesystem::create_directories(folder, error);
  if (error)
    return "cannot make folder '" + folder.string() + "': " + error.message();

  std::string temporary = path + ".tmp" + std::to_string(getpid());
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

} // namespace shardsmith

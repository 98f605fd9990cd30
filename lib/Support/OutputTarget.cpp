// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/OutputTarget.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace shardsmith {
namespace {

/// As many links as the kernel follows.
constexpr int longestChain = 40;

/// The number behind /dev/fd/3, /dev/stdout and /proc/self/fd/3, −1 for other
/// paths. Such links lead to an open file, not to a name: opening them again
/// would start over at the file's beginning, renaming would destroy the link.
int descriptorNamedBy(const fs::path &link) {
  std::error_code error;
  fs::path folder = fs::canonical(link.parent_path(), error);
  if (error || folder != fs::canonical("/proc/self/fd", error))
    return -1;
  std::string name = link.filename().string();
  int number = -1;
  const char *end = name.data() + name.size();
  auto [rest, failure] = std::from_chars(name.data(), end, number);
  return failure == std::errc() && rest == end ? number : -1;
}

std::string inQuotes(const fs::path &path) { return "'" + path.string() + "'"; }

OutputTarget refused(std::string problem) {
  OutputTarget target;
  target.problem = std::move(problem);
  return target;
}

OutputTarget stream(int descriptor = -1) {
  OutputTarget target;
  target.isStream = true;
  target.descriptor = descriptor;
  return target;
}

OutputTarget refusedLink(const fs::path &link, const fs::path &end) {
  return refused("cannot replace " + inQuotes(link) + ": it is a link to " +
                 inQuotes(end) + "; give the path of the file itself");
}

} // namespace

OutputTarget findOutputTarget(const std::string &path) {
  fs::path place = path;
  for (int links = 0; links <= longestChain; ++links) {
    struct stat status = {};
    if (lstat(place.c_str(), &status) != 0)
      return links == 0 ? OutputTarget() : refusedLink(path, place);
    if (S_ISLNK(status.st_mode)) {
      if (int number = descriptorNamedBy(place); number >= 0)
        return stream(number);
      std::error_code error;
      fs::path next = fs::read_symlink(place, error);
      if (error)
        return refused("cannot read the link " + inQuotes(place) + ": " +
                       error.message());
      place = next.is_absolute() ? next : place.parent_path() / next;
      continue;
    }
    if (S_ISDIR(status.st_mode))
      return refused("cannot replace " + inQuotes(path) + ": " +
                     std::strerror(EISDIR));
    if (S_ISBLK(status.st_mode))
      return refused("cannot write " + inQuotes(path) + ": it is a whole disk");
    if (!S_ISREG(status.st_mode))
      return stream();
    return links == 0 ? OutputTarget() : refusedLink(path, place);
  }
  return refused("cannot follow " + inQuotes(path) + ": " +
                 std::strerror(ELOOP));
}

int openOutput(const std::string &path, std::string &problem) {
  OutputTarget target = findOutputTarget(path);
  problem = target.problem;
  if (!problem.empty())
    return -1;
  int file = -1;
  if (target.descriptor >= 0)
    file = fcntl(target.descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  else if (target.isStream)
    file = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  else
    file = open(path.c_str(),
                O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0)
    problem = "cannot open '" + path + "': " + std::strerror(errno);
  return file;
}

} // namespace shardsmith

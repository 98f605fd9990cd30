// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/ReadFile.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace shardsmith {
namespace {

std::optional<std::string> readStream(std::FILE *file, const std::string &path,
                                      size_t largest, std::string &error) {
  auto failure = [&](const std::string &reason) {
    error = "cannot read \"" + path + "\": " + reason;
    return std::nullopt;
  };
  if (!file)
    return failure(std::strerror(errno));
  std::string text;
  std::array<char, 1 << 16> chunk;
  while (size_t count = std::fread(chunk.data(), 1, chunk.size(), file)) {
    if (text.size() + count > largest)
      return failure("it is larger than " + std::to_string(largest >> 20) +
                     " MiB");
    text.append(chunk.data(), count);
  }
  if (std::ferror(file))
    return failure(std::strerror(errno));
  return text;
}

} // namespace

std::optional<std::string> readFile(const std::string &path, std::string &error,
                                    size_t largest) {
  auto close = [](std::FILE *file) { std::fclose(file); };
  std::unique_ptr<std::FILE, decltype(close)> file(
      std::fopen(path.c_str(), "rb"));
  return readStream(file.get(), path, largest, error);
}

std::optional<std::string> readInput(const std::string &path,
                                     std::string &error) {
  if (path == "-")
    return readStream(stdin, path, largestFile, error);
  return readFile(path, error);
}

} // namespace shardsmith

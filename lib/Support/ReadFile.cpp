// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/ReadFile.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace shardsmith {
namespace {

/// Plans, clusters, profiles and workloads are a thousandth of it.
constexpr size_t largestFile = size_t(1) << 28;

} // namespace

std::optional<std::string> readFile(const std::string &path,
                                    std::string &error) {
  auto failure = [&](const std::string &reason) {
    error = "cannot read \"" + path + "\": " + reason;
    return std::nullopt;
  };
  auto close = [](std::FILE *file) { std::fclose(file); };
  std::unique_ptr<std::FILE, decltype(close)> file(
      std::fopen(path.c_str(), "rb"));
  if (!file)
    return failure(std::strerror(errno));
  std::string text;
  std::array<char, 1 << 16> chunk;
  while (size_t count = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
    if (text.size() + count > largestFile)
      return failure("it is larger than 256 MiB");
    text.append(chunk.data(), count);
  }
  if (std::ferror(file.get()))
    return failure(std::strerror(errno));
  return text;
}

} // namespace shardsmith

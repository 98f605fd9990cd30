// SPDX-License-Identifier: Apache-2.0

#include "FlatYaml.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <vector>

namespace shardsmith::emit {
namespace {

constexpr int64_t largestCount = int64_t(1) << 20;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// A scalar without its quotes, or without the comment behind it.
std::string scalarOf(std::string_view value) {
  if (!value.empty() && (value.front() == '"' || value.front() == '\'')) {
    size_t end = value.find(value.front(), 1);
    return std::string(value.substr(
        1, end == std::string_view::npos ? std::string_view::npos : end - 1));
  }
  return std::string(trimmed(value.substr(0, value.find(" #"))));
}

} // namespace

FlatYaml::FlatYaml(std::string_view text) {
  struct Open {
    size_t indentation;
    std::string path;
  };
  std::vector<Open> open;
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    std::string_view content = trimmed(line);
    size_t colon = content.find(':');
    if (content.empty() || content.front() == '#' || content.front() == '-' ||
        colon == std::string_view::npos)
      continue;
    size_t indentation = line.find_first_not_of(' ');
    while (!open.empty() && open.back().indentation >= indentation)
      open.pop_back();
    std::string path = (open.empty() ? "" : open.back().path + ".") +
                       scalarOf(trimmed(content.substr(0, colon)));
    std::string_view value = trimmed(content.substr(colon + 1));
    if (value.empty() || value.front() == '#')
      open.push_back({indentation, std::move(path)});
    else
      scalars[std::move(path)] = scalarOf(value);
  }
}

std::string FlatYaml::text(std::string_view path) const {
  auto found = scalars.find(path);
  return found == scalars.end() ? "" : found->second;
}

int64_t FlatYaml::number(std::string_view path, int64_t fallback) {
  auto found = scalars.find(path);
  if (found == scalars.end())
    return fallback;
  int64_t least = std::min<int64_t>(fallback, 1);
  std::optional<int64_t> count = countIn(found->second, least);
  if (!count && firstProblem.empty())
    firstProblem = notACount(path, found->second, least);
  return count.value_or(fallback);
}

std::optional<int64_t> countIn(std::string_view text, int64_t least) {
  int64_t count = 0;
  auto [rest, failure] =
      std::from_chars(text.data(), text.data() + text.size(), count);
  if (failure != std::errc() || rest != text.data() + text.size() ||
      count < least || count > largestCount)
    return std::nullopt;
  return count;
}

std::string notACount(std::string_view name, std::string_view got,
                      int64_t least) {
  return fmt::format("{}: expected a number from {} to {}, got '{}'", name,
                     least, largestCount, got.substr(0, 40));
}

} // namespace shardsmith::emit

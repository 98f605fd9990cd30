// SPDX-License-Identifier: Apache-2.0

#include "Words.h"

#include <cctype>
#include <charconv>

namespace shardsmith::detect {
namespace {

/// ESC [ … letter is taken out.
std::string withoutColours(std::string_view line) {
  std::string plain;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\x1b') {
      plain.push_back(line[i]);
      continue;
    }
    while (i < line.size() && !std::isalpha(uint8_t(line[i])))
      ++i;
  }
  return plain;
}

} // namespace

std::vector<std::string> plainLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string line = withoutColours(text.substr(0, end));
    if (!line.empty() && line.back() == '\r')
      line.pop_back();
    lines.push_back(std::move(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string> words(std::string_view line,
                               std::string_view separators) {
  std::vector<std::string> found;
  size_t begin = line.find_first_not_of(separators);
  while (begin != std::string_view::npos) {
    size_t end = std::min(line.find_first_of(separators, begin), line.size());
    found.emplace_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(separators, end);
  }
  return found;
}

std::string_view trimmed(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::string lowerCase(std::string_view text) {
  std::string lower(text);
  for (char &letter : lower)
    letter = static_cast<char>(std::tolower(uint8_t(letter)));
  return lower;
}

std::optional<int64_t> wholeNumber(std::string_view text, int64_t most) {
  int64_t number = 0;
  auto [end, problem] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() ||
      number < 0 || number > most)
    return std::nullopt;
  return number;
}

} // namespace shardsmith::detect

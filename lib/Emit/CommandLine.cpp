// SPDX-License-Identifier: Apache-2.0

#include "CommandLine.h"

#include <charconv>
#include <fmt/format.h>

namespace shardsmith::emit {
namespace {

/// Words by line: of a line that goes on after a backslash one list.
class Words {
public:
  explicit Words(std::string_view script) : left(script) {}

  std::vector<std::vector<std::string>> all() {
    while (!left.empty())
      readOne();
    endLine();
    return std::move(lines);
  }

private:
  void readOne() {
    char c = take();
    if (c == '\\' && !left.empty()) {
      char next = take();
      if (next != '\n')
        put(next);
    } else if (c == '\'' || c == '"') {
      readQuoted(c);
    } else if (c == '#' && !isInWord) {
      left.remove_prefix(std::min(left.find('\n'), left.size()));
    } else if (c == '\n') {
      endLine();
    } else if (c == ' ' || c == '\t' || c == '\r') {
      endWord();
    } else {
      put(c);
    }
  }

  void readQuoted(char quote) {
    isInWord = true;
    while (!left.empty()) {
      char c = take();
      if (c == quote)
        return;
      word += c;
    }
  }

  char take() {
    char c = left.front();
    left.remove_prefix(1);
    return c;
  }
  void put(char c) {
    word += c;
    isInWord = true;
  }
  void endWord() {
    if (isInWord)
      line.push_back(std::move(word));
    word.clear();
    isInWord = false;
  }
  void endLine() {
    endWord();
    if (!line.empty())
      lines.push_back(std::move(line));
    line.clear();
  }

  std::string_view left;
  std::string word;
  bool isInWord = false;
  std::vector<std::string> line;
  std::vector<std::vector<std::string>> lines;
};

/// `--a-b` of `--a_b`: torchtitan takes both.
std::string spelled(std::string option) {
  for (char &c : option)
    if (c == '_')
      c = '-';
  return option;
}

} // namespace

CommandLine::CommandLine(std::string_view script) {
  std::vector<std::string> *values = &others;
  for (const std::vector<std::string> &line : Words(script).all())
    for (const std::string &word : line) {
      if (!word.starts_with("--") || word.size() == 2) {
        values->push_back(word);
        continue;
      }
      size_t equals = word.find('=');
      values = &options[spelled(word.substr(0, equals))];
      values->clear();
      if (equals != std::string::npos)
        values->push_back(word.substr(equals + 1));
    }
}

const std::vector<std::string> &CommandLine::of(std::string_view option) const {
  static const std::vector<std::string> none;
  auto found = options.find(option);
  return found == options.end() ? none : found->second;
}

std::string CommandLine::text(std::string_view option) const {
  const std::vector<std::string> &values = of(option);
  return values.empty() ? "" : values.front();
}

int64_t CommandLine::number(std::string_view option, int64_t fallback) {
  if (!has(option))
    return fallback;
  std::string value = text(option);
  const char *end = value.data() + value.size();
  int64_t number = 0;
  auto [rest, failure] = std::from_chars(value.data(), end, number);
  // Larger degrees are typing errors, and their products must not overflow.
  constexpr int64_t largest = int64_t(1) << 20;
  if (failure == std::errc() && rest == end && number >= 1 && number <= largest)
    return number;
  if (firstProblem.empty())
    firstProblem = fmt::format("{}: expected a number from 1 to {}, got '{}'",
                               option, largest, value);
  return fallback;
}

} // namespace shardsmith::emit

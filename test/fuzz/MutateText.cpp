// SPDX-License-Identifier: Apache-2.0

#include "MutateText.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

// libFuzzer has it; the program that replays seeds has not.
extern "C" __attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data,
                                                         size_t size,
                                                         size_t maxSize);

namespace shardsmith::fuzz {
namespace {

using Random = std::minstd_rand;

/// A piece of the text, by position.
struct Token {
  size_t begin = 0, end = 0;
  size_t size() const { return end - begin; }
};

size_t below(size_t bound, Random &random) {
  return bound == 0 ? 0 : random() % bound;
}

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' ||
         c == '-' || c == '%' || c == '@' || c == '#' || c == '!';
}

size_t endOfToken(std::string_view text, size_t begin) {
  size_t end = begin + 1;
  if (text[begin] == '"') {
    while (end < text.size() && text[end] != '"' && text[end] != '\n')
      end += text[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text.size());
  }
  if (isWordCharacter(text[begin]))
    while (end < text.size() && isWordCharacter(text[end]))
      ++end;
  return end;
}

std::vector<Token> tokensOf(std::string_view text) {
  std::vector<Token> tokens;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == ' ' || text[at] == '\n' || text[at] == '\t') {
      ++at;
      continue;
    }
    tokens.push_back({at, endOfToken(text, at)});
    at = tokens.back().end;
  }
  return tokens;
}

/// From an opening bracket to the one that closes it; else the token alone.
Token groupAt(std::string_view text, Token token) {
  constexpr std::string_view opening = "([{<", closing = ")]}>";
  if (opening.find(text[token.begin]) == std::string_view::npos)
    return token;
  int depth = 0;
  for (size_t at = token.begin; at < text.size(); ++at) {
    depth += opening.find(text[at]) != std::string_view::npos;
    depth -= closing.find(text[at]) != std::string_view::npos;
    if (depth == 0)
      return {token.begin, at + 1};
  }
  return token;
}

Token lineAt(std::string_view text, size_t position) {
  size_t begin = text.rfind('\n', position);
  size_t end = text.find('\n', position);
  return {begin == std::string_view::npos ? 0 : begin + 1,
          end == std::string_view::npos ? text.size() : end + 1};
}

std::string someNumber(Random &random) {
  constexpr std::array numbers = {"0",
                                  "1",
                                  "-1",
                                  "2",
                                  "3",
                                  "7",
                                  "8",
                                  "64",
                                  "255",
                                  "65536",
                                  "1000003",
                                  "2147483647",
                                  "2147483648",
                                  "4294967296",
                                  "4611686018427387904",
                                  "9223372036854775807",
                                  "-9223372036854775808",
                                  "18446744073709551615",
                                  "99999999999999999999",
                                  "0.5",
                                  "-0.0",
                                  "1e-300",
                                  "1e300",
                                  "1e999"};
  return numbers[below(numbers.size(), random)];
}

void mutateOnce(std::string &text, Random &random) {
  std::vector<Token> tokens = tokensOf(text);
  if (tokens.empty()) {
    text += someNumber(random);
    return;
  }
  auto any = [&] { return tokens[below(tokens.size(), random)]; };
  auto textOf = [&](Token token) {
    return text.substr(token.begin, token.size());
  };
  auto replace = [&](Token token, const std::string &by) {
    text.replace(token.begin, token.size(), by);
  };
  switch (below(9, random)) {
  case 0: // Some number becomes another one.
  case 1: {
    std::vector<Token> numbers;
    for (Token token : tokens)
      if (std::isdigit(static_cast<unsigned char>(text[token.begin])))
        numbers.push_back(token);
    if (!numbers.empty())
      replace(numbers[below(numbers.size(), random)], someNumber(random));
    return;
  }
  case 2: { // A token becomes one that stands elsewhere.
    std::string other = textOf(any());
    return replace(any(), other);
  }
  case 3: { // A group becomes another group.
    std::string other = textOf(groupAt(text, any()));
    return replace(groupAt(text, any()), other);
  }
  case 4:
    return replace(groupAt(text, any()), "");
  case 5: { // A group a second time.
    Token token = groupAt(text, any());
    text.insert(token.end, textOf(token));
    return;
  }
  case 6:
    return replace(lineAt(text, any().begin), "");
  case 7: { // A line a second time, somewhere.
    std::string line = textOf(lineAt(text, any().begin));
    text.insert(lineAt(text, any().begin).begin, line);
    return;
  }
  case 8: { // A byte, for the lexer.
    size_t at = below(text.size(), random);
    text[at] = static_cast<char>(random());
    return;
  }
  }
}

} // namespace

void mutateText(std::string &text, Random &random) {
  // Mostly once: of IR that is changed in four places little still parses.
  for (size_t count = below(3, random) == 0 ? 4 : 1; count > 0; --count)
    mutateOnce(text, random);
}

size_t mutateBytes(uint8_t *data, size_t size, size_t maxSize,
                   std::minstd_rand &random) {
  if (LLVMFuzzerMutate)
    return LLVMFuzzerMutate(data, size, maxSize);
  if (size > 0)
    data[random() % size] = static_cast<uint8_t>(random());
  return size;
}

size_t putText(const std::string &text, uint8_t *data, size_t maxSize) {
  size_t size = std::min(text.size(), maxSize);
  std::memcpy(data, text.data(), size);
  return size;
}

} // namespace shardsmith::fuzz

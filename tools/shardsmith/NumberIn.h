// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TOOLS_SHARDSMITH_NUMBERIN_H
#define SHARDSMITH_TOOLS_SHARDSMITH_NUMBERIN_H

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace shardsmith {

/// CLI::Range for real numbers. That one lets "nan" pass: it is neither below
/// nor above anything.
inline CLI::Validator numberIn(double low, double high) {
  std::string description = fmt::format("in [{} - {}]", low, high);
  auto check = [low, high, description](const std::string &text) {
    double value = 0;
    bool isNumber = CLI::detail::lexical_cast(text, value);
    if (isNumber && value >= low && value <= high)
      return std::string();
    return fmt::format("{} is no number {}", text, description);
  };
  return CLI::Validator(check, description);
}

} // namespace shardsmith

#endif // SHARDSMITH_TOOLS_SHARDSMITH_NUMBERIN_H

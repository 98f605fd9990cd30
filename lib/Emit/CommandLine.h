// SPDX-License-Identifier: Apache-2.0
//
// Options of the last command of a shell script.

#ifndef SHARDSMITH_LIB_EMIT_COMMANDLINE_H
#define SHARDSMITH_LIB_EMIT_COMMANDLINE_H

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardsmith::emit {

class CommandLine {
public:
  /// Words are cut as a shell cuts them: quotes, a backslash before a line
  /// break, comments. Variables are left as they are. Options that stand twice
  /// have their last values, as everywhere.
  explicit CommandLine(std::string_view script);

  void set(std::string option, std::vector<std::string> values) {
    options[std::move(option)] = std::move(values);
  }

  bool has(std::string_view option) const { return options.contains(option); }
  /// The values of an option; empty if it has none or is not there.
  const std::vector<std::string> &of(std::string_view option) const;
  /// The first value; empty if there is none.
  std::string text(std::string_view option) const;
  /// The number that is the first value. `fallback` if the option is not there.
  /// What is no number is remembered as the problem.
  int64_t number(std::string_view option, int64_t fallback);
  /// Words that belong to no option.
  const std::vector<std::string> &words() const { return others; }
  const std::string &problem() const { return firstProblem; }

private:
  std::map<std::string, std::vector<std::string>, std::less<>> options;
  std::vector<std::string> others;
  std::string firstProblem;
};

} // namespace shardsmith::emit

#endif // SHARDSMITH_LIB_EMIT_COMMANDLINE_H

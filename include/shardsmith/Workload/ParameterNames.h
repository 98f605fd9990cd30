// SPDX-License-Identifier: Apache-2.0
//
// What the repetitions of a block call its parameters. The names of equal
// layers differ in a number that counts up, so they are kept as runs:
//
//     layers.0.up   layers.0.down          position 0: layers.{0, 1, 2}.up
//     layers.1.up   layers.1.down    ─▶    position 1: layers.{0, 1}.down,
//     layers.2.up   special.down                       special.down
//
// and those of a thousand layers take no more room than those of three.

#ifndef SHARDSMITH_WORKLOAD_PARAMETERNAMES_H
#define SHARDSMITH_WORKLOAD_PARAMETERNAMES_H

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardsmith::workload {

/// A name, cut at its first number that stands alone: the 3 of `layers.3.w1`,
/// `h[3]` and `block_3`. Digits that touch letters or begin with a needless
/// zero are no number. Two names are equal if and only if their parts are.
struct NumberedName {
  std::string prefix;
  /// Without one all of the name is in `prefix`.
  std::optional<int64_t> number;
  std::string suffix;

  explicit NumberedName(std::string_view name);
  std::string text() const;
  bool operator==(const NumberedName &) const = default;
};

/// Names of a parameter in some repetitions in a row.
struct NameRun {
  NumberedName first;
  /// From one repetition to the next the number is one more; else all of them
  /// have the same name: the same tensor.
  bool countsUp = false;
  int64_t count = 1;

  /// In repetition `index` of this run.
  std::string name(int64_t index) const;
  bool operator==(const NameRun &) const = default;
};

class ParameterNames {
public:
  ParameterNames() = default;
  /// Per repetition the names of all parameters.
  ParameterNames(std::initializer_list<std::vector<std::string>> repetitions);

  /// One more repetition.
  void add(const std::vector<std::string> &names);
  /// `count` more, in which names go on as they did from the last but one to
  /// the last. False, and nothing is added, if some name did neither stay nor
  /// count up.
  bool goOn(int64_t count);

  int64_t repetitions() const { return count; }
  /// Most names of a repetition.
  size_t parameters() const { return runs.size(); }
  /// Names of the parameter at `position`; `repetitions()` of them unless some
  /// repetition lacks it.
  const std::vector<NameRun> &of(size_t position) const {
    return runs[position];
  }
  int64_t namesOf(size_t position) const;
  std::string name(int64_t repetition, size_t position) const;
  std::vector<std::string> namesIn(int64_t repetition) const;

  bool operator==(const ParameterNames &) const = default;

private:
  int64_t count = 0;
  /// Per position; as few as there can be.
  std::vector<std::vector<NameRun>> runs;
};

} // namespace shardsmith::workload

#endif // SHARDSMITH_WORKLOAD_PARAMETERNAMES_H

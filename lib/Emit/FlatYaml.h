// SPDX-License-Identifier: Apache-2.0
//
// Scalars of configurations in YAML, by their paths.

#ifndef SHARDSMITH_LIB_EMIT_FLATYAML_H
#define SHARDSMITH_LIB_EMIT_FLATYAML_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace shardsmith::emit {

/// `tp` of `parallelism:` is `parallelism.tp`. Nested blocks of keys, quoted
/// and plain scalars and comments are read; lists, flow collections with more
/// than a scalar, and text over several lines are no decisions of a plan, and
/// are passed over. Of a key that stands twice the last value counts.
class FlatYaml {
public:
  explicit FlatYaml(std::string_view text);

  bool has(std::string_view path) const { return scalars.contains(path); }
  /// Empty if it is not there.
  std::string text(std::string_view path) const;
  bool flag(std::string_view path) const { return text(path) == "true"; }
  /// `fallback` if it is not there. What is no number is remembered as the
  /// problem.
  int64_t number(std::string_view path, int64_t fallback);
  const std::string &problem() const { return firstProblem; }
  const std::map<std::string, std::string, std::less<>> &all() const {
    return scalars;
  }

private:
  std::map<std::string, std::string, std::less<>> scalars;
  std::string firstProblem;
};

/// From 1 to 2^20, as counts of ranks and sequences are; nothing else.
std::optional<int64_t> countIn(std::string_view text, int64_t least = 1);
std::string notACount(std::string_view name, std::string_view got,
                      int64_t least = 1);

} // namespace shardsmith::emit

#endif // SHARDSMITH_LIB_EMIT_FLATYAML_H

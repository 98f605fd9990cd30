// SPDX-License-Identifier: Apache-2.0
//
// Checked reading of JSON: every accessor throws a Failure that names the
// JSON pointer of the value, what was expected and what is there.

#ifndef SHARDSMITH_LIB_RUNTIME_JSONREADER_H
#define SHARDSMITH_LIB_RUNTIME_JSONREADER_H

#include "shardsmith/Runtime/Failure.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace shardsmith::runtime {

/// A value of a document together with its place. References the document.
class JsonValue {
public:
  JsonValue(const nlohmann::json &value, std::string document,
            std::string pointer = "")
      : value(&value), document(std::move(document)),
        pointer(std::move(pointer)) {}

  /// Refuses objects with other keys; keys that start with "x_" are free.
  void allowKeys(std::initializer_list<std::string_view> keys) const;

  JsonValue at(std::string_view key) const;
  std::optional<JsonValue> find(std::string_view key) const;
  bool isObject() const { return value->is_object(); }
  /// Of an object.
  std::vector<std::string> keys() const;
  std::vector<JsonValue> elements() const;

  std::string string() const;
  /// An integer in [least, most].
  int64_t integer(int64_t least, int64_t most) const;
  int64_t size() const { return integer(0, INT64_MAX); }
  std::vector<std::string> strings() const;
  std::vector<int64_t> sizes() const;

  /// Throws: "<document>: <pointer>: <message>".
  [[noreturn]] void refuse(const std::string &message) const;

private:
  const nlohmann::json *value;
  std::string document;
  std::string pointer;
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_JSONREADER_H

// SPDX-License-Identifier: Apache-2.0
//
// Reading JSON with the place in hand: what is missing or of the wrong type is
// reported by its pointer.

#ifndef SHARDSMITH_LIB_CHECK_JSONVIEW_H
#define SHARDSMITH_LIB_CHECK_JSONVIEW_H

#include "Claims.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <span>

namespace shardsmith::check {

class JsonView {
public:
  JsonView(const nlohmann::json &json, std::string pointer)
      : json(&json), where(std::move(pointer)) {}

  const std::string &pointer() const { return where; }
  bool has(const char *key) const {
    return json->is_object() && json->contains(key);
  }
  JsonView operator[](const char *key) const {
    if (!has(key))
      throw Malformed{fmt::format("plan{}: '{}' is missing", where, key)};
    return {(*json)[key], fmt::format("{}/{}", where, key)};
  }
  size_t size() const { return json->size(); }
  std::vector<JsonView> items() const {
    require(json->is_array(), "a list");
    std::vector<JsonView> views;
    views.reserve(size());
    for (size_t i = 0; i < json->size(); ++i)
      views.emplace_back((*json)[i], fmt::format("{}/{}", where, i));
    return views;
  }
  std::vector<std::pair<std::string, JsonView>> members() const {
    require(json->is_object(), "an object");
    std::vector<std::pair<std::string, JsonView>> views;
    for (const auto &[key, value] : json->items())
      views.emplace_back(key, JsonView(value, where + "/" + key));
    return views;
  }

  bool isNull() const { return json->is_null(); }
  bool isNumber() const { return json->is_number(); }
  /// A whole number; those beyond 64 bits are the largest.
  int64_t integer() const {
    require(json->is_number_integer(), "a whole number");
    if (json->is_number_unsigned() &&
        json->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
      return INT64_MAX;
    return json->get<int64_t>();
  }
  double number() const {
    require(json->is_number(), "a number");
    return json->get<double>();
  }
  bool boolean() const {
    require(json->is_boolean(), "true or false");
    return json->get<bool>();
  }
  std::string string() const {
    require(json->is_string(), "a string");
    return json->get<std::string>();
  }
  /// The value of an enumeration whose names `nameOf` knows.
  template <typename Enum>
  Enum named(std::initializer_list<Enum> values) const {
    return named(std::span<const Enum>(values.begin(), values.size()));
  }
  template <typename Enum> Enum named(std::span<const Enum> values) const {
    std::string name = string(), known;
    for (Enum value : values) {
      if (nameOf(value) == name)
        return value;
      known += (known.empty() ? "" : ", ") + std::string(nameOf(value));
    }
    throw Malformed{
        fmt::format("plan{}: '{}' is none of {}", where, name, known)};
  }

  void require(bool holds, const char *expected) const {
    if (!holds)
      throw Malformed{fmt::format("plan{}: expected {}, got {}", where,
                                  expected, json->dump().substr(0, 40))};
  }

private:
  const nlohmann::json *json;
  std::string where;
};

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_JSONVIEW_H

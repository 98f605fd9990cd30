// SPDX-License-Identifier: Apache-2.0

#include "JsonReader.h"

#include <algorithm>

namespace shardsmith::runtime {
namespace {

/// A key as a JSON pointer writes it (RFC 6901, section 3).
std::string escapeKey(std::string_view key) {
  std::string escaped;
  for (char c : key) {
    if (c == '~')
      escaped += "~0";
    else if (c == '/')
      escaped += "~1";
    else
      escaped += c;
  }
  return escaped;
}

std::string excerpt(const nlohmann::json &value) {
  std::string text =
      value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  constexpr size_t longest = 60;
  return text.size() <= longest ? text : text.substr(0, longest) + "…";
}

} // namespace

void JsonValue::refuse(const std::string &message) const {
  fail(ExitCode::BadInput, "{}: {}: {}", document,
       pointer.empty() ? "/" : pointer, message);
}

void JsonValue::allowKeys(std::initializer_list<std::string_view> keys) const {
  if (!value->is_object())
    refuse(fmt::format("expected an object, found {}", excerpt(*value)));
  for (const auto &[key, item] : value->items()) {
    bool known = std::find(keys.begin(), keys.end(), key) != keys.end();
    if (!known && !key.starts_with("x_"))
      JsonValue(item, document, pointer + "/" + escapeKey(key))
          .refuse(fmt::format("unknown key; expected one of: {}",
                              fmt::join(keys, ", ")));
  }
}

std::optional<JsonValue> JsonValue::find(std::string_view key) const {
  if (!value->is_object())
    refuse(fmt::format("expected an object, found {}", excerpt(*value)));
  auto item = value->find(key);
  if (item == value->end())
    return std::nullopt;
  return JsonValue(*item, document, pointer + "/" + escapeKey(key));
}

JsonValue JsonValue::at(std::string_view key) const {
  std::optional<JsonValue> item = find(key);
  if (!item)
    refuse(fmt::format("key \"{}\" is missing", key));
  return *item;
}

std::vector<std::string> JsonValue::keys() const {
  if (!value->is_object())
    refuse(fmt::format("expected an object, found {}", excerpt(*value)));
  std::vector<std::string> all;
  for (const auto &[key, item] : value->items())
    all.push_back(key);
  return all;
}

std::vector<JsonValue> JsonValue::elements() const {
  if (!value->is_array())
    refuse(fmt::format("expected an array, found {}", excerpt(*value)));
  std::vector<JsonValue> items;
  for (size_t i = 0; i < value->size(); ++i)
    items.emplace_back((*value)[i], document, fmt::format("{}/{}", pointer, i));
  return items;
}

std::string JsonValue::string() const {
  if (!value->is_string())
    refuse(fmt::format("expected a string, found {}", excerpt(*value)));
  return value->get<std::string>();
}

int64_t JsonValue::integer(int64_t least, int64_t most) const {
  bool fits = value->is_number_integer() &&
              !(value->is_number_unsigned() &&
                value->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX));
  int64_t number = fits ? value->get<int64_t>() : 0;
  if (!fits || number < least || number > most)
    refuse(fmt::format("expected an integer from {} to {}, found {}", least,
                       most, excerpt(*value)));
  return number;
}

std::vector<std::string> JsonValue::strings() const {
  std::vector<std::string> items;
  for (const JsonValue &item : elements())
    items.push_back(item.string());
  return items;
}

std::vector<int64_t> JsonValue::sizes() const {
  std::vector<int64_t> items;
  for (const JsonValue &item : elements())
    items.push_back(item.size());
  return items;
}

} // namespace shardsmith::runtime

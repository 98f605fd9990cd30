// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cluster/JsonObject.h"

#include "shardsmith/Support/ClosestWord.h"
#include "shardsmith/Support/Json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace shardsmith {

std::string ClusterIssue::str() const { return pointer + ": " + message; }

std::string ClusterResult::errorText() const {
  std::string text;
  for (const ClusterIssue &issue : errors)
    text += (text.empty() ? "" : "\n") + issue.str();
  return text;
}

} // namespace shardsmith

namespace shardsmith::cluster {
namespace {
constexpr double unbounded = 1e18;
}

const NumberRule positive = {0, unbounded, true, false, "greater than 0"};
const NumberRule nonNegative = {0, unbounded, false, false, "0 or more"};
const NumberRule fraction = {0, 1, true, false, "in (0, 1]"};
const NumberRule probability = {0, 1, false, true, "in [0, 1)"};
const NumberRule atLeastOne = {1, unbounded, false, false, "1 or more"};

std::string shown(const nlohmann::json &value) {
  std::string text = jsonText(value);
  if (text.size() > 40)
    text = text.substr(0, 37) + "...";
  return text;
}

std::optional<nlohmann::json> parseJson(std::string_view text,
                                        std::vector<ClusterIssue> &errors) {
  std::string error;
  std::optional<nlohmann::json> json = shardsmith::parseJson(text, error);
  if (!json)
    errors.push_back({"/", error});
  return json;
}

JsonObject::JsonObject(const nlohmann::json &value, std::string pointer,
                       std::vector<ClusterIssue> &errors)
    : value(value), path(std::move(pointer)), errors(errors),
      valid(value.is_object()) {
  if (!valid)
    errors.push_back({path.empty() ? "/" : path,
                      "expected an object, found " + shown(value)});
}

/// Escapes a key as RFC 6901 asks.
std::string JsonObject::pointerTo(const std::string &key) const {
  std::string escaped;
  for (char c : key) {
    if (c == '~')
      escaped += "~0";
    else if (c == '/')
      escaped += "~1";
    else
      escaped += c;
  }
  return path + "/" + escaped;
}

void JsonObject::error(const std::string &key, const std::string &message) {
  errors.push_back({pointerTo(key), message});
}

bool JsonObject::has(const std::string &key) const {
  return valid && value.contains(key);
}

const nlohmann::json *JsonObject::find(const std::string &key) {
  asked.insert(key);
  if (!has(key))
    return nullptr;
  return &value.at(key);
}

std::optional<double> JsonObject::optionalNumber(const std::string &key,
                                                 const NumberRule &rule) {
  const nlohmann::json *found = find(key);
  if (!found)
    return std::nullopt;
  if (!found->is_number()) {
    error(key, "expected a number, found " + shown(*found));
    return std::nullopt;
  }
  double number = found->get<double>();
  if (!std::isfinite(number) || !rule.accepts(number)) {
    error(key, fmt::format("{} is out of range, expected a number {}",
                           shown(*found), rule.text));
    return std::nullopt;
  }
  return number;
}

double JsonObject::number(const std::string &key, const NumberRule &rule,
                          std::optional<double> fallback) {
  if (valid && !has(key) && !fallback)
    error(key, fmt::format("missing; expected a number {}", rule.text));
  return optionalNumber(key, rule).value_or(fallback.value_or(1));
}

int64_t JsonObject::integer(const std::string &key, int64_t least,
                            std::optional<int64_t> fallback) {
  const nlohmann::json *found = find(key);
  if (!found) {
    if (valid && !fallback)
      error(key,
            fmt::format("missing; expected an integer of {} or more", least));
    return fallback.value_or(least);
  }
  bool fits = found->is_number_integer() &&
              !(found->is_number_unsigned() &&
                found->get<uint64_t>() > uint64_t(INT64_MAX));
  if (!fits || found->get<int64_t>() < least) {
    error(key, fmt::format("expected an integer of {} or more, found {}", least,
                           shown(*found)));
    return fallback.value_or(least);
  }
  return found->get<int64_t>();
}

bool JsonObject::boolean(const std::string &key, bool fallback) {
  const nlohmann::json *found = find(key);
  if (!found)
    return fallback;
  if (!found->is_boolean()) {
    error(key, "expected true or false, found " + shown(*found));
    return fallback;
  }
  return found->get<bool>();
}

std::string JsonObject::string(const std::string &key,
                               const std::optional<std::string> &fallback) {
  const nlohmann::json *found = find(key);
  if (!found) {
    if (valid && !fallback)
      error(key, "missing; expected a string");
    return fallback.value_or("");
  }
  if (!found->is_string()) {
    error(key, "expected a string, found " + shown(*found));
    return fallback.value_or("");
  }
  return found->get<std::string>();
}

std::string JsonObject::oneOf(const std::string &key,
                              const std::vector<std::string> &words,
                              const std::optional<std::string> &fallback) {
  size_t before = errors.size();
  std::string word = string(key, fallback);
  if (errors.size() != before || !has(key) ||
      std::find(words.begin(), words.end(), word) != words.end())
    return word;
  std::string hint = closestWord(word, words);
  error(key,
        fmt::format("unknown value \"{}\", {}", word,
                    hint.empty() ? fmt::format("expected one of {}",
                                               fmt::join(words, ", "))
                                 : fmt::format("did you mean \"{}\"?", hint)));
  return fallback.value_or(words.front());
}

const nlohmann::json *JsonObject::nested(const std::string &key,
                                         const char *kind, bool required) {
  const nlohmann::json *found = find(key);
  if (!found) {
    if (valid && required)
      error(key, fmt::format("missing; expected an {}", kind));
    return nullptr;
  }
  bool matches = std::string_view(kind) == "array" ? found->is_array()
                                                   : found->is_object();
  if (!matches) {
    error(key, fmt::format("expected an {}, found {}", kind, shown(*found)));
    return nullptr;
  }
  return found;
}

void JsonObject::forEach(const std::string &key, bool required,
                         const std::function<void(const nlohmann::json &,
                                                  const std::string &)> &read) {
  const nlohmann::json *array = nested(key, "array", required);
  if (!array)
    return;
  if (required && array->empty())
    error(key, "expected at least one entry");
  for (size_t index = 0; index < array->size(); ++index)
    read((*array)[index], pointerTo(key) + "/" + std::to_string(index));
}

void JsonObject::forEachObject(const std::string &key, bool required,
                               const std::function<void(JsonObject &)> &read) {
  forEach(key, required,
          [&](const nlohmann::json &value, const std::string &pointer) {
            JsonObject object(value, pointer, errors);
            read(object);
            object.finish();
          });
}

JsonObject JsonObject::child(const std::string &key,
                             const nlohmann::json &nested) {
  return JsonObject(nested, pointerTo(key), errors);
}

void JsonObject::finish() {
  if (!valid)
    return;
  std::vector<std::string> known(asked.begin(), asked.end());
  for (const auto &[key, unused] : value.items()) {
    if (asked.contains(key) || key.starts_with("x_"))
      continue;
    std::string hint = closestWord(key, known);
    error(key,
          hint.empty()
              ? fmt::format("unknown key; known are {}", fmt::join(known, ", "))
              : fmt::format("unknown key, did you mean \"{}\"?", hint));
  }
}

} // namespace shardsmith::cluster

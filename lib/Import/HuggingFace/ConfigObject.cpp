// SPDX-License-Identifier: Apache-2.0

#include "ConfigObject.h"

#include <cmath>
#include <fmt/format.h>

using nlohmann::json;

namespace shardsmith::huggingface {
namespace {

/// A value as it appears in a message, shortened.
std::string shown(const json &value) {
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

} // namespace

ConfigObject::ConfigObject(const json &value, std::string source,
                           std::string pointer)
    : value(value), source(std::move(source)), pointer(std::move(pointer)) {
  if (!value.is_object())
    firstProblem = Problem{
        ExitCode::BadInput,
        fmt::format("{}: {}: expected an object, got {}", this->source,
                    this->pointer.empty() ? "/" : this->pointer, shown(value))};
}

const json *ConfigObject::nested(const std::string &key) const {
  if (!value.is_object())
    return nullptr;
  auto entry = value.find(key);
  return entry == value.end() || entry->is_null() ? nullptr : &*entry;
}

bool ConfigObject::has(const std::string &key) const {
  return nested(key) != nullptr;
}

std::string ConfigObject::pointerTo(const std::string &key) const {
  return pointer + "/" + key;
}

ConfigObject ConfigObject::inner(const std::string &key,
                                 const json &object) const {
  return ConfigObject(object, source, pointerTo(key));
}

int64_t ConfigObject::integer(const std::string &key, int64_t low, int64_t high,
                              std::optional<int64_t> fallback) {
  const json *found = nested(key);
  std::string expected = fmt::format("an integer from {} to {}", low, high);
  if (!found) {
    if (!fallback)
      refuse(key, "is missing; expected " + expected);
    return fallback.value_or(low);
  }
  bool isTooLarge =
      found->is_number_unsigned() && found->get<uint64_t>() > uint64_t(high);
  if (!found->is_number_integer() || isTooLarge ||
      found->get<int64_t>() < low || found->get<int64_t>() > high) {
    refuse(key, fmt::format("expected {}, got {}", expected, shown(*found)));
    return fallback.value_or(low);
  }
  return found->get<int64_t>();
}

double ConfigObject::number(const std::string &key, double low,
                            std::optional<double> fallback) {
  const json *found = nested(key);
  std::string expected = fmt::format("a number greater than {}", low);
  if (!found) {
    if (!fallback)
      refuse(key, "is missing; expected " + expected);
    return fallback.value_or(low + 1);
  }
  if (!found->is_number() || !std::isfinite(found->get<double>()) ||
      found->get<double>() <= low) {
    refuse(key, fmt::format("expected {}, got {}", expected, shown(*found)));
    return fallback.value_or(low + 1);
  }
  return found->get<double>();
}

bool ConfigObject::boolean(const std::string &key, bool fallback) {
  const json *found = nested(key);
  if (!found)
    return fallback;
  if (!found->is_boolean()) {
    refuse(key, "expected true or false, got " + shown(*found));
    return fallback;
  }
  return found->get<bool>();
}

std::string ConfigObject::text(const std::string &key,
                               const std::optional<std::string> &fallback) {
  const json *found = nested(key);
  if (!found) {
    if (!fallback)
      refuse(key, "is missing; expected a string");
    return fallback.value_or("");
  }
  if (!found->is_string()) {
    refuse(key, "expected a string, got " + shown(*found));
    return fallback.value_or("");
  }
  return found->get<std::string>();
}

void ConfigObject::refuse(const std::string &key, const std::string &problem,
                          ExitCode code) {
  if (!firstProblem)
    firstProblem = Problem{
        code, fmt::format("{}: {}: {}", source, pointerTo(key), problem)};
}

llvm::Error ConfigObject::takeError() {
  if (!firstProblem)
    return llvm::Error::success();
  return makeError(firstProblem->code, firstProblem->message);
}

void ConfigObject::adopt(const ConfigObject &inner) {
  if (!firstProblem)
    firstProblem = inner.firstProblem;
}

} // namespace shardsmith::huggingface

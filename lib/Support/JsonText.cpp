// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/Json.h"

#include <nlohmann/json.hpp>

#include <set>
#include <vector>

namespace shardsmith {
namespace {

/// Our own files stay below 16.
constexpr int deepest = 64;

/// Watches a text while it is parsed.
template <typename Json> class Watch {
public:
  /// False: do not keep what was just read.
  bool operator()(int depth, Json::parse_event_t event, const Json &parsed) {
    using Event = Json::parse_event_t;
    if (depth > deepest)
      note("nested deeper than " + std::to_string(deepest) + " levels");
    if (!problem.empty())
      return false;
    if (event == Event::object_start)
      openKeys.emplace_back();
    if (event == Event::object_end)
      openKeys.pop_back();
    if (event == Event::key) {
      auto key = parsed.template get<std::string>();
      if (!openKeys.back().insert(key).second)
        note("key \"" + key + "\" is given twice in one object");
    }
    return problem.empty();
  }

  const std::string &firstProblem() const { return problem; }

private:
  void note(const std::string &message) {
    if (problem.empty())
      problem = message;
  }

  /// Of the objects that are open.
  std::vector<std::set<std::string>> openKeys;
  std::string problem;
};

/// The library's messages name line and column behind a prefix in brackets
/// that numbers the kind of error.
std::string withoutPrefix(const std::string &message) {
  size_t prefix = message.find("] ");
  return prefix == std::string::npos ? message : message.substr(prefix + 2);
}

template <typename Json>
std::optional<Json> parse(std::string_view text, std::string &error) {
  Watch<Json> watch;
  try {
    Json json = Json::parse(text, std::ref(watch));
    error = watch.firstProblem();
    if (error.empty())
      return json;
  } catch (const typename Json::exception &problem) {
    error = watch.firstProblem();
    if (error.empty())
      error = "not valid JSON: " + withoutPrefix(problem.what());
  }
  return std::nullopt;
}

template <typename Json>
std::string textOf(const Json &value, int indentation) {
  return value.dump(indentation, ' ', /*ensure_ascii=*/false,
                    Json::error_handler_t::replace);
}

} // namespace

std::string jsonText(const nlohmann::json &value, int indentation) {
  return textOf(value, indentation);
}

std::string jsonText(const nlohmann::ordered_json &value, int indentation) {
  return textOf(value, indentation);
}

std::optional<nlohmann::json> parseJson(std::string_view text,
                                        std::string &error) {
  return parse<nlohmann::json>(text, error);
}

std::optional<nlohmann::ordered_json> parseOrderedJson(std::string_view text,
                                                       std::string &error) {
  return parse<nlohmann::ordered_json>(text, error);
}

} // namespace shardsmith

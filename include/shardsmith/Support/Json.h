// SPDX-License-Identifier: Apache-2.0
//
// What is asked of every JSON text before anyone looks at what it says.

#ifndef SHARDSMITH_SUPPORT_JSON_H
#define SHARDSMITH_SUPPORT_JSON_H

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace shardsmith {

/// Parses a whole text. Broken syntax, a key given twice in one object and
/// absurd depth are refused: then there is no result, and `error` says what is
/// wrong, with line and column where there are any.
std::optional<nlohmann::json> parseJson(std::string_view text,
                                        std::string &error);
/// The same; keys stay in the order of the text.
std::optional<nlohmann::ordered_json> parseOrderedJson(std::string_view text,
                                                       std::string &error);

/// The text of a value, in lines with this indentation, −1: in one line. JSON
/// is UTF-8, paths and names from files may be any bytes: those that are no
/// UTF-8 become the replacement character, so that writing never fails.
std::string jsonText(const nlohmann::json &value, int indentation = -1);
std::string jsonText(const nlohmann::ordered_json &value, int indentation = -1);

/// What a JSON Schema finds wrong.
struct SchemaFinding {
  /// JSON pointer; empty for the whole.
  std::string pointer;
  std::string message;
};

/// Nothing if `value` follows `schema`, the text of a JSON Schema; else the
/// deepest finding, which is the one that helps.
std::optional<SchemaFinding> checkSchema(const nlohmann::json &value,
                                         std::string_view schema);

} // namespace shardsmith

#endif // SHARDSMITH_SUPPORT_JSON_H

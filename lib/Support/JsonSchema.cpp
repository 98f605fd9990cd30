// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/Json.h"

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

namespace shardsmith {
namespace {

using valijson::adapters::NlohmannJsonAdapter;

/// From the validator's path: `<root>`, `[name]`, `[3]`.
std::string pointerOf(const std::vector<std::string> &path) {
  std::string pointer;
  for (const std::string &part : path) {
    if (part == "<root>")
      continue;
    bool isBracketed = part.size() > 2 && part.front() == '[';
    pointer += "/" + (isBracketed ? part.substr(1, part.size() - 2) : part);
  }
  return pointer;
}

} // namespace

std::optional<SchemaFinding> checkSchema(const nlohmann::json &value,
                                         std::string_view schemaText) {
  nlohmann::json schemaJson = nlohmann::json::parse(schemaText);
  valijson::Schema schema;
  valijson::SchemaParser().populateSchema(NlohmannJsonAdapter(schemaJson),
                                          schema);
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(schema, NlohmannJsonAdapter(value), &results))
    return std::nullopt;
  SchemaFinding finding{"", "does not follow the schema"};
  size_t depth = 0;
  valijson::ValidationResults::Error error;
  while (results.popError(error)) {
    if (error.context.size() < depth)
      continue;
    depth = error.context.size();
    finding = {pointerOf(error.context), error.description};
  }
  return finding;
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0
//
// The schema of profile files, from the table that their reader goes by.

#include "Schemas.h"

#include "shardsmith/Cluster/JsonObject.h"
#include "shardsmith/Cost/Profiles/ProfileFields.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace shardsmith {
namespace {

using Json = nlohmann::ordered_json;

Json schemaOf(const cluster::NumberRule &rule) {
  Json json = {{"type", "number"}};
  if (std::isfinite(rule.low))
    json[rule.excludesLow ? "exclusiveMinimum" : "minimum"] = rule.low;
  if (std::isfinite(rule.high))
    json[rule.excludesHigh ? "exclusiveMaximum" : "maximum"] = rule.high;
  return json;
}

Json &sectionOf(Json &properties, const char *name) {
  Json &section = properties[name];
  if (section.is_null())
    section = {{"type", "object"},
               {"patternProperties", {{"^x_", Json::object()}}},
               {"additionalProperties", false},
               {"properties", Json::object()}};
  return section["properties"];
}

} // namespace

std::string profileSchema() {
  Json properties = {
      {"$schema", {{"type", "string"}}},
      {"version", {{"const", 1}}},
      {"name", {{"type", "string"}}},
      {"description", {{"type", "string"}}},
      {"provenance",
       {{"enum",
         {"datasheet", "calibrated", "measured", "estimated", "given"}}}},
      {"uncertainty",
       {{"description", "half width of the interval around step times"},
        {"type", "number"},
        {"minimum", 0}}}};
  StackProfile defaults;
  for (const ProfileNumber &number : profileNumbers()) {
    Json entry = schemaOf(*number.rule);
    entry["default"] = defaults.*number.value;
    sectionOf(properties, number.section)[number.key] = entry;
  }
  for (const ProfileFlag &flag : profileFlags())
    sectionOf(properties, flag.section)[flag.key] = {
        {"type", "boolean"}, {"default", defaults.*flag.value}};
  Json schema = {
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", "Shardsmith stack profile"},
      {"description",
       "The constants that belong to a software stack; docs/cost-model.md "
       "gives the formula that each stands in."},
      {"type", "object"},
      {"required", {"version", "name"}},
      {"patternProperties", {{"^x_", Json::object()}}},
      {"additionalProperties", false},
      {"properties", properties}};
  return schema.dump(2) + "\n";
}

} // namespace shardsmith

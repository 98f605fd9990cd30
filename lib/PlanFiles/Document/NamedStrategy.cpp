// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/PlanFiles/NamedStrategy.h"

#include "PlanJson.h"

#include "shardsmith/Support/Json.h"

#include <fmt/format.h>

namespace shardsmith {

using planjson::Json;
using planjson::Malformed;

namespace {

/// The schemas of plan.json for its `strategy` and, inside of it, for the
/// layouts of blocks; both refer to others beside them.
std::string strategySchema() {
  nlohmann::json document = nlohmann::json::parse(planSchema());
  nlohmann::json schema = document.at("definitions").at("strategy");
  schema["properties"]["layouts"] =
      document.at("properties").at("layouts").at("properties").at("blocks");
  schema["definitions"] = document.at("definitions");
  return schema.dump();
}

} // namespace

Json strategyToJson(const workload::Workload &workload,
                    const Strategy &strategy) {
  Json json = planjson::write(strategy);
  json["layouts"] = Json::array();
  for (const NamedLayout &layout : nameLayouts(workload, strategy))
    json["layouts"].push_back(planjson::write(layout));
  return json;
}

std::optional<Strategy> strategyFromJson(const workload::Workload &workload,
                                         const Json &json, std::string &error) {
  try {
    if (std::optional<SchemaFinding> finding =
            checkSchema(nlohmann::json(json), strategySchema()))
      throw Malformed(finding->pointer, finding->message);
    PlanDocument document;
    document.strategy = planjson::readStrategy(json, "");
    if (json.contains("layouts"))
      for (const Json &layout : json.at("layouts"))
        document.layouts.push_back(planjson::readLayout(
            layout, fmt::format("/layouts/{}", document.layouts.size())));
    std::string problem = bindLayouts(workload, document);
    if (problem.empty())
      return std::move(document.strategy);
    error = "strategy: " + problem;
  } catch (const Malformed &malformed) {
    error = fmt::format("strategy{}: {}", malformed.where, malformed.what());
  }
  return std::nullopt;
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "PlanJson.h"

#include <fmt/format.h>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace shardsmith {

using planjson::Json;
using planjson::Malformed;
using planjson::readCount;

int64_t planjson::readCount(const Json &json) {
  if (json.is_number_unsigned() && json.get<uint64_t>() > uint64_t(INT64_MAX))
    return INT64_MAX;
  if (json.is_number_float()) {
    double value = json.get<double>();
    return value >= 9.2e18 ? INT64_MAX : int64_t(value);
  }
  return json.get<int64_t>();
}

namespace {

/// Brackets may be nested this deep; plans stay below 10.
constexpr int maximalDepth = 64;

/// Throws Malformed with the deepest finding, which is the one that helps.
void checkSchema(const nlohmann::json &json) {
  nlohmann::json schemaJson = nlohmann::json::parse(planDocumentSchema());
  valijson::Schema schema;
  valijson::SchemaParser parser;
  valijson::adapters::NlohmannJsonAdapter schemaAdapter(schemaJson);
  parser.populateSchema(schemaAdapter, schema);
  valijson::Validator validator;
  valijson::ValidationResults results;
  valijson::adapters::NlohmannJsonAdapter target(json);
  if (validator.validate(schema, target, &results))
    return;
  std::string pointer, message = "does not follow the schema";
  size_t deepest = 0;
  valijson::ValidationResults::Error error;
  while (results.popError(error)) {
    if (error.context.size() < deepest)
      continue;
    deepest = error.context.size();
    message = error.description;
    pointer.clear();
    for (std::string part : error.context) {
      if (part == "<root>")
        continue;
      // "[name]" becomes "/name".
      if (part.size() > 2 && part.front() == '[')
        part = part.substr(1, part.size() - 2);
      pointer += "/" + part;
    }
  }
  throw Malformed(pointer, message);
}

Json parse(std::string_view text) {
  bool tooDeep = false;
  auto watch = [&](int depth, Json::parse_event_t, Json &) {
    tooDeep = tooDeep || depth > maximalDepth;
    return !tooDeep;
  };
  try {
    Json json = Json::parse(text, watch);
    if (tooDeep)
      throw Malformed(
          "", fmt::format("nested deeper than {} levels", maximalDepth));
    return json;
  } catch (const Json::exception &error) {
    std::string message = error.what();
    size_t prefix = message.find("] ");
    throw Malformed("",
                    "not valid JSON: " + (prefix == std::string::npos
                                              ? message
                                              : message.substr(prefix + 2)));
  }
}

PlanInput readInput(const Json &json) {
  return {json.at("name"), json.at("hash")};
}

PlannedModel readModel(const Json &json) {
  PlannedModel model;
  model.identity = readInput(json);
  model.parameters = readCount(json.at("parameters"));
  model.globalBatch = readCount(json.at("global_batch"));
  model.sequenceLength = readCount(json.at("sequence_length"));
  model.forwardFlops = Flops(readCount(json.at("forward_flops_per_sequence")));
  std::string type = json.at("dtype");
  std::optional<workload::ElementType> known = workload::elementTypeNamed(type);
  if (!known)
    throw Malformed("/model/dtype", "unknown type \"" + type + "\"");
  model.computeType = *known;
  return model;
}

PlanSearchRecord readSearch(const Json &json) {
  PlanSearchRecord search;
  search.objective = json.at("objective");
  search.cost = readCount(json.at("cost"));
  search.bound = readCount(json.at("bound"));
  for (PlanProof proof :
       {PlanProof::Exact, PlanProof::Bounded, PlanProof::None})
    if (nameOf(proof) == json.at("proof").get_ref<const std::string &>())
      search.proof = proof;
  for (const auto &[name, count] : json.at("counts").items())
    search.counts.push_back({name, readCount(count)});
  search.stopped = json.at("stopped");
  return search;
}

std::optional<double> readDollars(const Json &json) {
  if (!json.contains("dollars_per_step"))
    return std::nullopt;
  return json.at("dollars_per_step").get<double>();
}

PlanDocument readDocument(const Json &json) {
  PlanDocument document;
  document.toolVersion = json.at("tool_version");
  document.model = readModel(json.at("model"));
  document.cluster = readInput(json.at("cluster"));
  document.clusterDevices = readCount(json.at("cluster").at("devices"));
  document.profile = readInput(json.at("profile"));
  for (const Json &option : json.at("options"))
    document.options.push_back(
        {option.at("name"), option.at("value"), option.at("from") == "user"});
  document.strategy = planjson::readStrategy(json.at("strategy"), "/strategy");
  if (json.at("strategy").contains("layouts"))
    for (const Json &layout : json.at("strategy").at("layouts"))
      document.layouts.push_back(planjson::readLayout(layout));
  document.estimate = planjson::readEstimate(json.at("estimate"), "/estimate");
  document.dollars = readDollars(json);
  document.search = readSearch(json.at("search"));
  size_t index = 0;
  for (const Json &other : json.at("alternatives")) {
    std::string where = fmt::format("/alternatives/{}", index++);
    document.alternatives.push_back(
        {planjson::readStrategy(other.at("strategy"), where + "/strategy"),
         planjson::readEstimate(other.at("estimate"), where + "/estimate"),
         readDollars(other), other.at("reason")});
  }
  if (json.contains("program"))
    document.program = json.at("program").dump();
  return document;
}

} // namespace

std::optional<PlanDocument> planDocumentFromJson(std::string_view text,
                                                 std::string &error) {
  try {
    Json json = parse(text);
    if (json.is_object() && json.contains("format") &&
        json["format"] != "shardsmith-plan/2")
      throw Malformed("/format", fmt::format("unknown format {}, expected "
                                             "\"shardsmith-plan/2\"",
                                             json["format"].dump()));
    checkSchema(nlohmann::json(json));
    return readDocument(json);
  } catch (const Malformed &malformed) {
    error = fmt::format("plan{}: {}", malformed.where, malformed.what());
    return std::nullopt;
  }
}

std::optional<PlanDocument> readPlanDocument(const std::string &path,
                                             std::string &error) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::string file = fs::is_directory(path, ignored)
                         ? (fs::path(path) / "plan.json").string()
                         : path;
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  if (!stream) {
    error = "cannot read \"" + file + "\"";
    return std::nullopt;
  }
  std::optional<PlanDocument> document =
      planDocumentFromJson(text.str(), error);
  if (!document)
    error = file + ": " + error;
  return document;
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "PlanJson.h"

#include "shardsmith/Support/Json.h"
#include "shardsmith/Support/ReadFile.h"
#include "shardsmith/Support/StagedFolder.h"

#include <fmt/format.h>

#include <filesystem>

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

Checkpoints readCheckpoints(const Json &json) {
  Checkpoints checkpoints;
  checkpoints.size = Bytes(readCount(json.at("bytes")));
  checkpoints.untilFailure =
      Nanoseconds(readCount(json.at("until_failure_ns")));
  if (json.contains("times")) {
    const Json &times = json.at("times");
    checkpoints.times = {Nanoseconds(readCount(times.at("writing_ns"))),
                         Nanoseconds(readCount(times.at("interval_ns"))),
                         times.at("lost").get<double>()};
  }
  return checkpoints;
}

PlanDocument readDocument(const Json &json) {
  PlanDocument document;
  document.toolVersion = json.at("tool_version");
  document.model = readModel(json.at("model"));
  document.cluster = readInput(json.at("cluster"));
  for (const Json &pool : json.at("cluster").at("pools"))
    document.pools.push_back({pool.at("type"), readCount(pool.at("devices"))});
  document.profile = readInput(json.at("profile"));
  for (const Json &option : json.at("options"))
    document.options.push_back(
        {option.at("name"), option.at("value"), option.at("from") == "user"});
  document.strategy = planjson::readStrategy(json.at("strategy"), "/strategy");
  if (json.at("strategy").contains("layouts"))
    for (const Json &layout : json.at("strategy").at("layouts"))
      document.layouts.push_back(
          planjson::readLayout(layout, fmt::format("/strategy/layouts/{}",
                                                   document.layouts.size())));
  document.estimate = planjson::readEstimate(json.at("estimate"), "/estimate");
  document.dollars = readDollars(json);
  if (json.contains("checkpoints"))
    document.checkpoints = readCheckpoints(json.at("checkpoints"));
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
    document.program = jsonText(json.at("program"));
  return document;
}

} // namespace

std::optional<PlanDocument> planDocumentFromJson(std::string_view text,
                                                 std::string &error) {
  std::optional<Json> parsed = parseOrderedJson(text, error);
  if (parsed)
    return planDocumentFromParsed(*parsed, error);
  error = "plan: " + error;
  return std::nullopt;
}

std::optional<PlanDocument> planDocumentFromParsed(const Json &json,
                                                   std::string &error) {
  try {
    if (json.is_object() && json.contains("format") &&
        json["format"] != "shardsmith-plan/2")
      throw Malformed("/format", fmt::format("unknown format {}, expected "
                                             "\"shardsmith-plan/2\"",
                                             jsonText(json["format"])));
    if (std::optional<SchemaFinding> finding =
            checkSchema(nlohmann::json(json), planDocumentSchema()))
      throw Malformed(finding->pointer, finding->message);
    return readDocument(json);
  } catch (const Malformed &malformed) {
    error = fmt::format("plan{}: {}", malformed.where, malformed.what());
    return std::nullopt;
  }
}

std::string planFileAt(const std::string &path) {
  std::filesystem::path place(path);
  std::error_code ignored;
  if (std::filesystem::is_directory(place, ignored)) {
    finishStaged(path);
    place /= "plan.json";
  }
  return place.string();
}

std::optional<PlanDocument> readPlanDocument(const std::string &path,
                                             std::string &error) {
  std::string file = planFileAt(path);
  std::optional<std::string> text = readFile(file, error);
  if (!text)
    return std::nullopt;
  std::optional<PlanDocument> document = planDocumentFromJson(*text, error);
  if (!document)
    error = file + ": " + error;
  return document;
}

} // namespace shardsmith

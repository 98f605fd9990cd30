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

/// A member that a plan has because of another part, which the schema cannot
/// say.
void requirePart(const Json &json, const std::string &where, const char *key,
                 const char *because) {
  if (!json.contains(key))
    throw Malformed(
        where, fmt::format("misses \"{}\", which a plan {} has", key, because));
}

void refusePart(const Json &json, const std::string &where, const char *key,
                const char *because) {
  if (json.contains(key))
    throw Malformed(where + "/" + key,
                    fmt::format("is no part of a plan {}", because));
}

constexpr const char *kWithStrategy = "with a strategy";
constexpr const char *kWithoutStrategy = "without a strategy";

PlannedModel readModel(const Json &json) {
  PlannedModel model;
  model.identity = readInput(json);
  for (const char *key : {"parameters", "global_batch", "sequence_length",
                          "forward_flops_per_sequence", "dtype"})
    requirePart(json, "/model", key, kWithStrategy);
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

/// What is there because of the strategy.
void readStrategyParts(const Json &json, PlanDocument &document) {
  document.model = readModel(json.at("model"));
  document.strategy = planjson::readStrategy(json.at("strategy"), "/strategy");
  requirePart(json.at("layouts"), "/layouts", "blocks", kWithStrategy);
  for (const Json &layout : json.at("layouts").at("blocks"))
    document.layouts.push_back(planjson::readLayout(
        layout, fmt::format("/layouts/blocks/{}", document.layouts.size())));
  const Json &prediction = json.at("prediction");
  for (const char *key :
       {"uncertainty", "provenance", "time_ns", "fullest_rank", "ranks"})
    requirePart(prediction, "/prediction", key, kWithStrategy);
  document.estimate = planjson::readEstimate(prediction, "/prediction");
  document.dollars = readDollars(prediction);
  if (json.contains("checkpoints"))
    document.checkpoints = readCheckpoints(json.at("checkpoints"));
  size_t index = 0;
  for (const Json &other : json.at("alternatives")) {
    std::string where = fmt::format("/alternatives/{}", index++);
    const Json &predicted = other.at("prediction");
    document.alternatives.push_back(
        {planjson::readStrategy(other.at("strategy"), where + "/strategy"),
         planjson::readEstimate(predicted, where + "/prediction"),
         readDollars(predicted), other.at("reason")});
  }
}

/// Nothing else is there where there is no strategy.
void refuseStrategyParts(const Json &json) {
  for (const char *key : {"parameters", "global_batch", "sequence_length",
                          "forward_flops_per_sequence", "dtype"})
    refusePart(json.at("model"), "/model", key, kWithoutStrategy);
  refusePart(json.at("layouts"), "/layouts", "blocks", kWithoutStrategy);
  for (const char *key : {"uncertainty", "provenance", "time_ns",
                          "fullest_rank", "ranks", "dollars_per_step"})
    refusePart(json.at("prediction"), "/prediction", key, kWithoutStrategy);
  refusePart(json, "", "checkpoints", kWithoutStrategy);
}

/// The three parts that speak of a train step; all of them or none.
std::optional<StepPlan> readProgram(const Json &json,
                                    const PlanDocument &document) {
  const std::tuple<const char *, const char *> parts[] = {
      {"layouts", "train_step"},
      {"prediction", "train_step"},
      {"search", "layouts"}};
  bool isThere = !document.hasStrategy();
  for (const auto &[part, key] : parts)
    isThere |= json.at(part).contains(key);
  if (!isThere)
    return std::nullopt;
  for (const auto &[part, key] : parts)
    requirePart(json.at(part), fmt::format("/{}", part), key,
                document.hasStrategy() ? "for a train step" : kWithoutStrategy);
  StepPlan plan;
  plan.toolVersion = document.toolVersion;
  plan.model = document.model.identity;
  plan.cluster = document.cluster;
  plan.profile = document.profile;
  planjson::readLayouts(json.at("layouts").at("train_step"),
                        "/layouts/train_step", plan);
  plan.predicted =
      planjson::readStepPrediction(json.at("prediction").at("train_step"));
  plan.search = planjson::readLayoutSearch(json.at("search").at("layouts"));
  plan.predicted.step = document.hasStrategy() ? document.estimate.step()
                                               : Nanoseconds(plan.search.cost);
  if (const Json &step = json.at("prediction").at("train_step");
      step.contains("scheduled_ns")) {
    if (plan.schedule.empty())
      throw Malformed("/prediction/train_step/scheduled_ns",
                      "expected only beside layouts/train_step/schedule");
    plan.predicted.step = Nanoseconds(readCount(step.at("scheduled_ns")));
  }
  return plan;
}

PlanDocument readDocument(const Json &json) {
  PlanDocument document;
  document.toolVersion = json.at("tool_version");
  document.model.identity = readInput(json.at("model"));
  document.cluster = readInput(json.at("cluster"));
  for (const Json &pool : json.at("cluster").at("pools"))
    document.pools.push_back({pool.at("type"), readCount(pool.at("devices"))});
  document.profile = readInput(json.at("profile"));
  for (const Json &option : json.at("options"))
    document.options.push_back(
        {option.at("name"), option.at("value"), option.at("from") == "user"});
  document.search = readSearch(json.at("search"));
  if (json.contains("strategy"))
    readStrategyParts(json, document);
  else
    refuseStrategyParts(json);
  document.program = readProgram(json, document);
  if (int64_t step = readCount(json.at("prediction").at("step_ns"));
      step != document.step().count())
    throw Malformed("/prediction/step_ns",
                    fmt::format("{} is not what train_step takes, which is {}",
                                step, document.step().count()));
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
        json["format"] != kPlanFormat)
      throw Malformed(
          "/format", fmt::format("unknown format {}, expected \"{}\"; make the "
                                 "plan again with 'shardsmith plan MODEL "
                                 "--cluster CLUSTER -o DIR'",
                                 jsonText(json["format"]), kPlanFormat));
    if (std::optional<SchemaFinding> finding =
            checkSchema(nlohmann::json(json), planSchema()))
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

std::optional<StepPlan> readStepPlan(const std::string &path,
                                     std::string &error) {
  std::optional<PlanDocument> document = readPlanDocument(path, error);
  if (!document)
    return std::nullopt;
  if (!document->program)
    error = fmt::format("{}: {}", planFileAt(path), kNoProgram);
  return std::move(document->program);
}

} // namespace shardsmith

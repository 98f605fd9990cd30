// SPDX-License-Identifier: Apache-2.0

#include "ProgramClaims.h"

#include "../Axes.h"
#include "../Rounding.h"
#include "shardsmith/Support/Hash.h"
#include "shardsmith/Support/Json.h"

namespace shardsmith::check {
namespace {

constexpr int64_t mostOps = int64_t(1) << 24;

std::vector<std::string> stringsOf(const JsonView &json) {
  std::vector<std::string> strings;
  for (const JsonView &item : json.items())
    strings.push_back(item.string());
  return strings;
}

std::vector<ClaimedAxis> axesOf(const JsonView &json) {
  std::vector<ClaimedAxis> axes;
  for (const JsonView &item : json.items())
    axes.push_back({item["name"].string(), item["size"].integer()});
  return axes;
}

ClaimedTensor readTensor(const JsonView &json) {
  ClaimedTensor tensor{json["name"].string(),
                       json["role"].string(),
                       json["dtype"].string(),
                       {},
                       {}};
  for (const JsonView &size : json["shape"].items())
    tensor.shape.push_back(size.integer());
  for (const JsonView &dim : json["axes"].items())
    tensor.axes.push_back(stringsOf(dim));
  return tensor;
}

ClaimedPrediction readPrediction(const JsonView &json) {
  ClaimedPrediction prediction;
  prediction.source = json["source"].string();
  prediction.step = json["step_ns"].integer();
  prediction.compute = json["compute_ns"].integer();
  prediction.communication = json["communication_ns"].integer();
  prediction.bytes = json["communication_bytes_per_rank"].integer();
  if (json.has("scheduled_ns"))
    prediction.scheduled = json["scheduled_ns"].integer();
  for (const JsonView &item : json["collectives"].items())
    prediction.traffic.push_back(
        {item["collective"].string(), stringsOf(item["axes"]),
         item["calls"].integer(), Bytes(item["bytes_per_rank"].integer())});
  for (const auto &[name, bytes] : json["memory_bytes_per_rank"].members())
    prediction.memory[name] = bytes.integer();
  return prediction;
}

void readSearch(const JsonView &json, ProgramClaims &claims) {
  claims.cost = json["cost_ns"].integer();
  claims.bound = json["lower_bound_ns"].integer();
  claims.gap = json["gap"].number();
  claims.proof = json["proof"].string();
  claims.ops = json["ops"].integer();
  for (const JsonView &item : json["meshes"].items()) {
    ClaimedMesh &mesh = claims.meshes.emplace_back();
    mesh.axes = axesOf(item["axes"]);
    mesh.proof = item["proof"].string();
    if (item.has("cost_ns"))
      mesh.cost = item["cost_ns"].integer();
    if (item.has("lower_bound_ns"))
      mesh.bound = item["lower_bound_ns"].integer();
  }
}

void readDecisions(const JsonView &json, ProgramClaims &claims) {
  for (const JsonView &item : json["choices"].items()) {
    ClaimedChoice &choice = claims.choices.emplace_back();
    choice.factorAxes = item["factor_axes"].string();
    if (item.has("results"))
      choice.results = stringsOf(item["results"]);
  }
  for (const JsonView &run : json["ops"].items()) {
    std::vector<JsonView> parts = run.items();
    run.require(parts.size() == 2, "[position in choices, number of ops]");
    int64_t choice = parts[0].integer(), count = parts[1].integer();
    parts[0].require(choice >= 0 &&
                         choice < static_cast<int64_t>(claims.choices.size()),
                     "a position in choices");
    parts[1].require(
        count >= 1 && count <= mostOps &&
            static_cast<int64_t>(claims.opChoices.size()) + count <= mostOps,
        "a number of ops");
    claims.opChoices.insert(claims.opChoices.end(), static_cast<size_t>(count),
                            choice);
  }
}

void readIdentity(const JsonView &json,
                  std::map<std::string, std::string> &identity) {
  for (const char *thing : {"model", "cluster", "profile"})
    if (json.has(thing))
      for (const char *key : {"name", "hash"})
        identity[fmt::format("{}/{}", thing, key)] = json[thing][key].string();
}

ProgramClaims::Around readAround(const JsonView &json) {
  ProgramClaims::Around around;
  around.toolVersion = json["tool_version"].string();
  readIdentity(json, around.identity);
  for (const JsonView &option : json["options"].items())
    around.options[option["name"].string()] = option["value"].string();
  around.step = json["estimate"]["step_ns"].integer();
  JsonView degrees = json["strategy"]["degrees"];
  around.tensorRanks = degrees["tensor"].integer();
  around.otherRanks = 1;
  for (const AxisRow &row : axisRows())
    if (row.axis && row.degree != Degree::Tensor)
      around.otherRanks =
          multiplied(around.otherRanks, degrees[row.key].integer());
  around.pipeline = degrees["pipeline"].integer();
  around.virtualStages = degrees["virtual_stages"].integer();
  around.stages = int64_t(json["strategy"]["stages"].items().size());
  around.family = json["strategy"]["schedule"].string();
  // Shares are rounded up to whole micro-batches.
  int64_t share = ceilDivide(json["model"]["global_batch"].integer(),
                             std::max<int64_t>(degrees["data"].integer(), 1));
  around.microBatches = ceilDivide(
      share, std::max<int64_t>(json["strategy"]["micro_batch"].integer(), 1));
  return around;
}

/// Sixteen hexadecimal digits over model, cluster, mesh and decisions, as the
/// text of the file has them.
std::string hashOf(const nlohmann::ordered_json &program) {
  nlohmann::ordered_json json;
  for (const char *key : {"model", "cluster", "mesh", "train_step_hash",
                          "micro_batches", "schedule", "decisions", "tensors"})
    if (program.contains(key))
      json[key] = program.at(key);
  return toDigits(hashText(json.dump()));
}

} // namespace

ProgramClaims readProgramClaims(std::string_view planJson) {
  std::string error;
  std::optional<nlohmann::json> file = parseJson(planJson, error);
  auto ordered = parseOrderedJson(planJson, error);
  if (!file || !ordered)
    throw Malformed{"plan: " + error};
  bool isInside = file->is_object() && file->contains("program");
  JsonView whole(*file, "");
  JsonView json = isInside ? whole["program"] : whole;
  json["format"].require(json["format"].string() == "shardsmith-plan/1",
                         "\"shardsmith-plan/1\"");
  ProgramClaims claims;
  claims.pointer = json.pointer();
  claims.toolVersion = json["tool_version"].string();
  readIdentity(json, claims.identity);
  claims.stepHash = json["train_step_hash"].string();
  claims.fix = axesOf(json["options"]["fix"]);
  claims.memoryMargin = json["options"]["memory_margin"].number();
  claims.timeLimit = json["options"]["time_limit_s"].number();
  claims.mesh = axesOf(json["mesh"]);
  if (json.has("micro_batches"))
    claims.microBatches = json["micro_batches"].integer();
  if (json.has("schedule"))
    claims.schedule = json["schedule"].string();
  for (const JsonView &tensor : json["tensors"].items())
    claims.tensors.push_back(readTensor(tensor));
  claims.predicted = readPrediction(json["predicted"]);
  claims.estimated = readPrediction(json["estimated"]);
  readSearch(json["search"], claims);
  readDecisions(json["decisions"], claims);
  claims.hash = hashOf(isInside ? ordered->at("program") : *ordered);
  if (isInside)
    claims.around = readAround(whole);
  return claims;
}

} // namespace shardsmith::check

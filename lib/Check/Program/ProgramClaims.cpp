// SPDX-License-Identifier: Apache-2.0

#include "ProgramClaims.h"

#include "../Axes.h"
#include "../Rounding.h"
#include "shardsmith/Support/Hash.h"
#include "shardsmith/Support/Json.h"

namespace shardsmith::check {
namespace {

constexpr int64_t mostOps = int64_t(1) << 24;
constexpr int64_t mostRanks = int64_t(1) << 20;

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

std::vector<ProgramCounts::Traffic> readTraffic(const JsonView &json) {
  std::vector<ProgramCounts::Traffic> traffic;
  for (const JsonView &item : json.items()) {
    traffic.push_back({item["collective"].string(),
                       stringsOf(item["axes"]),
                       item["calls"].integer(),
                       Bytes(item["bytes_per_rank"].integer()),
                       {}});
    if (item.has("bytes_of_ranks"))
      for (const JsonView &bytes : item["bytes_of_ranks"].items())
        traffic.back().ofRanks.push_back(Bytes(bytes.integer()));
  }
  return traffic;
}

ClaimedPrediction readPrediction(const JsonView &json) {
  ClaimedPrediction prediction;
  prediction.source = json["source"].string();
  prediction.bytes = json["communication_bytes_per_rank"].integer();
  if (json.has("scheduled_ns"))
    prediction.scheduled = json["scheduled_ns"].integer();
  prediction.traffic = readTraffic(json["collectives"]);
  for (const auto &[name, bytes] : json["memory_bytes_per_rank"].members())
    prediction.memory[name] = bytes.integer();
  if (json.has("pipeline_ranks"))
    for (const JsonView &rank : json["pipeline_ranks"].items())
      prediction.pipelineRanks.push_back(
          {readTraffic(rank["collectives"]),
           Bytes(rank["peak_bytes_per_rank"].integer())});
  return prediction;
}

void readSearch(const JsonView &json, ProgramClaims &claims) {
  claims.cost = json["cost_ns"].integer();
  claims.compute = json["compute_ns"].integer();
  claims.communication = json["communication_ns"].integer();
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

void readChoices(const JsonView &json, ProgramClaims &claims) {
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

/// What data ranks have of the batch's micro-batches: what the strategy says of
/// kinds of devices, else all the same, rounded up. What that is too much is
/// taken from those with most, from the last rank on.
void readShares(const JsonView &json, ProgramClaims::OfStrategy &strategy) {
  int64_t size =
      std::max<int64_t>(json["strategy"]["micro_batch"].integer(), 1);
  int64_t batch = json["model"]["global_batch"].integer();
  int64_t ranks =
      std::max<int64_t>(json["strategy"]["degrees"]["data"].integer(), 1);
  json["strategy"]["degrees"]["data"].require(ranks <= mostRanks,
                                              "a number of data ranks");
  std::vector<int64_t> shares;
  if (json["strategy"].has("data_shares"))
    for (const JsonView &share : json["strategy"]["data_shares"].items()) {
      int64_t count = share["ranks"].integer();
      share["ranks"].require(count >= 0 &&
                                 count + int64_t(shares.size()) <= mostRanks,
                             "a number of data ranks");
      shares.insert(shares.end(), size_t(count),
                    share["micro_batches"].integer());
    }
  if (shares.empty())
    shares.assign(size_t(ranks), ceilDivide(ceilDivide(batch, size), ranks));
  int64_t surplus = -(batch / size);
  for (int64_t share : shares)
    surplus = added(surplus, share);
  strategy.microBatches = *std::max_element(shares.begin(), shares.end());
  // As long as there are some, one level is taken down at a time.
  for (int64_t level = strategy.microBatches; surplus > 0 && level > 1; --level)
    for (size_t rank = shares.size(); rank-- > 0 && surplus > 0;)
      if (shares[rank] == level) {
        --shares[rank];
        --surplus;
      }
  strategy.microBatches = *std::max_element(shares.begin(), shares.end());
  if (strategy.microBatches != *std::min_element(shares.begin(), shares.end()))
    strategy.shares = std::move(shares);
}

ProgramClaims::OfStrategy readStrategy(const JsonView &json) {
  ProgramClaims::OfStrategy strategy;
  JsonView degrees = json["strategy"]["degrees"];
  for (const AxisRow &row : axisRows())
    if (row.axis && row.degree != Degree::Tensor)
      strategy.otherRanks =
          multiplied(strategy.otherRanks, degrees[row.key].integer());
  strategy.tensorRanks = degrees["tensor"].integer();
  strategy.pipeline = degrees["pipeline"].integer();
  strategy.virtualStages = degrees["virtual_stages"].integer();
  strategy.stages = int64_t(json["strategy"]["stages"].items().size());
  strategy.family = json["strategy"]["schedule"].string();
  readShares(json, strategy);
  return strategy;
}

ProgramClaims::OnlySearch readOnlySearch(const JsonView &json) {
  ProgramClaims::OnlySearch search;
  search.objective = json["search"]["objective"].string();
  search.proof = json["search"]["proof"].string();
  search.cost = json["search"]["cost"].integer();
  search.bound = json["search"]["bound"].integer();
  search.gap = json["search"]["gap"].number();
  for (const JsonView &option : json["options"].items())
    if (option["name"].string() == "fix")
      search.fix = option["value"].string();
  return search;
}

/// Sixteen hexadecimal digits over model, cluster and layouts, as the text of
/// the file has them.
std::string hashOf(const nlohmann::ordered_json &plan) {
  nlohmann::ordered_json json;
  for (const char *thing : {"model", "cluster"})
    json[thing] = {{"name", plan.at(thing).at("name")},
                   {"hash", plan.at(thing).at("hash")}};
  json["train_step"] = plan.at("layouts").at("train_step");
  return toDigits(hashText(json.dump()));
}

} // namespace

ProgramClaims readProgramClaims(std::string_view planJson) {
  std::string error;
  std::optional<nlohmann::json> file = parseJson(planJson, error);
  auto ordered = parseOrderedJson(planJson, error);
  if (!file || !ordered)
    throw Malformed{"plan: " + error};
  JsonView json(*file, "");
  requireFormat(json);
  ProgramClaims claims;
  claims.modelName = json["model"]["name"].string();
  claims.modelHash = json["model"]["hash"].string();
  claims.step = json["prediction"]["step_ns"].integer();
  JsonView layouts = json["layouts"]["train_step"];
  claims.stepHash = layouts["hash"].string();
  claims.mesh = axesOf(layouts["mesh"]);
  if (layouts.has("micro_batches"))
    claims.microBatches = layouts["micro_batches"].integer();
  if (layouts.has("shares"))
    for (const JsonView &share : layouts["shares"].items())
      claims.shares.push_back(share.integer());
  if (layouts.has("schedule"))
    claims.schedule = layouts["schedule"].string();
  for (const JsonView &argument : layouts["arguments"].items())
    claims.arguments.push_back(readTensor(argument));
  readChoices(layouts, claims);
  claims.predicted = readPrediction(json["prediction"]["train_step"]);
  readSearch(json["search"]["layouts"], claims);
  claims.hash = hashOf(*ordered);
  if (json.has("strategy"))
    claims.strategy = readStrategy(json);
  else
    claims.onlySearch = readOnlySearch(json);
  return claims;
}

} // namespace shardsmith::check

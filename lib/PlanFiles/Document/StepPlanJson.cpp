// SPDX-License-Identifier: Apache-2.0
//
// The parts of a plan file that speak of its train step.

#include "PlanJson.h"

#include "shardsmith/Support/Hash.h"
#include "shardsmith/Support/Json.h"

#include <fmt/format.h>

#include <set>

namespace shardsmith {

using planjson::Json;

namespace planjson {
namespace {

Json write(const std::vector<FixedAxis> &axes) {
  Json list = Json::array();
  for (const FixedAxis &axis : axes)
    list.push_back({{"name", axis.name}, {"size", axis.size}});
  return list;
}

Json write(const PlannedTensor &tensor) {
  return {{"name", tensor.name},
          {"role", tensor.role},
          {"dtype", tensor.dtype},
          {"shape", tensor.shape},
          {"axes", tensor.axes}};
}

Json write(const OpChoice &choice) {
  Json json = {{"factor_axes", choice.factorAxes}};
  if (!choice.results.empty())
    json["results"] = choice.results;
  return json;
}

/// Writes equal neighbours as [value, count], because equal layers make long
/// runs, and people read these files.
Json runLengths(const std::vector<int64_t> &values) {
  Json runs = Json::array();
  for (size_t begin = 0; begin < values.size();) {
    size_t end = begin;
    while (end < values.size() && values[end] == values[begin])
      ++end;
    runs.push_back({values[begin], end - begin});
    begin = end;
  }
  return runs;
}

/// The memory of a rank by kind, in one list for the reader and the writer.
template <typename Prediction, typename Visit>
void visitStepMemory(Prediction &prediction, Visit visit) {
  visit("parameters", prediction.parameters);
  visit("optimizer_state", prediction.optimizerState);
  visit("gradients", prediction.gradients);
  visit("activations", prediction.activations);
  visit("batch", prediction.batch);
  visit("peak", prediction.peak);
}

std::vector<FixedAxis> readAxes(const Json &json) {
  std::vector<FixedAxis> axes;
  for (const Json &axis : json)
    axes.push_back({axis.at("name"), readCount(axis.at("size"))});
  return axes;
}

/// Checks what the schema cannot say of a mesh.
void checkMesh(const std::vector<FixedAxis> &mesh, const std::string &where) {
  std::set<std::string> names;
  int64_t devices = 1;
  for (size_t index = 0; index < mesh.size(); ++index) {
    std::string axis = fmt::format("{}/{}", where, index);
    if (!names.insert(mesh[index].name).second)
      throw Malformed(axis + "/name", fmt::format("axis \"{}\" occurs twice",
                                                  mesh[index].name));
    std::optional<int64_t> product = checkedMultiply(devices, mesh[index].size);
    if (!product)
      throw Malformed(axis + "/size", "the sizes multiply to more devices than "
                                      "there are numbers");
    devices = *product;
  }
}

PlannedTensor readTensor(const Json &json, const std::string &where) {
  PlannedTensor tensor;
  tensor.name = json.at("name");
  tensor.role = json.at("role");
  tensor.dtype = json.at("dtype");
  for (const Json &size : json.at("shape"))
    tensor.shape.push_back(readCount(size));
  tensor.axes = json.at("axes").get<std::vector<std::vector<std::string>>>();
  if (tensor.axes.size() != tensor.shape.size())
    throw Malformed(where + "/axes",
                    fmt::format("axes of {} dimensions, but the shape has {}",
                                tensor.axes.size(), tensor.shape.size()));
  std::set<std::string> names;
  for (const std::vector<std::string> &dimension : tensor.axes)
    for (const std::string &name : dimension)
      if (!names.insert(name).second)
        throw Malformed(where + "/axes",
                        fmt::format("axis \"{}\" occurs twice", name));
  return tensor;
}

/// The most ops that a plan may speak of. A larger number means a damaged file.
constexpr int64_t maximalOps = int64_t(1) << 24;

void readChoices(const Json &json, const std::string &where, StepPlan &plan) {
  for (const Json &choice : json.at("choices"))
    plan.choices.push_back(
        {choice.at("factor_axes"),
         choice.value("results", std::vector<std::string>())});
  size_t index = 0;
  for (const Json &run : json.at("ops")) {
    std::string place = fmt::format("{}/ops/{}", where, index++);
    int64_t choice = readCount(run[0]), count = readCount(run[1]);
    if (choice < 0 || choice >= int64_t(plan.choices.size()))
      throw Malformed(place,
                      fmt::format("choice {} does not exist; there are {}",
                                  choice, plan.choices.size()));
    if (count < 1 || count > maximalOps - int64_t(plan.opChoices.size()))
      throw Malformed(place, fmt::format("runs must hold 1 to {} ops in total",
                                         maximalOps));
    plan.opChoices.insert(plan.opChoices.end(), size_t(count), choice);
  }
}

template <typename Quantity> Quantity read(const Json &json, const char *key) {
  return Quantity(readCount(json.at(key)));
}

} // namespace

Json layoutsOf(const StepPlan &plan) {
  Json json = {{"hash", plan.stepHash}, {"mesh", write(plan.mesh)}};
  if (plan.microBatches > 1)
    json["micro_batches"] = plan.microBatches;
  if (!plan.shares.empty())
    json["shares"] = plan.shares;
  if (!plan.schedule.empty())
    json["schedule"] = plan.schedule;
  json["arguments"] = Json::array();
  for (const PlannedTensor &tensor : plan.arguments)
    json["arguments"].push_back(write(tensor));
  json["choices"] = Json::array();
  for (const OpChoice &choice : plan.choices)
    json["choices"].push_back(write(choice));
  json["ops"] = runLengths(plan.opChoices);
  return json;
}

static Json write(const std::vector<CollectiveTotal> &collectives) {
  Json json = Json::array();
  for (const CollectiveTotal &entry : collectives) {
    json.push_back({{"collective", entry.kind},
                    {"axes", entry.axes},
                    {"calls", entry.calls},
                    {"bytes_per_rank", entry.bytes.count()}});
    for (Bytes bytes : entry.ofRanks)
      json.back()["bytes_of_ranks"].push_back(bytes.count());
  }
  return json;
}

Json write(const StepPrediction &prediction) {
  Bytes total;
  for (const CollectiveTotal &entry : prediction.collectives)
    total += entry.bytes;
  Json memory = Json::object();
  visitStepMemory(prediction, [&](const char *key, Bytes bytes) {
    memory[key] = bytes.count();
  });
  Json json = {{"source", prediction.source}};
  json["communication_bytes_per_rank"] = total.count();
  json["collectives"] = write(prediction.collectives);
  json["memory_bytes_per_rank"] = memory;
  for (const PipelineRankPrediction &rank : prediction.pipelineRanks)
    json["pipeline_ranks"].push_back(
        {{"collectives", write(rank.collectives)},
         {"peak_bytes_per_rank", rank.peak.count()}});
  return json;
}

Json write(const LayoutSearchRecord &search) {
  Json meshes = Json::array();
  for (const TriedMesh &mesh : search.meshes) {
    Json entry = {{"axes", write(mesh.axes)},
                  {"proof", mesh.proof},
                  {"lower_bound_ns", mesh.lowerBound}};
    if (mesh.cost)
      entry["cost_ns"] = *mesh.cost;
    meshes.push_back(entry);
  }
  return {{"cost_ns", search.cost},
          {"compute_ns", search.compute.count()},
          {"communication_ns", search.communication.count()},
          {"lower_bound_ns", search.lowerBound},
          {"gap", search.gap},
          {"proof", search.proof},
          {"ops", search.ops},
          {"decisions", search.decisions},
          {"meshes", meshes}};
}

void readLayouts(const Json &json, const std::string &where, StepPlan &plan) {
  plan.stepHash = json.at("hash");
  plan.mesh = readAxes(json.at("mesh"));
  checkMesh(plan.mesh, where + "/mesh");
  plan.microBatches = json.value("micro_batches", int64_t(1));
  if (json.contains("shares"))
    for (const Json &share : json.at("shares"))
      plan.shares.push_back(readCount(share));
  plan.schedule = json.value("schedule", "");
  for (const Json &tensor : json.at("arguments"))
    plan.arguments.push_back(readTensor(
        tensor, fmt::format("{}/arguments/{}", where, plan.arguments.size())));
  readChoices(json, where, plan);
}

static std::vector<CollectiveTotal> readCollectives(const Json &json) {
  std::vector<CollectiveTotal> collectives;
  for (const Json &entry : json) {
    collectives.push_back({entry.at("collective"),
                           entry.at("axes").get<std::vector<std::string>>(),
                           readCount(entry.at("calls")),
                           read<Bytes>(entry, "bytes_per_rank"),
                           {}});
    if (entry.contains("bytes_of_ranks"))
      for (const Json &bytes : entry.at("bytes_of_ranks"))
        collectives.back().ofRanks.push_back(Bytes(readCount(bytes)));
  }
  return collectives;
}

StepPrediction readStepPrediction(const Json &json) {
  StepPrediction prediction;
  prediction.source = json.at("source");
  prediction.collectives = readCollectives(json.at("collectives"));
  visitStepMemory(prediction, [&](const char *key, Bytes &bytes) {
    bytes = read<Bytes>(json.at("memory_bytes_per_rank"), key);
  });
  if (json.contains("pipeline_ranks"))
    for (const Json &rank : json.at("pipeline_ranks"))
      prediction.pipelineRanks.push_back(
          {readCollectives(rank.at("collectives")),
           read<Bytes>(rank, "peak_bytes_per_rank")});
  return prediction;
}

LayoutSearchRecord readLayoutSearch(const Json &json) {
  LayoutSearchRecord search;
  search.cost = readCount(json.at("cost_ns"));
  search.compute = read<Nanoseconds>(json, "compute_ns");
  search.communication = read<Nanoseconds>(json, "communication_ns");
  search.lowerBound = readCount(json.at("lower_bound_ns"));
  search.gap = json.at("gap");
  search.proof = json.at("proof");
  search.ops = readCount(json.at("ops"));
  search.decisions = readCount(json.at("decisions"));
  for (const Json &mesh : json.at("meshes")) {
    TriedMesh &tried = search.meshes.emplace_back();
    tried.axes = readAxes(mesh.at("axes"));
    tried.proof = mesh.at("proof");
    tried.lowerBound = readCount(mesh.at("lower_bound_ns"));
    if (mesh.contains("cost_ns"))
      tried.cost = readCount(mesh.at("cost_ns"));
  }
  return search;
}

} // namespace planjson

int64_t StepPlan::deviceCount() const {
  int64_t count = 1;
  for (const FixedAxis &axis : mesh)
    count *= axis.size;
  return count;
}

std::string StepPlan::hash() const {
  auto identity = [](const PlanInput &input) {
    return Json{{"name", input.name}, {"hash", input.hash}};
  };
  Json json = {{"model", identity(model)},
               {"cluster", identity(cluster)},
               {"train_step", planjson::layoutsOf(*this)}};
  return toDigits(hashText(jsonText(json)));
}

} // namespace shardsmith

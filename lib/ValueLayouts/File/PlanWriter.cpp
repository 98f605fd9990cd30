// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/AtomicFile.h"
#include "shardsmith/Support/Hash.h"
#include "shardsmith/Support/Json.h"
#include "shardsmith/ValueLayouts/File/PlanFile.h"

#include <nlohmann/json.hpp>

namespace shardsmith {
namespace {

// Keys stay in the order they are written: the file is read by people, too.
using Json = nlohmann::ordered_json;

Json toJson(const std::vector<FixedAxis> &axes) {
  Json list = Json::array();
  for (const FixedAxis &axis : axes)
    list.push_back({{"name", axis.name}, {"size", axis.size}});
  return list;
}

Json toJson(const PlannedTensor &tensor) {
  return {{"name", tensor.name},
          {"role", tensor.role},
          {"dtype", tensor.dtype},
          {"shape", tensor.shape},
          {"axes", tensor.axes}};
}

Json toJson(const ProgramPrediction &prediction) {
  Json collectives = Json::array();
  Bytes total;
  for (const CollectiveTotal &entry : prediction.collectives) {
    collectives.push_back({{"collective", entry.kind},
                           {"axes", entry.axes},
                           {"calls", entry.calls},
                           {"bytes_per_rank", entry.bytes.count()}});
    total += entry.bytes;
  }
  Json json = {{"source", prediction.source},
               {"step_ns", prediction.step().count()},
               {"compute_ns", prediction.compute.count()},
               {"communication_ns", prediction.communication.count()},
               {"communication_bytes_per_rank", total.count()},
               {"collectives", collectives},
               {"memory_bytes_per_rank",
                {{"parameters", prediction.parameters.count()},
                 {"optimizer_state", prediction.optimizerState.count()},
                 {"gradients", prediction.gradients.count()},
                 {"activations", prediction.activations.count()},
                 {"batch", prediction.batch.count()},
                 {"peak", prediction.peak.count()}}}};
  if (prediction.scheduled > Nanoseconds(0))
    json["scheduled_ns"] = prediction.scheduled.count();
  return json;
}

Json toJson(const SearchSummary &search) {
  Json meshes = Json::array();
  for (const TriedMesh &mesh : search.meshes) {
    Json entry = {{"axes", toJson(mesh.axes)},
                  {"proof", mesh.proof},
                  {"lower_bound_ns", mesh.lowerBound}};
    if (mesh.cost < forbiddenCost)
      entry["cost_ns"] = mesh.cost;
    meshes.push_back(entry);
  }
  return {{"cost_ns", search.cost}, {"lower_bound_ns", search.lowerBound},
          {"gap", search.gap},      {"proof", search.proof},
          {"ops", search.ops},      {"decisions", search.decisions},
          {"meshes", meshes}};
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

Json identity(const Plan &plan) {
  Json json = {
      {"model", {{"name", plan.modelName}, {"hash", plan.modelHash}}},
      {"cluster", {{"name", plan.clusterName}, {"hash", plan.clusterHash}}},
      {"mesh", toJson(plan.mesh)},
      {"train_step_hash", plan.stepHash}};
  if (plan.microBatches > 1)
    json["micro_batches"] = plan.microBatches;
  if (!plan.schedule.empty())
    json["schedule"] = plan.schedule;
  return json;
}

Json toJson(const OpChoice &choice) {
  Json json = {{"factor_axes", choice.factorAxes}};
  if (!choice.results.empty())
    json["results"] = choice.results;
  return json;
}

Json decisions(const Plan &plan) {
  Json choices = Json::array();
  for (const OpChoice &choice : plan.choices)
    choices.push_back(toJson(choice));
  return {{"choices", choices}, {"ops", runLengths(plan.opChoices)}};
}

} // namespace

std::string planToJson(const Plan &plan) {
  Json json = {{"format", "shardsmith-plan/1"},
               {"tool_version", plan.toolVersion}};
  json.update(identity(plan));
  if (!plan.profileHash.empty())
    json["profile"] = {{"name", plan.profileName}, {"hash", plan.profileHash}};
  json["options"] = {{"fix", toJson(plan.options.fix)},
                     {"memory_margin", plan.options.memoryMargin},
                     {"effort", plan.options.effort},
                     {"time_limit_s", plan.options.timeLimitSeconds}};
  json["tensors"] = Json::array();
  for (const PlannedTensor &tensor : plan.tensors)
    json["tensors"].push_back(toJson(tensor));
  json["predicted"] = toJson(plan.predicted);
  json["estimated"] = toJson(plan.estimated);
  json["search"] = toJson(plan.search);
  json["decisions"] = decisions(plan);
  return jsonText(json, 1) + "\n";
}

std::string Plan::hash() const {
  Json json = identity(*this);
  json["decisions"] = decisions(*this);
  for (const PlannedTensor &tensor : tensors)
    json["tensors"].push_back(toJson(tensor));
  return toDigits(hashText(jsonText(json)));
}

llvm::Error writePlan(const std::string &path, const Plan &plan) {
  std::string error = writeFileAtomically(path, planToJson(plan));
  if (!error.empty())
    return makeError(ExitCode::Environment, error);
  return llvm::Error::success();
}

} // namespace shardsmith

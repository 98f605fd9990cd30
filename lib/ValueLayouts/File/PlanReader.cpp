// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/ValueLayouts/File/PlanFile.h"

#include "shardsmith/Support/Json.h"
#include "shardsmith/Support/Quantity.h"
#include "shardsmith/Support/ReadFile.h"

#include <nlohmann/json.hpp>

#include <set>

namespace shardsmith {
namespace {

using Json = nlohmann::json;

llvm::Error bad(const std::string &pointer, const std::string &message) {
  return makeError(ExitCode::BadInput, "plan" + pointer + ": " + message);
}

std::vector<FixedAxis> readAxes(const Json &json) {
  std::vector<FixedAxis> axes;
  for (const Json &axis : json)
    axes.push_back({axis.at("name"), axis.at("size")});
  return axes;
}

/// Checks what the schema cannot say of a mesh.
llvm::Error checkMesh(const std::vector<FixedAxis> &mesh) {
  std::set<std::string> names;
  int64_t devices = 1;
  for (size_t index = 0; index < mesh.size(); ++index) {
    std::string pointer = "/mesh/" + std::to_string(index);
    if (!names.insert(mesh[index].name).second)
      return bad(pointer + "/name",
                 "axis \"" + mesh[index].name + "\" occurs twice");
    std::optional<int64_t> product = checkedMultiply(devices, mesh[index].size);
    if (!product)
      return bad(pointer + "/size",
                 "the sizes multiply to more devices than there are numbers");
    devices = *product;
  }
  return llvm::Error::success();
}

/// Checks what the schema cannot say of a tensor.
llvm::Error checkTensor(const PlannedTensor &tensor,
                        const std::string &pointer) {
  if (tensor.axes.size() != tensor.shape.size())
    return bad(pointer + "/axes", "axes of " +
                                      std::to_string(tensor.axes.size()) +
                                      " dimensions, but the shape has " +
                                      std::to_string(tensor.shape.size()));
  std::set<std::string> names;
  for (const std::vector<std::string> &dimension : tensor.axes)
    for (const std::string &name : dimension)
      if (!names.insert(name).second)
        return bad(pointer + "/axes", "axis \"" + name + "\" occurs twice");
  return llvm::Error::success();
}

PlannedTensor readTensor(const Json &json) {
  PlannedTensor tensor;
  tensor.name = json.at("name");
  tensor.role = json.at("role");
  tensor.dtype = json.at("dtype");
  tensor.shape = json.at("shape").get<std::vector<int64_t>>();
  tensor.axes = json.at("axes").get<std::vector<std::vector<std::string>>>();
  return tensor;
}

Bytes readBytes(const Json &json, const char *key) {
  return Bytes(json.at(key).get<int64_t>());
}

ProgramPrediction readPrediction(const Json &json) {
  ProgramPrediction prediction;
  prediction.source = json.at("source");
  prediction.compute = Nanoseconds(json.at("compute_ns").get<int64_t>());
  prediction.communication =
      Nanoseconds(json.at("communication_ns").get<int64_t>());
  prediction.scheduled = Nanoseconds(json.value("scheduled_ns", int64_t(0)));
  for (const Json &entry : json.at("collectives"))
    prediction.collectives.push_back(
        {entry.at("collective"),
         entry.at("axes").get<std::vector<std::string>>(),
         entry.at("calls").get<int64_t>(), readBytes(entry, "bytes_per_rank")});
  const Json &memory = json.at("memory_bytes_per_rank");
  prediction.parameters = readBytes(memory, "parameters");
  prediction.optimizerState = readBytes(memory, "optimizer_state");
  prediction.gradients = readBytes(memory, "gradients");
  prediction.activations = readBytes(memory, "activations");
  prediction.batch = readBytes(memory, "batch");
  prediction.peak = readBytes(memory, "peak");
  return prediction;
}

SearchSummary readSearch(const Json &json) {
  SearchSummary search;
  search.cost = json.at("cost_ns");
  search.lowerBound = json.at("lower_bound_ns");
  search.gap = json.at("gap");
  search.proof = json.at("proof");
  search.ops = json.at("ops");
  search.decisions = json.at("decisions");
  for (const Json &mesh : json.at("meshes"))
    search.meshes.push_back({readAxes(mesh.at("axes")), mesh.at("proof"),
                             mesh.value("cost_ns", forbiddenCost),
                             mesh.at("lower_bound_ns")});
  return search;
}

/// The most ops that a plan may speak of. A larger number means a damaged file.
constexpr int64_t maximalOps = int64_t(1) << 24;

llvm::Error readDecisions(const Json &json, Plan &plan) {
  for (const Json &choice : json.at("choices"))
    plan.choices.push_back(
        {choice.at("factor_axes"),
         choice.value("results", std::vector<std::string>())});
  for (size_t index = 0; index < json.at("ops").size(); ++index) {
    const Json &run = json.at("ops")[index];
    int64_t choice = run[0], count = run[1];
    std::string pointer = "/decisions/ops/" + std::to_string(index);
    if (choice < 0 || choice >= int64_t(plan.choices.size()))
      return bad(pointer, "choice " + std::to_string(choice) +
                              " does not exist; there are " +
                              std::to_string(plan.choices.size()));
    if (count < 1 || count > maximalOps - int64_t(plan.opChoices.size()))
      return bad(pointer, "runs must hold 1 to " + std::to_string(maximalOps) +
                              " ops in total");
    plan.opChoices.insert(plan.opChoices.end(), count, choice);
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<Plan> planFromJson(std::string_view text) {
  std::string problem;
  std::optional<Json> parsed = parseJson(text, problem);
  if (!parsed)
    return bad("", problem);
  Json json = std::move(*parsed);
  if (json.is_object() && json.value("format", Json()) == "shardsmith-plan/2") {
    if (!json.contains("program"))
      return bad("", "this plan is none that programs are built from: it is "
                     "for a description of a model, for devices that code "
                     "cannot be made for yet, or has pipeline stages");
    Json program = json["program"];
    json = std::move(program);
  }
  if (json.is_object() && json.contains("format") &&
      json["format"] != "shardsmith-plan/1")
    return bad("/format", "unknown format " + jsonText(json["format"]) +
                              ", expected \"shardsmith-plan/1\"");
  if (std::optional<SchemaFinding> finding = checkSchema(json, planSchema()))
    return bad(finding->pointer, finding->message);

  Plan plan;
  plan.toolVersion = json.at("tool_version");
  plan.modelName = json.at("model").at("name");
  plan.modelHash = json.at("model").at("hash");
  plan.clusterName = json.at("cluster").at("name");
  plan.clusterHash = json.at("cluster").at("hash");
  if (json.contains("profile")) {
    plan.profileName = json.at("profile").at("name");
    plan.profileHash = json.at("profile").at("hash");
  }
  plan.mesh = readAxes(json.at("mesh"));
  if (llvm::Error error = checkMesh(plan.mesh))
    return std::move(error);
  plan.stepHash = json.at("train_step_hash");
  plan.microBatches = json.value("micro_batches", int64_t(1));
  plan.schedule = json.value("schedule", "");
  plan.options.fix = readAxes(json.at("options").at("fix"));
  plan.options.memoryMargin = json.at("options").at("memory_margin");
  plan.options.effort = json.at("options").at("effort");
  plan.options.timeLimitSeconds = json.at("options").at("time_limit_s");
  for (const Json &tensor : json.at("tensors")) {
    std::string pointer = "/tensors/" + std::to_string(plan.tensors.size());
    plan.tensors.push_back(readTensor(tensor));
    if (llvm::Error error = checkTensor(plan.tensors.back(), pointer))
      return std::move(error);
  }
  plan.predicted = readPrediction(json.at("predicted"));
  plan.estimated = readPrediction(json.at("estimated"));
  plan.search = readSearch(json.at("search"));
  if (llvm::Error error = readDecisions(json.at("decisions"), plan))
    return std::move(error);
  return plan;
}

llvm::Expected<Plan> readPlan(const std::string &path) {
  std::string message;
  std::optional<std::string> text = readFile(path, message);
  if (!text)
    return makeError(ExitCode::BadInput, message);
  llvm::Expected<Plan> plan = planFromJson(*text);
  if (plan)
    return plan;
  ExitCode code = takeError(plan.takeError(), message);
  return makeError(code, path + ": " + message);
}

llvm::Error checkPlanIsFor(const Plan &plan, llvm::StringRef modelHash,
                           llvm::StringRef clusterHash) {
  if (!modelHash.empty() && modelHash != plan.modelHash)
    return makeError(ExitCode::BadInput,
                     "the plan is for model \"" + plan.modelName +
                         "\" with hash " + plan.modelHash +
                         ", but this model has hash " + modelHash.str() +
                         "; plan it again");
  if (!clusterHash.empty() && clusterHash != plan.clusterHash)
    return makeError(ExitCode::BadInput,
                     "the plan is for cluster \"" + plan.clusterName +
                         "\" with hash " + plan.clusterHash +
                         ", but this cluster has hash " + clusterHash.str() +
                         "; plan it again");
  return llvm::Error::success();
}

} // namespace shardsmith

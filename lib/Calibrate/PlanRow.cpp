// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Calibrate/PlanRow.h"

#include "shardsmith/Cluster/JsonObject.h"
#include "shardsmith/Cost/Profiles/ProfileFields.h"
#include "shardsmith/Support/Json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace shardsmith {
namespace {

using cluster::JsonObject;
using Issues = std::vector<ClusterIssue>;

/// The text of a string, or the JSON text of any other value.
std::string textOf(const nlohmann::json &json) {
  return json.is_string() ? json.get<std::string>() : jsonText(json);
}

std::optional<int64_t> optionalCount(JsonObject &object,
                                     const std::string &key) {
  if (!object.has(key))
    return std::nullopt;
  return object.integer(key, 1, 1);
}

RowModel readModel(JsonObject &row) {
  RowModel model;
  if (const nlohmann::json *json = row.any("model"))
    model.model = textOf(*json);
  else
    row.error("model", "required: a built-in name, a file or a configuration");
  model.sequenceLength = optionalCount(row, "sequence_length");
  model.globalBatch = optionalCount(row, "global_batch");
  model.elementType = row.string("dtype", "");
  return model;
}

RowCluster readRowCluster(JsonObject &row, Issues &errors) {
  RowCluster cluster;
  const nlohmann::json *value = row.any("cluster");
  if (!value) {
    row.error("cluster", "required: a built-in name, a file or a description");
    return cluster;
  }
  if (value->is_string()) {
    cluster.name = value->get<std::string>();
    return cluster;
  }
  if (!value->is_object() || !value->contains("builtin")) {
    cluster.description = value->dump();
    return cluster;
  }
  JsonObject object(*value, row.pointerTo("cluster"), errors);
  cluster.name = object.string("builtin", std::nullopt);
  cluster.networkGigabytesPerSecond =
      object.optionalNumber("network_gb_per_s_per_node", cluster::positive);
  cluster.computeScale = object.number("compute_scale", cluster::positive, 1.0);
  cluster.memoryGib = object.optionalNumber("memory_gib", cluster::positive);
  cluster.memoryGigabytesPerSecond =
      object.optionalNumber("memory_bandwidth_gb_per_s", cluster::positive);
  object.forEach("torus", false,
                 [&](const nlohmann::json &size, const std::string &at) {
                   if (size.is_number_unsigned() && size.get<uint64_t>() > 0)
                     cluster.torus.push_back(size.get<int64_t>());
                   else
                     errors.push_back({at, "expected a whole number above 0"});
                 });
  object.finish();
  return cluster;
}

FixedPlan readPlan(JsonObject &row, Issues &errors) {
  FixedPlan plan;
  const nlohmann::json *json = row.nested("plan", "object", true);
  if (!json)
    return plan;
  JsonObject object(*json, row.pointerTo("plan"), errors);
  for (const DegreeTraits &traits : allDegrees())
    plan[traits.degree] = object.integer(traits.key, 1, 1);
  plan.zeroStage = int(std::min<int64_t>(object.integer("zero", 0, 0), 9));
  plan.zeroGroup = object.integer("zero_group", 0, 0);
  plan.microBatch = object.integer("micro_batch", 1, 1);
  std::string recompute =
      object.oneOf("recompute", {"none", "selective", "full"}, "none");
  plan.recompute = recomputeNamed(recompute).value_or(Recompute::None);
  plan.recomputeEvery = object.integer("recompute_every", 1, 1);
  plan.sequenceParallel = object.boolean("sequence_parallel", false);
  object.finish();
  return plan;
}

ProfileSettings readSettings(JsonObject &row, Issues &errors) {
  ProfileSettings settings;
  const nlohmann::json *json = row.nested("settings", "object", false);
  if (!json)
    return settings;
  JsonObject object(*json, row.pointerTo("settings"), errors);
  for (const ProfileNumber &number : profileNumbers()) {
    std::string key = fmt::format("{}.{}", number.section, number.key);
    if (auto value = object.optionalNumber(key, *number.rule))
      settings.numbers.push_back({number.value, *value});
  }
  for (const ProfileFlag &flag : profileFlags()) {
    std::string key = fmt::format("{}.{}", flag.section, flag.key);
    if (object.has(key))
      settings.flags.push_back({flag.value, object.boolean(key, false)});
  }
  object.finish();
  return settings;
}

Measurement readMeasured(const std::string &id, JsonObject &row,
                         Issues &errors) {
  Measurement measured;
  measured.name = id;
  measured.weight = row.number("weight", cluster::positive, 1.0);
  const nlohmann::json *json = row.nested("measured", "object", false);
  if (!json)
    return measured;
  JsonObject object(*json, row.pointerTo("measured"), errors);
  measured.seconds = object.optionalNumber("step_s", cluster::positive);
  measured.memoryGib = object.optionalNumber("memory_gib", cluster::positive);
  object.finish();
  return measured;
}

PlanRow readRow(const nlohmann::json &json, Issues &errors) {
  PlanRow row;
  JsonObject object(json, "", errors);
  if (!object.isObject())
    return row;
  row.id = object.string("id", std::nullopt);
  row.model = readModel(object);
  row.cluster = readRowCluster(object, errors);
  row.plan = readPlan(object, errors);
  std::string type = object.string("compute_type", "");
  row.computeType = workload::elementTypeNamed(type);
  if (!type.empty() && !row.computeType)
    object.error("compute_type",
                 fmt::format("unknown element type \"{}\"", type));
  row.profile = object.string("profile", "");
  row.settings = readSettings(object, errors);
  row.measured = readMeasured(row.id, object, errors);
  object.finish();
  return row;
}

} // namespace

StackProfile ProfileSettings::appliedTo(StackProfile profile) const {
  for (auto [field, value] : numbers)
    profile.*field = value;
  for (auto [field, value] : flags)
    profile.*field = value;
  return profile;
}

std::optional<PlanRow> planRowFromJson(std::string_view text,
                                       std::string &error) {
  Issues errors;
  PlanRow row;
  if (auto json = cluster::parseJson(text, errors))
    row = readRow(*json, errors);
  error.clear();
  for (const ClusterIssue &issue : errors)
    error += (error.empty() ? "" : "; ") + issue.str();
  if (!error.empty())
    return std::nullopt;
  return row;
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "PlanJson.h"

#include "shardsmith/Support/Json.h"

namespace shardsmith {

using planjson::Json;

std::string_view nameOf(PlanProof proof) {
  switch (proof) {
  case PlanProof::Exact:
    return "exact";
  case PlanProof::Bounded:
    return "bounded";
  case PlanProof::None:
    return "none";
  }
  return "none";
}

double PlanSearchRecord::gap() const {
  if (bound <= 0 || cost <= bound)
    return 0;
  return double(cost - bound) / double(bound);
}

namespace {

Json write(const PlanInput &input) {
  return {{"name", input.name}, {"hash", input.hash}};
}

Json write(const PlannedModel &model) {
  Json json = write(model.identity);
  json["parameters"] = model.parameters;
  json["global_batch"] = model.globalBatch;
  json["sequence_length"] = model.sequenceLength;
  json["forward_flops_per_sequence"] = model.forwardFlops.count();
  json["dtype"] = workload::nameOf(model.computeType);
  return json;
}

Json write(const PlanSearchRecord &search) {
  Json counts = Json::object();
  for (const auto &[name, count] : search.counts)
    counts[name] = count;
  return {{"objective", search.objective}, {"cost", search.cost},
          {"bound", search.bound},         {"gap", search.gap()},
          {"proof", nameOf(search.proof)}, {"counts", counts},
          {"stopped", search.stopped}};
}

Json write(const Checkpoints &checkpoints) {
  Json json = {{"bytes", checkpoints.size.count()},
               {"until_failure_ns", checkpoints.untilFailure.count()}};
  if (checkpoints.times)
    json["times"] = {{"writing_ns", checkpoints.times->writing.count()},
                     {"interval_ns", checkpoints.times->interval.count()},
                     {"lost", checkpoints.times->lost}};
  return json;
}

Json write(const PlanAlternative &other) {
  Json json = {{"strategy", planjson::write(other.strategy)},
               {"estimate", planjson::write(other.estimate)}};
  if (other.dollars)
    json["dollars_per_step"] = *other.dollars;
  json["reason"] = other.reason;
  return json;
}

} // namespace

std::string toJson(const PlanDocument &document) {
  Json options = Json::array(), layouts = Json::array(),
       alternatives = Json::array();
  for (const PlanOption &option : document.options)
    options.push_back({{"name", option.name},
                       {"value", option.value},
                       {"from", option.given ? "user" : "default"}});
  for (const NamedLayout &layout : document.layouts)
    layouts.push_back(planjson::write(layout));
  for (const PlanAlternative &other : document.alternatives)
    alternatives.push_back(write(other));
  Json cluster = write(document.cluster);
  for (const PlannedPool &pool : document.pools)
    cluster["pools"].push_back(
        {{"type", pool.type}, {"devices", pool.devices}});
  Json strategy = planjson::write(document.strategy);
  strategy["layouts"] = layouts;
  Json json = {{"format", "shardsmith-plan/2"},
               {"tool_version", document.toolVersion},
               {"model", write(document.model)},
               {"cluster", cluster},
               {"profile", write(document.profile)},
               {"options", options},
               {"strategy", strategy},
               {"estimate", planjson::write(document.estimate)}};
  if (document.dollars)
    json["dollars_per_step"] = *document.dollars;
  if (document.checkpoints)
    json["checkpoints"] = write(*document.checkpoints);
  json["search"] = write(document.search);
  json["alternatives"] = alternatives;
  if (!document.program.empty())
    json["program"] = Json::parse(document.program);
  return jsonText(json, 1) + "\n";
}

} // namespace shardsmith

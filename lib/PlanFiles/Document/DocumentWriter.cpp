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

Nanoseconds PlanDocument::step() const {
  return hasStrategy() || !program ? estimate.step() : program->predicted.step;
}

PlanDocument planWithoutStrategy(StepPlan program,
                                 std::vector<PlannedPool> pools,
                                 std::vector<PlanOption> options) {
  PlanDocument document;
  document.toolVersion = program.toolVersion;
  document.model.identity = program.model;
  document.cluster = program.cluster;
  document.pools = std::move(pools);
  document.profile = program.profile;
  document.options = std::move(options);
  document.search.cost = program.search.cost;
  document.search.bound = program.search.lowerBound;
  document.search.proof =
      program.search.proof == "exact" ? PlanProof::Exact : PlanProof::Bounded;
  document.program = std::move(program);
  return document;
}

namespace {

Json write(const PlanInput &input) {
  return {{"name", input.name}, {"hash", input.hash}};
}

Json write(const PlannedModel &model, bool hasFigures) {
  Json json = write(model.identity);
  if (!hasFigures)
    return json;
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

Json write(const StepEstimate &estimate, std::optional<double> dollars) {
  Json json = planjson::write(estimate);
  if (dollars)
    json["dollars_per_step"] = *dollars;
  return json;
}

Json write(const PlanAlternative &other) {
  return {{"strategy", planjson::write(other.strategy)},
          {"prediction", write(other.estimate, other.dollars)},
          {"reason", other.reason}};
}

/// All that is predicted.
Json predictionOf(const PlanDocument &document) {
  Json json = document.hasStrategy()
                  ? write(document.estimate, document.dollars)
                  : Json{{"step_ns", document.step().count()}};
  if (!document.program)
    return json;
  const StepPrediction &program = document.program->predicted;
  json["train_step"] = planjson::write(program);
  // Of another schedule than that of the strategy's family. A program that has
  // that one takes the strategy's step, which may have been priced again.
  if (!document.program->schedule.empty() && program.step != document.step())
    json["train_step"]["scheduled_ns"] = program.step.count();
  return json;
}

/// Of everything that has one.
Json layoutsOf(const PlanDocument &document) {
  Json json = Json::object();
  if (document.hasStrategy())
    json["blocks"] = Json::array();
  for (const NamedLayout &layout : document.layouts)
    json["blocks"].push_back(planjson::write(layout));
  if (document.program)
    json["train_step"] = planjson::layoutsOf(*document.program);
  return json;
}

} // namespace

std::string toJson(const PlanDocument &document) {
  Json options = Json::array(), alternatives = Json::array();
  for (const PlanOption &option : document.options)
    options.push_back({{"name", option.name},
                       {"value", option.value},
                       {"from", option.given ? "user" : "default"}});
  for (const PlanAlternative &other : document.alternatives)
    alternatives.push_back(write(other));
  Json cluster = write(document.cluster);
  for (const PlannedPool &pool : document.pools)
    cluster["pools"].push_back(
        {{"type", pool.type}, {"devices", pool.devices}});
  Json json = {{"format", kPlanFormat},
               {"tool_version", document.toolVersion},
               {"model", write(document.model, document.hasStrategy())},
               {"cluster", cluster},
               {"profile", write(document.profile)},
               {"options", options}};
  if (document.hasStrategy())
    json["strategy"] = planjson::write(document.strategy);
  json["layouts"] = layoutsOf(document);
  json["prediction"] = predictionOf(document);
  if (document.checkpoints)
    json["checkpoints"] = write(*document.checkpoints);
  json["search"] = write(document.search);
  if (document.program)
    json["search"]["layouts"] = planjson::write(document.program->search);
  if (document.hasStrategy())
    json["alternatives"] = alternatives;
  return jsonText(json, 1) + "\n";
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "PlanJson.h"

#include <fmt/format.h>

namespace shardsmith::planjson {
namespace {

/// The names of the parts of a split, in one list for the reader and the
/// writer.
template <typename Split, typename Visit>
void visitTime(Split &time, Visit visit) {
  visit("compute", time.compute);
  visit("recompute", time.recompute);
  for (auto [name, axis] : unitAxes<Nanoseconds>)
    visit(name, time.*axis);
  visit("data", time.data);
  visit("pipeline", time.pipeline);
  visit("bubble", time.bubble);
  visit("optimizer", time.optimizer);
  visit("straggler", time.straggler);
  visit("fixed", time.fixed);
}

template <typename Split, typename Visit>
void visitMemory(Split &memory, Visit visit) {
  visit("parameters", memory.parameters);
  visit("gradients", memory.gradients);
  visit("optimizer_state", memory.optimizerState);
  visit("activations", memory.activations);
  visit("workspace", memory.workspace);
  visit("communication", memory.communication);
  visit("overhead", memory.overhead);
}

template <typename Quantity>
void readQuantity(const Json &json, const char *key, Quantity &into) {
  into = Quantity(readCount(json.at(key)));
}

Json write(const StageEstimate &rank) {
  Json memory = Json::object();
  visitMemory(rank.memory, [&](const char *key, Bytes bytes) {
    memory[key] = bytes.count();
  });
  return {{"forward_ns", rank.forward.count()},
          {"backward_ns", rank.backward.count()},
          {"in_flight", rank.inFlight},
          {"memory_bytes", memory},
          {"memory_limit_bytes", rank.memoryLimit.count()}};
}

StageEstimate readRank(const Json &json) {
  StageEstimate rank;
  readQuantity(json, "forward_ns", rank.forward);
  readQuantity(json, "backward_ns", rank.backward);
  rank.inFlight = readCount(json.at("in_flight"));
  visitMemory(rank.memory, [&](const char *key, Bytes &bytes) {
    readQuantity(json.at("memory_bytes"), key, bytes);
  });
  readQuantity(json, "memory_limit_bytes", rank.memoryLimit);
  return rank;
}

Provenance readProvenance(const Json &json) {
  for (Provenance provenance :
       {Provenance::Datasheet, Provenance::Calibrated, Provenance::Measured,
        Provenance::Estimated, Provenance::Given})
    if (toString(provenance) == json.get_ref<const std::string &>())
      return provenance;
  return Provenance::Estimated;
}

} // namespace

Json write(const StepEstimate &estimate) {
  Json time = Json::object();
  visitTime(estimate.time, [&](const char *key, Nanoseconds part) {
    time[key] = part.count();
  });
  Json ranks = Json::array();
  for (const StageEstimate &rank : estimate.ranks)
    ranks.push_back(write(rank));
  return {{"step_ns", estimate.step().count()},
          {"uncertainty", estimate.uncertainty},
          {"provenance", toString(estimate.provenance)},
          {"time_ns", time},
          {"fullest_rank", estimate.fullestRank},
          {"ranks", ranks}};
}

StepEstimate readEstimate(const Json &json, const std::string &where) {
  StepEstimate estimate;
  visitTime(estimate.time, [&](const char *key, Nanoseconds &part) {
    readQuantity(json.at("time_ns"), key, part);
  });
  for (const Json &rank : json.at("ranks"))
    estimate.ranks.push_back(readRank(rank));
  estimate.fullestRank = size_t(readCount(json.at("fullest_rank")));
  if (estimate.fullestRank >= estimate.ranks.size())
    throw Malformed(where + "/fullest_rank",
                    fmt::format("rank {} of {} does not exist",
                                estimate.fullestRank, estimate.ranks.size()));
  estimate.uncertainty = json.at("uncertainty");
  estimate.provenance = readProvenance(json.at("provenance"));
  if (estimate.step().count() != readCount(json.at("step_ns")))
    throw Malformed(where + "/step_ns",
                    fmt::format("{} is not the sum of time_ns, which is {}",
                                readCount(json.at("step_ns")),
                                estimate.step().count()));
  return estimate;
}

} // namespace shardsmith::planjson

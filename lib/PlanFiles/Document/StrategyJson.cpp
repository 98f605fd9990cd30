// SPDX-License-Identifier: Apache-2.0

#include "PlanJson.h"

#include "shardsmith/Strategy/ScheduleTraits.h"

#include <fmt/format.h>

namespace shardsmith::planjson {
namespace {

/// The longest chain that a plan file may speak of. A larger number means a
/// damaged file.
constexpr int64_t maximalUnits = int64_t(1) << 20;

template <typename Enum, typename All = std::initializer_list<Enum>>
Enum named(const Json &json, const All &all) {
  std::string name = json.get<std::string>();
  for (Enum value : all)
    if (nameOf(value) == name)
      return value;
  throw Malformed("", "unknown name \"" + name + "\"");
}

PlanAxis readAxis(const Json &json) {
  return named<PlanAxis>(json, usualDeviceOrder());
}

ScheduleFamily readSchedule(const Json &json, const std::string &where) {
  std::string name = json.get<std::string>();
  if (std::optional<ScheduleFamily> family = scheduleNamed(name))
    return *family;
  std::string known;
  for (const ScheduleTraits &traits : allScheduleTraits())
    known += (known.empty() ? "" : ", ") + std::string(traits.name);
  throw Malformed(where, fmt::format("'{}' is none of {}", name, known));
}

Recompute readRecompute(const Json &json) {
  return named<Recompute>(
      json, {Recompute::None, Recompute::Selective, Recompute::Full});
}

/// Writes equal neighbours as [choice, count], because equal layers make long
/// runs.
Json runLengths(const std::vector<Recompute> &choices) {
  Json runs = Json::array();
  for (size_t begin = 0; begin < choices.size();) {
    size_t end = begin;
    while (end < choices.size() && choices[end] == choices[begin])
      ++end;
    runs.push_back({nameOf(choices[begin]), end - begin});
    begin = end;
  }
  return runs;
}

unsigned readPool(const Json &json, const std::string &where) {
  int64_t pool = readCount(json);
  if (pool > maximalUnits)
    throw Malformed(where, "no cluster has that many device pools");
  return unsigned(pool);
}

Stage readStage(const Json &json, const std::string &where) {
  Stage stage;
  stage.begin = readCount(json.at("units")[0]);
  stage.end = readCount(json.at("units")[1]);
  if (stage.begin > stage.end || stage.end > maximalUnits)
    throw Malformed(where + "/units",
                    fmt::format("[{}, {}] is not an interval of a chain of at "
                                "most {} units",
                                stage.begin, stage.end, maximalUnits));
  int64_t units = stage.end - stage.begin;
  for (const Json &run : json.at("recompute")) {
    int64_t count = readCount(run[1]);
    if (count > units - int64_t(stage.recompute.size()))
      throw Malformed(where + "/recompute",
                      fmt::format("the runs are longer than the stage, which "
                                  "has {} units",
                                  units));
    stage.recompute.insert(stage.recompute.end(), size_t(count),
                           readRecompute(run[0]));
  }
  if (int64_t(stage.recompute.size()) != units)
    throw Malformed(where + "/recompute",
                    fmt::format("the runs cover {} of the stage's {} units",
                                stage.recompute.size(), units));
  stage.pool = readPool(json.at("pool"), where + "/pool");
  return stage;
}

Json write(const TensorLayout &layout) {
  switch (layout.kind) {
  case TensorLayout::Kind::Whole:
    return "whole";
  case TensorLayout::Kind::Partial:
    return "partial";
  case TensorLayout::Kind::Split:
    return layout.dim;
  }
  return "whole";
}

TensorLayout readTensorLayout(const Json &json) {
  if (json.is_number())
    return TensorLayout::split(unsigned(readCount(json)));
  return json == "partial" ? TensorLayout::partial() : TensorLayout::whole();
}

} // namespace

Json write(const Strategy &strategy) {
  Json order = Json::array();
  for (PlanAxis axis : strategy.deviceOrder)
    order.push_back(nameOf(axis));
  Json stages = Json::array();
  for (const Stage &stage : strategy.stages)
    stages.push_back({{"units", {stage.begin, stage.end}},
                      {"recompute", runLengths(stage.recompute)},
                      {"pool", stage.pool}});
  Json degrees = Json::object();
  for (const DegreeTraits &traits : allDegrees())
    degrees[traits.key] = strategy[traits.degree];
  Json json = {
      {"degrees", degrees},
      {"device_order", order},
      {"context_method", nameOf(strategy.contextMethod)},
      {"zero", {{"stage", strategy.zeroStage}, {"group", strategy.zeroGroup}}},
      {"micro_batch", strategy.microBatch}};
  for (const DataShare &share : strategy.dataShares)
    json["data_shares"].push_back({{"pool", share.pool},
                                   {"ranks", share.ranks},
                                   {"micro_batches", share.microBatches}});
  json["schedule"] = nameOf(strategy.schedule);
  json["stages"] = stages;
  return json;
}

Strategy readStrategy(const Json &json, const std::string &where) {
  Strategy strategy;
  const Json &degrees = json.at("degrees");
  for (const DegreeTraits &traits : allDegrees())
    strategy[traits.degree] = readCount(degrees.at(traits.key));
  int64_t ranks = 1;
  for (PlanAxis axis : usualDeviceOrder()) {
    std::optional<int64_t> product =
        checkedMultiply(ranks, strategy.degree(axis));
    if (!product || *product > maximalUnits)
      throw Malformed(where + "/degrees",
                      fmt::format("the degrees multiply to more than {} ranks",
                                  maximalUnits));
    ranks = *product;
  }
  strategy.deviceOrder.clear();
  for (const Json &axis : json.at("device_order"))
    strategy.deviceOrder.push_back(readAxis(axis));
  strategy.contextMethod =
      named<ContextMethod>(json.at("context_method"),
                           {ContextMethod::Ring, ContextMethod::AllToAll});
  strategy.zeroStage = int(readCount(json.at("zero").at("stage")));
  strategy.zeroGroup = readCount(json.at("zero").at("group"));
  strategy.microBatch = readCount(json.at("micro_batch"));
  size_t shares = 0;
  if (json.contains("data_shares"))
    for (const Json &share : json.at("data_shares"))
      strategy.dataShares.push_back(
          {readPool(share.at("pool"),
                    fmt::format("{}/data_shares/{}/pool", where, shares++)),
           readCount(share.at("ranks")), readCount(share.at("micro_batches"))});
  strategy.schedule = readSchedule(json.at("schedule"), where + "/schedule");
  size_t index = 0;
  for (const Json &stage : json.at("stages"))
    strategy.stages.push_back(
        readStage(stage, fmt::format("{}/stages/{}", where, index++)));
  return strategy;
}

Json write(const NamedLayout &layout) {
  Json ops = Json::array(), tensors = Json::array(), parameters = Json::array();
  for (const NamedLayout::OpEntry &entry : layout.ops)
    ops.push_back(
        {{"op", entry.op},
         {"split", entry.split.empty() ? Json() : Json(entry.split)}});
  for (const NamedLayout::TensorEntry &entry : layout.tensors)
    tensors.push_back(
        {{"tensor", entry.tensor}, {"layout", write(entry.layout)}});
  for (const NamedLayout::ParameterEntry &entry : layout.parameters)
    parameters.push_back(
        {{"names", entry.names}, {"shape", entry.shape}, {"axes", entry.axes}});
  return {{"block", layout.block},
          {"ops", ops},
          {"tensors", tensors},
          {"parameters", parameters}};
}

NamedLayout readLayout(const Json &json, const std::string &where) {
  NamedLayout layout;
  layout.block = json.at("block");
  for (const Json &entry : json.at("ops"))
    layout.ops.push_back(
        {entry.at("op"), entry.at("split").is_null() ? "" : entry.at("split")});
  for (const Json &entry : json.at("tensors"))
    layout.tensors.push_back(
        {entry.at("tensor"), readTensorLayout(entry.at("layout"))});
  for (const Json &entry : json.at("parameters")) {
    NamedLayout::ParameterEntry parameter;
    parameter.names = entry.at("names").get<std::vector<std::string>>();
    for (const Json &size : entry.at("shape"))
      parameter.shape.push_back(readCount(size));
    parameter.axes =
        entry.at("axes").get<std::vector<std::vector<std::string>>>();
    if (parameter.axes.size() != parameter.shape.size())
      throw Malformed(
          fmt::format("{}/parameters/{}/axes", where, layout.parameters.size()),
          fmt::format("axes of {} dimensions, but the shape has {}",
                      parameter.axes.size(), parameter.shape.size()));
    layout.parameters.push_back(std::move(parameter));
  }
  return layout;
}

} // namespace shardsmith::planjson

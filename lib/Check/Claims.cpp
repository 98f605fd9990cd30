// SPDX-License-Identifier: Apache-2.0

#include "Claims.h"

#include "Axes.h"
#include "JsonView.h"
#include "Schedules.h"
#include "shardsmith/Support/Json.h"

#include <charconv>

namespace shardsmith::check {
namespace {

/// Units, stages and pools beyond this are damage, not a plan.
constexpr int64_t largestCount = int64_t(1) << 20;

int64_t boundedCount(const JsonView &json) {
  int64_t count = json.integer();
  json.require(count >= 0 && count <= largestCount,
               "a number from 0 to 1048576");
  return count;
}

Stage readStage(const JsonView &json) {
  Stage stage;
  std::vector<JsonView> units = json["units"].items();
  json["units"].require(units.size() == 2, "[begin, end]");
  stage.begin = boundedCount(units[0]);
  stage.end = boundedCount(units[1]);
  for (const JsonView &run : json["recompute"].items()) {
    std::vector<JsonView> parts = run.items();
    run.require(parts.size() == 2, "[choice, units]");
    auto choice = parts[0].named(
        {Recompute::None, Recompute::Selective, Recompute::Full});
    auto units = static_cast<size_t>(boundedCount(parts[1]));
    parts[1].require(stage.recompute.size() + units <= largestCount,
                     "fewer units");
    stage.recompute.insert(stage.recompute.end(), units, choice);
  }
  stage.pool = static_cast<unsigned>(boundedCount(json["pool"]));
  return stage;
}

Strategy readStrategy(const JsonView &json) {
  Strategy strategy;
  JsonView degrees = json["degrees"];
  for (const AxisRow &row : axisRows())
    strategy[row.degree] = degrees[row.key].integer();
  strategy.deviceOrder.clear();
  for (const JsonView &axis : json["device_order"].items())
    strategy.deviceOrder.push_back(axis.named<PlanAxis>(meshAxes()));
  strategy.contextMethod = json["context_method"].named(
      {ContextMethod::Ring, ContextMethod::AllToAll});
  strategy.zeroStage = static_cast<int>(boundedCount(json["zero"]["stage"]));
  strategy.zeroGroup = json["zero"]["group"].integer();
  strategy.microBatch = json["micro_batch"].integer();
  if (json.has("data_shares"))
    for (const JsonView &share : json["data_shares"].items())
      strategy.dataShares.push_back(
          {static_cast<unsigned>(boundedCount(share["pool"])),
           share["ranks"].integer(), share["micro_batches"].integer()});
  std::vector<ScheduleFamily> families;
  for (const ScheduleFacts &facts : allSchedules())
    families.push_back(facts.family);
  strategy.schedule = json["schedule"].named<ScheduleFamily>(families);
  for (const JsonView &stage : json["stages"].items())
    strategy.stages.push_back(readStage(stage));
  return strategy;
}

TensorLayout readLayout(const JsonView &json) {
  if (json.isNumber())
    return TensorLayout::split(static_cast<unsigned>(boundedCount(json)));
  std::string name = json.string();
  json.require(name == "whole" || name == "partial",
               "\"whole\", \"partial\" or a dimension");
  return name == "whole" ? TensorLayout::whole() : TensorLayout::partial();
}

NamedBlockLayout readBlock(const JsonView &json) {
  NamedBlockLayout layout;
  layout.block = json["block"].string();
  for (const JsonView &op : json["ops"].items())
    layout.ops.emplace_back(op["op"].string(),
                            op["split"].isNull() ? "" : op["split"].string());
  for (const JsonView &tensor : json["tensors"].items())
    layout.tensors.emplace_back(tensor["tensor"].string(),
                                readLayout(tensor["layout"]));
  for (const JsonView &json : json["parameters"].items()) {
    NamedBlockLayout::Parameter &parameter = layout.parameters.emplace_back();
    for (const JsonView &name : json["names"].items())
      parameter.names.push_back(name.string());
    for (const JsonView &size : json["shape"].items())
      parameter.shape.push_back(size.integer());
    for (const JsonView &dim : json["axes"].items()) {
      auto &axes = parameter.axes.emplace_back();
      for (const JsonView &axis : dim.items())
        axes.push_back(axis.string());
    }
  }
  return layout;
}

void note(const JsonView &figure, Figures &figures) {
  figure.require(figure.integer() >= 0, "a figure from 0 on");
  figures[figure.pointer()] = figure.integer();
}

/// Every whole number below `json`.
void collect(const JsonView &json, Figures &figures) {
  for (const auto &[key, value] : json.members())
    note(value, figures);
}

/// Of a plan or an alternative, which name its parts alike.
template <typename Claimed>
void readPrediction(const JsonView &json, Claimed &claims) {
  Figures &figures = claims.figures;
  for (const char *key : {"step_ns", "fullest_rank"})
    note(json[key], figures);
  collect(json["time_ns"], figures);
  claims.uncertainty = json["uncertainty"].number();
  claims.provenance = json["provenance"].string();
  for (const JsonView &rank : json["ranks"].items()) {
    ++claims.rankCount;
    for (const char *key :
         {"forward_ns", "backward_ns", "in_flight", "memory_limit_bytes"})
      note(rank[key], figures);
    collect(rank["memory_bytes"], figures);
  }
}

double readMargin(const JsonView &options) {
  for (const JsonView &option : options.items()) {
    if (option["name"].string() != "margin")
      continue;
    std::string text = option["value"].string();
    double margin = -1;
    auto [end, failure] =
        std::from_chars(text.data(), text.data() + text.size(), margin);
    option["value"].require(failure == std::errc() && margin >= 0 &&
                                margin < 1 && end == text.data() + text.size(),
                            "a share from 0 to 1");
    return margin;
  }
  return 0.10;
}

/// All numbers of an object and of those in it.
void readNumbers(const JsonView &json, std::map<std::string, double> &numbers) {
  for (const auto &[key, value] : json.members())
    if (value.isNumber())
      numbers[value.pointer()] = value.number();
    else
      readNumbers(value, numbers);
}

std::optional<double> readDollars(const JsonView &json) {
  if (!json.has("dollars_per_step"))
    return std::nullopt;
  return json["dollars_per_step"].number();
}

ClaimedAlternative readAlternative(const JsonView &json) {
  ClaimedAlternative alternative;
  alternative.pointer = json.pointer();
  alternative.strategy = readStrategy(json["strategy"]);
  readPrediction(json["prediction"], alternative);
  alternative.dollars = readDollars(json["prediction"]);
  return alternative;
}

Claims read(const JsonView &json) {
  Claims claims;
  requireFormat(json);
  claims.modelHash = json["model"]["hash"].string();
  claims.modelName = json["model"]["name"].string();
  claims.computeType = json["model"]["dtype"].string();
  for (const char *key : {"parameters", "global_batch", "sequence_length",
                          "forward_flops_per_sequence"})
    note(json["model"][key], claims.figures);
  claims.clusterHash = json["cluster"]["hash"].string();
  claims.clusterName = json["cluster"]["name"].string();
  for (const JsonView &pool : json["cluster"]["pools"].items()) {
    claims.deviceTypes.push_back(pool["type"].string());
    note(pool["devices"], claims.figures);
  }
  claims.profileHash = json["profile"]["hash"].string();
  claims.profileName = json["profile"]["name"].string();
  for (const JsonView &option : json["options"].items())
    claims.options.emplace_back(option["name"].string(),
                                option["value"].string());
  claims.memoryMargin = readMargin(json["options"]);
  claims.strategy = readStrategy(json["strategy"]);
  for (const JsonView &layout : json["layouts"]["blocks"].items())
    claims.layouts.push_back(readBlock(layout));
  readPrediction(json["prediction"], claims);
  claims.dollars = readDollars(json["prediction"]);
  if (json.has("checkpoints"))
    readNumbers(json["checkpoints"], claims.checkpoints);

  JsonView search = json["search"];
  claims.objective = search["objective"].string();
  claims.cost = search["cost"].integer();
  claims.bound = search["bound"].integer();
  claims.gap = search["gap"].number();
  claims.proof = search["proof"].string();
  claims.stopped = search["stopped"].boolean();
  for (const JsonView &other : json["alternatives"].items())
    claims.alternatives.push_back(readAlternative(other));
  claims.hasProgram = json["layouts"].has("train_step");
  return claims;
}

} // namespace

void requireFormat(const JsonView &plan) {
  plan["format"].require(plan["format"].string() == "shardsmith-plan/3",
                         "\"shardsmith-plan/3\"; make the plan again with "
                         "'shardsmith plan MODEL --cluster CLUSTER -o DIR'");
}

Claims readClaims(std::string_view planJson) {
  std::string error;
  std::optional<nlohmann::json> json = parseJson(planJson, error);
  if (!json)
    throw Malformed{"plan: " + error};
  return read(JsonView(*json, ""));
}

} // namespace shardsmith::check

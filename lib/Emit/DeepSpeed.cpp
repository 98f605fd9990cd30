// SPDX-License-Identifier: Apache-2.0
//
// The configuration of deepspeedai/DeepSpeed: ZeRO, gradient accumulation, and
// matrices that AutoTP splits.

#include "Heading.h"
#include "SplitMatrices.h"
#include "Targets.h"
#include "shardsmith/Support/Json.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace shardsmith::emit {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view deepSpeedFile = "ds_config.json";

/// A regular expression for the names that a pattern stands for.
std::string expressionOf(const std::string &pattern) {
  std::string text = "^";
  for (char c : pattern)
    if (c == '*')
      text += "\\d+";
    else if (std::string_view(".[]()+?{}|^$\\").find(c) !=
             std::string_view::npos)
      text += fmt::format("\\{}", c);
    else
      text += c;
  return text + "$";
}

Json specsOf(const EmitInput &input) {
  Json specs = Json::array();
  for (const SplitMatrix &matrix : splitMatrices(input)) {
    Json patterns = Json::array();
    for (const std::string &name : matrix.names)
      patterns.push_back(expressionOf(name));
    Json spec = {{"patterns", patterns},
                 {"partition_type", matrix.byRows ? "row" : "column"}};
    if (matrix.parts > 1)
      spec["shape"] = {matrix.parts, -1};
    specs.push_back(spec);
  }
  return specs;
}

bool hasType(const EmitInput &input, workload::ElementType type) {
  return input.workload.computeType == type;
}

void check(const EmitInput &input, Refusals &refusals) {
  const Strategy &strategy = input.strategy();
  refusals.requireNo(Degree::Pipeline, strategy);
  refusals.requireOnly({Degree::Tensor, Degree::Data, Degree::Pipeline},
                       strategy);
  refusals.requireOrder(strategy, std::array{usualDeviceOrder()});
  refusals.requireEvenBatch(input);
  refusals.requireOneZeroGroup(strategy);
  refusals.requireNoRecompute(strategy);
  if (strategy.tensor > 1 && strategy.zeroStage == 3)
    refusals.add(
        fmt::format("zero=3 beside tensor={} of AutoTP", strategy.tensor),
        "zero=2");
}

} // namespace

void emitDeepSpeed(const EmitInput &input, Emission &emission) {
  Refusals refusals(emission.obstacles);
  check(input, refusals);
  const Strategy &strategy = input.strategy();
  if (strategy.tensor > 1) {
    std::string why;
    if (!Transformer::of(input.workload, why))
      refusals.add(
          fmt::format("tensor={} of this model: {}", strategy.tensor, why),
          "tp=1");
    else
      requireLayouts({.maySplitPositions = false}, input, refusals);
  }
  Json json = {
      {"shardsmith",
       jsonOf(headingOf(input, fmt::format("deepspeed --num_gpus {} TRAIN.py "
                                           "--deepspeed_config {}",
                                           std::min(input.devicesPerNode,
                                                    strategy.rankCount()),
                                           deepSpeedFile)))},
      {"train_batch_size", input.workload.globalBatch},
      {"train_micro_batch_size_per_gpu", strategy.microBatch},
      {"gradient_accumulation_steps", microBatchesOf(input)},
      {"bf16", {{"enabled", hasType(input, workload::ElementType::BF16)}}},
      {"fp16", {{"enabled", hasType(input, workload::ElementType::F16)}}},
      {"zero_optimization",
       {{"stage", strategy.zeroStage}, {"overlap_comm", true}}}};
  if (strategy.tensor > 1)
    json["tensor_parallel"] = {
        {"autotp_size", strategy.tensor},
        {"tp_overlap_comm", false},
        {"partition_config",
         {{"use_default_specs", false}, {"layer_specs", specsOf(input)}}}};
  emission.files.push_back(
      {std::string(deepSpeedFile), jsonText(json, 2) + "\n"});
}

} // namespace shardsmith::emit

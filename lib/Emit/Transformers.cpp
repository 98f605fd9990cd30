// SPDX-License-Identifier: Apache-2.0
//
// What huggingface/transformers takes: a tensor-parallel plan by module, and
// the training arguments that belong to it.

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

constexpr std::string_view transformersFile = "transformers-plan.json";
constexpr std::string_view weight = ".weight";

/// Whether the head's matrix is the token table.
bool isTied(const EmitInput &input, const SplitMatrix &matrix) {
  const NamedLayout &first = input.document.layouts.front();
  return !matrix.isInLayer &&
         std::ranges::any_of(first.parameters, [&](const auto &parameter) {
           return parameter.names == matrix.names;
         });
}

/// How a matrix is split, in the strings of `tp_plan`.
std::string_view styleOf(const EmitInput &input, const SplitMatrix &matrix) {
  // The head that shares it follows its layout, by the model's own rule.
  if (isTied(input, matrix))
    return "embedding_rowwise";
  if (matrix.byRows)
    return "rowwise";
  if (matrix.parts > 1)
    return "packed_colwise";
  // The loss is computed on whole logits.
  return matrix.isInLayer ? "colwise" : "colwise_gather_output";
}

/// Rules of the model's own plan stay where they are not overridden, such as
/// one that splits the token table.
void addWholeMatrices(const EmitInput &input, Json &plan) {
  for (size_t i = 0; i < input.workload.blocks.size(); ++i) {
    const workload::Block &block = input.workload.blocks[i];
    for (size_t at = 0; at < block.parameters.size(); ++at) {
      if (block.tensors[block.parameters[at]].shape.size() < 2)
        continue;
      for (const std::string &name :
           input.document.layouts[i].parameters[at].names)
        if (name.ends_with(weight)) {
          std::string module = name.substr(0, name.size() - weight.size());
          if (!plan.contains(module))
            plan[module] = "replicate";
        }
    }
  }
}

Json tensorPlan(const EmitInput &input, Refusals &refusals) {
  Json plan = Json::object();
  for (const SplitMatrix &matrix : splitMatrices(input)) {
    if (matrix.parts > 2)
      refusals.add(fmt::format("the layout of {}, which holds {} matrices: "
                               "packed_colwise is for two",
                               matrix.names.front(), matrix.parts),
                   "tp=1");
    for (const std::string &name : matrix.names)
      if (name.ends_with(weight))
        plan[name.substr(0, name.size() - weight.size())] =
            styleOf(input, matrix);
      else
        refusals.add(fmt::format("the layout of {}, which is no weight of a "
                                 "module",
                                 name),
                     "tp=1");
  }
  if (input.strategy().tensor > 1)
    addWholeMatrices(input, plan);
  return plan;
}

void check(const EmitInput &input, const Transformer &chain,
           Refusals &refusals) {
  const Strategy &strategy = input.strategy();
  if (strategy.pipeline > 1)
    refusals.add(fmt::format("the {} stages of pipeline={}: pp_plan names what "
                             "modules take and give, and its trainer has no "
                             "schedule",
                             strategy.stages.size(), strategy.pipeline),
                 "pp=1, or --to pytorch");
  refusals.requireOnly({Degree::Tensor, Degree::Data, Degree::Pipeline},
                       strategy);
  refusals.requireEvenBatch(input);
  refusals.requireOrder(strategy, std::array{usualDeviceOrder()});
  if (strategy.zeroStage > 0)
    refusals.add(fmt::format("zero={}", strategy.zeroStage),
                 "zero=0, or --to accelerate");
  if (strategy.data > 1 && strategy.tensor > 1)
    refusals.add(
        fmt::format("data={} beside tensor={}", strategy.data, strategy.tensor),
        "dp=1, or --to accelerate");
  std::optional<Recompute> recompute = commonRecompute(strategy, chain);
  if (!recompute)
    refusals.add("recompute that differs between layers", "recompute=full");
  else if (*recompute == Recompute::Selective)
    refusals.add("recompute=selective", "recompute=full");
  requireLayouts({.maySplitPositions = false}, input, refusals);
}

} // namespace

void emitTransformers(const EmitInput &input, Emission &emission) {
  Refusals refusals(emission.obstacles);
  std::optional<Transformer> chain = refusals.requireTransformer(input);
  if (!chain)
    return;
  check(input, *chain, refusals);
  const Strategy &strategy = input.strategy();
  bool isFull = commonRecompute(strategy, *chain) == Recompute::Full;
  Json json = {
      {"shardsmith",
       jsonOf(headingOf(input,
                        fmt::format("torchrun {} TRAIN.py, with "
                                    "from_pretrained(…, distributed_config="
                                    "DistributedConfig(tp_size=tp_size, "
                                    "tp_plan=tp_plan)) and "
                                    "TrainingArguments(**training_arguments)",
                                    torchrunSizes(input))))},
      {"tp_size", strategy.tensor},
      {"tp_plan", tensorPlan(input, refusals)},
      {"training_arguments",
       {{"per_device_train_batch_size", strategy.microBatch},
        {"gradient_accumulation_steps", microBatchesOf(input)},
        {"gradient_checkpointing", isFull},
        {"bf16", input.workload.computeType == workload::ElementType::BF16}}}};
  emission.files.push_back(
      {std::string(transformersFile), jsonText(json, 2) + "\n"});
}

} // namespace shardsmith::emit

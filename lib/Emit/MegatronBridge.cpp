// SPDX-License-Identifier: Apache-2.0
//
// Overrides for recipes of NVIDIA-NeMo/Megatron-Bridge: fields of its
// configuration by section.

#include "Heading.h"
#include "MegatronPlan.h"
#include "Targets.h"

#include <fmt/format.h>

namespace shardsmith::emit {
namespace {

constexpr std::string_view megatronBridgeFile = "megatron-bridge.yaml";

class Section {
public:
  explicit Section(std::string_view name) : text(fmt::format("{}:\n", name)) {}

  template <typename Value>
  Section &add(std::string_view field, const Value &value) {
    text += fmt::format("  {}: {}\n", field, value);
    return *this;
  }
  Section &quote(std::string_view field, std::string_view value) {
    return add(field, fmt::format("\"{}\"", value));
  }

  std::string text;
};

std::string modelSection(const EmitInput &input, const MegatronPlan &plan) {
  const Strategy &strategy = input.strategy();
  Section section("model");
  section.add("tensor_model_parallel_size", strategy.tensor)
      .add("pipeline_model_parallel_size", strategy.pipeline);
  if (strategy.virtualStages > 1)
    section.add("virtual_pipeline_model_parallel_size", strategy.virtualStages);
  section.add("context_parallel_size", strategy.context);
  if (strategy.context > 1)
    section.quote("cp_comm_type", plan.allToAllContext ? "a2a" : "p2p");
  if (plan.expertTensor)
    section.add("expert_model_parallel_size", strategy.expert)
        .add("expert_tensor_parallel_size", *plan.expertTensor);
  section.add("sequence_parallel", plan.sequenceParallel);
  if (!plan.layout.empty())
    section.quote("pipeline_model_parallel_layout", plan.layout);
  section.add("seq_length", input.workload.sequenceLength);
  if (plan.recompute == Recompute::Selective)
    section.quote("recompute_granularity", "selective")
        .add("recompute_modules", "[\"core_attn\"]");
  if (plan.recompute == Recompute::Full)
    section.quote("recompute_granularity", "full")
        .quote("recompute_method", plan.recomputedLayers ? "block" : "uniform")
        .add("recompute_num_layers", plan.recomputedLayers.value_or(1));
  return section.text;
}

} // namespace

void emitMegatronBridge(const EmitInput &input, Emission &emission) {
  Refusals refusals(emission.obstacles);
  MegatronPlan plan = megatronPlan(input, refusals);
  const Strategy &strategy = input.strategy();
  bool splitsStates = strategy.zeroStage > 0;
  Section train("train");
  train.add("micro_batch_size", strategy.microBatch)
      .add("global_batch_size", input.workload.globalBatch);
  Section ddp("ddp");
  ddp.add("use_distributed_optimizer", splitsStates)
      .add("overlap_grad_reduce", true)
      .add("overlap_param_gather", splitsStates);
  if (strategy.zeroStage > 1)
    ddp.add("use_megatron_fsdp", true)
        .quote("data_parallel_sharding_strategy",
               megatronSharding(strategy.zeroStage));
  if (plan.optimizerInstances > 1)
    ddp.add("num_distributed_optimizer_instances", plan.optimizerInstances);
  std::string text = commentsOf(headingOf(
      input,
      fmt::format("torchrun {} RECIPE.py --config-file {}, or single "
                  "values as model.tensor_model_parallel_size={}",
                  torchrunSizes(input), megatronBridgeFile, strategy.tensor)));
  text += modelSection(input, plan) + train.text + ddp.text;
  if (plan.pipelineBeforeData)
    text += Section("dist").add("use_tp_pp_dp_mapping", true).text;
  emission.files.push_back({std::string(megatronBridgeFile), std::move(text)});
}

} // namespace shardsmith::emit

// SPDX-License-Identifier: Apache-2.0
//
// The configuration of huggingface/accelerate: its parallelism and FSDP 2.

#include "Heading.h"
#include "Targets.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace shardsmith::emit {
namespace {

constexpr std::string_view accelerateFile = "accelerate.yaml";

/// Ranks that share one copy, per rank of the context axis.
int64_t shardSize(const Strategy &strategy) {
  return std::max<int64_t>(zeroRanks(strategy) / strategy.context, 1);
}

void check(const EmitInput &input, const Transformer &chain,
           Refusals &refusals) {
  const Strategy &strategy = input.strategy();
  refusals.requireOnly({Degree::Tensor, Degree::Context, Degree::Data},
                       strategy);
  // Tensor ranks are within context ranks: its mesh ends with cp and tp in
  // this order.
  refusals.requireOrder(strategy, std::array{usualDeviceOrder()});
  refusals.requireEvenBatch(input);
  if (strategy.contextMethod != ContextMethod::Ring && strategy.context > 1)
    refusals.add(
        fmt::format("context-method={}", nameOf(strategy.contextMethod)),
        "context-method=ring");
  if (strategy.zeroStage == 1)
    refusals.add("zero=1: FSDP shards gradients with the states", "zero=2");
  if (strategy.zeroStage == 0 && strategy.data > 1 &&
      strategy.tensor * strategy.context > 1)
    refusals.add(fmt::format("zero=0 beside tensor={} and context={}",
                             strategy.tensor, strategy.context),
                 "zero=3");
  if (strategy.zeroStage > 0 && zeroRanks(strategy) % strategy.context)
    refusals.add(fmt::format("zero={} in groups of {} ranks",
                             strategy.zeroStage, zeroRanks(strategy)),
                 fmt::format("zero={}", strategy.zeroStage));
  std::optional<Recompute> recompute = commonRecompute(strategy, chain);
  if (!recompute)
    refusals.add("recompute that differs between layers", "recompute=full");
  else if (*recompute == Recompute::Selective)
    refusals.add("recompute=selective", "recompute=full");
  requireLayouts({.maySplitPositions = false}, input, refusals);
  // The model's own plan splits the head; what is left over would be lost.
  std::optional<int64_t> columns = headColumns(input.workload);
  if (columns && *columns % strategy.tensor)
    refusals.add(fmt::format("tensor={}, which does not divide the {} columns "
                             "of the head",
                             strategy.tensor, *columns),
                 "tp=1");
}

std::string_view yesNo(bool value) { return value ? "true" : "false"; }

std::string fsdp(const Strategy &strategy, bool recomputes) {
  return fmt::format("fsdp_config:\n"
                     "  fsdp_version: 2\n"
                     "  fsdp_reshard_after_forward: {}\n"
                     "  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n"
                     "  fsdp_state_dict_type: SHARDED_STATE_DICT\n"
                     "  fsdp_activation_checkpointing: {}\n"
                     "parallelism_config:\n"
                     "  parallelism_config_dp_replicate_size: {}\n"
                     "  parallelism_config_dp_shard_size: {}\n"
                     "  parallelism_config_tp_size: {}\n"
                     "  parallelism_config_cp_size: {}\n",
                     yesNo(strategy.zeroStage == 3), yesNo(recomputes),
                     strategy.data / shardSize(strategy), shardSize(strategy),
                     strategy.tensor, strategy.context);
}

} // namespace

void emitAccelerate(const EmitInput &input, Emission &emission) {
  Refusals refusals(emission.obstacles);
  std::optional<Transformer> chain = refusals.requireTransformer(input);
  if (!chain)
    return;
  check(input, *chain, refusals);
  const Strategy &strategy = input.strategy();
  int64_t ranks = strategy.rankCount();
  int64_t local = std::min(input.devicesPerNode, ranks);
  bool isPlain = strategy.zeroStage == 0;
  bool recomputes = commonRecompute(strategy, *chain) == Recompute::Full;
  if (isPlain && recomputes)
    refusals.add("recompute=full without FSDP", "zero=3");
  if (isPlain && strategy.tensor > 1)
    refusals.add(fmt::format("tensor={} without FSDP", strategy.tensor),
                 "--to transformers");
  std::string text = commentsOf(headingOf(
      input,
      fmt::format("accelerate launch --config_file {} TRAIN.py, with "
                  "batches of {} and "
                  "Accelerator(gradient_accumulation_steps={})",
                  accelerateFile, strategy.microBatch, microBatchesOf(input))));
  text += fmt::format(
      "compute_environment: LOCAL_MACHINE\n"
      "distributed_type: {}\n"
      "num_machines: {}\n"
      "num_processes: {}\n"
      "mixed_precision: {}\n",
      isPlain ? "MULTI_GPU" : "FSDP", ceilDivide(ranks, local), ranks,
      input.workload.computeType == workload::ElementType::BF16 ? "bf16"
                                                                : "'no'");
  if (!isPlain)
    text += fsdp(strategy, recomputes);
  // The form of its context parallelism that sends keys and values around.
  if (!isPlain && strategy.context > 1)
    text += "  parallelism_config_cp_comm_strategy: alltoall\n";
  emission.files.push_back({std::string(accelerateFile), std::move(text)});
}

} // namespace shardsmith::emit

// SPDX-License-Identifier: Apache-2.0
//
// What configurations in YAML decide: nanotron, accelerate, Megatron-Bridge.

#include "FlatYaml.h"
#include "ImportReaders.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith::emit {
namespace {

ImportedPlan importNanotron(FlatYaml &file) {
  ImportedPlan plan;
  plan.target = "nanotron";
  int64_t tensor = file.number("parallelism.tp", 1);
  int64_t data = file.number("parallelism.dp", 1);
  int64_t pipeline = file.number("parallelism.pp", 1);
  int64_t microBatch = file.number("tokens.micro_batch_size", 1);
  plan.add("tp", tensor);
  plan.add("cp", 1);
  plan.add("dp", data);
  plan.add("ep", file.number("parallelism.expert_parallel_size", 1));
  plan.add("pp", pipeline);
  if (pipeline > 1)
    plan.add("schedule",
             file.text("parallelism.pp_engine") == "afab" ? "gpipe" : "1f1b");
  plan.add("mbs", microBatch);
  plan.add("zero", file.number("optimizer.zero_stage", 0));
  // Its configuration has none.
  plan.add("recompute", "none");
  if (tensor > 1)
    plan.add("sp", file.text("parallelism.tp_mode") == "REDUCE_SCATTER"
                       ? "on"
                       : "off");
  plan.add("order", "tp-cp-dp-pp");
  plan.globalBatch = microBatch * data *
                     file.number("tokens.batch_accumulation_per_replica", 1);
  plan.sequenceLength = file.number("tokens.sequence_length", 1);
  return plan;
}

ImportedPlan importAccelerate(FlatYaml &file) {
  ImportedPlan plan;
  plan.target = "accelerate";
  auto size = [&](std::string_view axis) {
    return file.number(
        fmt::format("parallelism_config.parallelism_config_{}_size", axis), 1);
  };
  bool shards = file.text("distributed_type") == "FSDP";
  int64_t replicas =
      shards ? size("dp_replicate") : file.number("num_processes", 1);
  int64_t tensor = size("tp"), context = size("cp"), shard = size("dp_shard");
  plan.add("tp", tensor);
  plan.add("cp", context);
  plan.add("dp", replicas * shard);
  plan.add("ep", 1);
  plan.add("pp", 1);
  bool keeps = file.text("fsdp_config.fsdp_reshard_after_forward") == "false";
  plan.add("zero", !shards ? 0 : keeps ? 2 : 3);
  plan.zeroGroup = shards && replicas > 1 ? shard * context : 0;
  plan.add("recompute", file.flag("fsdp_config.fsdp_activation_checkpointing")
                            ? "full"
                            : "none");
  if (context > 1)
    plan.add("context-method", "ring");
  if (tensor > 1)
    plan.add("sp", "off");
  plan.add("order", "tp-cp-dp-pp");
  return plan;
}

/// Its fields are Megatron-LM's options in other letters:
/// `tensor_model_parallel_size` is `--tensor-model-parallel-size`.
std::optional<ImportedPlan> importMegatronBridge(const FlatYaml &file,
                                                 std::string &error) {
  CommandLine line("");
  for (const auto &[path, value] : file.all()) {
    std::string option = path.substr(path.rfind('.') + 1);
    if (option == "virtual_pipeline_model_parallel_size")
      option = "num_virtual_stages_per_pipeline_rank";
    std::ranges::replace(option, '_', '-');
    if (value == "true")
      line.set("--" + option, {});
    else if (value != "false" && value != "null")
      line.set("--" + option, {value});
  }
  std::optional<ImportedPlan> plan = importMegatron(line, error);
  if (error.empty())
    error = line.problem();
  if (plan)
    plan->target = "megatron-bridge";
  return plan;
}

} // namespace

std::optional<ImportedPlan> importYaml(std::string_view text,
                                       std::string &error) {
  FlatYaml file(text);
  std::optional<ImportedPlan> plan;
  if (file.has("model.tensor_model_parallel_size"))
    plan = importMegatronBridge(file, error);
  else if (file.has("parallelism.tp"))
    plan = importNanotron(file);
  else if (file.has("distributed_type"))
    plan = importAccelerate(file);
  if (error.empty())
    error = file.problem();
  return plan;
}

} // namespace shardsmith::emit

// SPDX-License-Identifier: Apache-2.0
//
// Flags of NVIDIA/Megatron-LM, and the script that starts it with them.

#include "Heading.h"
#include "MegatronPlan.h"
#include "Targets.h"

#include <fmt/format.h>

namespace shardsmith::emit {
namespace {

class Flags {
public:
  void add(std::string flag) { list.push_back(std::move(flag)); }
  template <typename Value>
  void add(std::string_view flag, const Value &value) {
    add(fmt::format("{} {}", flag, value));
  }
  std::string text() const {
    std::string lines;
    for (const std::string &flag : list)
      lines += " \\\n  " + flag;
    return lines;
  }

private:
  std::vector<std::string> list;
};

void addSizes(const EmitInput &input, const MegatronPlan &plan, Flags &flags) {
  const Strategy &strategy = input.strategy();
  flags.add("--tensor-model-parallel-size", strategy.tensor);
  flags.add("--pipeline-model-parallel-size", strategy.pipeline);
  flags.add("--context-parallel-size", strategy.context);
  if (strategy.context > 1)
    flags.add("--cp-comm-type", plan.allToAllContext ? "a2a" : "p2p");
  if (plan.expertTensor) {
    flags.add("--expert-model-parallel-size", strategy.expert);
    flags.add("--expert-tensor-parallel-size", *plan.expertTensor);
  }
  if (plan.sequenceParallel)
    flags.add("--sequence-parallel");
  if (plan.pipelineBeforeData)
    flags.add("--use-tp-pp-dp-mapping");
  if (!plan.layout.empty())
    flags.add("--pipeline-model-parallel-layout",
              fmt::format("'{}'", plan.layout));
  flags.add("--micro-batch-size", strategy.microBatch);
  flags.add("--global-batch-size", input.workload.globalBatch);
  flags.add("--seq-length", input.workload.sequenceLength);
}

void addDataParallel(const EmitInput &input, const MegatronPlan &plan,
                     Flags &flags) {
  int zeroStage = input.strategy().zeroStage;
  if (zeroStage > 0)
    flags.add("--use-distributed-optimizer");
  if (zeroStage > 1) {
    flags.add("--use-megatron-fsdp");
    flags.add("--data-parallel-sharding-strategy", megatronSharding(zeroStage));
    flags.add("--no-gradient-accumulation-fusion");
    flags.add("--ckpt-format fsdp_dtensor");
  }
  if (plan.optimizerInstances > 1)
    flags.add("--num-distributed-optimizer-instances", plan.optimizerInstances);
  flags.add("--overlap-grad-reduce");
  if (zeroStage > 0)
    flags.add("--overlap-param-gather");
}

void addRecompute(const MegatronPlan &plan, Flags &flags) {
  if (plan.recompute == Recompute::Selective)
    flags.add("--recompute-granularity selective --recompute-modules "
              "core_attn");
  if (plan.recompute != Recompute::Full)
    return;
  flags.add("--recompute-granularity full");
  if (plan.recomputedLayers)
    flags.add("--recompute-method block --recompute-num-layers",
              *plan.recomputedLayers);
  else
    flags.add("--recompute-method uniform --recompute-num-layers 1");
}

constexpr std::string_view scriptName = "megatron.sh";

std::string scriptOf(const EmitInput &input, const MegatronPlan &plan,
                     std::string_view name) {
  Flags flags;
  addSizes(input, plan, flags);
  addDataParallel(input, plan, flags);
  addRecompute(plan, flags);
  Heading heading = headingOf(
      input, fmt::format("sh {} pretrain_gpt.py …, with the flags of model and "
                         "data; on each node with NODE_RANK and MASTER_ADDR",
                         name));
  return "#!/bin/sh\n" + commentsOf(heading) + torchrunLines(input) +
         "  \"$@\"" + flags.text() + "\n";
}

} // namespace

void emitMegatron(const EmitInput &input, Emission &emission) {
  Refusals refusals(emission.obstacles);
  MegatronPlan plan = megatronPlan(input, refusals);
  emission.files.push_back(
      {std::string(scriptName), scriptOf(input, plan, scriptName), true});
}

} // namespace shardsmith::emit

// SPDX-License-Identifier: Apache-2.0
//
// Options of pytorch/torchtitan, the script that starts it with them, and its
// schedule as a table.

#include "Heading.h"
#include "Targets.h"

#include <array>
#include <fmt/format.h>

namespace shardsmith::emit {
namespace {

constexpr std::string_view scriptName = "torchtitan.sh";
constexpr std::string_view torchtitanTable = "schedule.csv";

/// What torchtitan calls what stands before and behind the layers, one name
/// per parameter of the model.
constexpr std::array<std::string_view, 1> embeddingModules = {"tok_embeddings"};
constexpr std::array<std::string_view, 2> headModules = {"norm", "lm_head"};

/// Which of torch's schedules places stages on ranks as the plan does. The
/// order of passes is that of the table, where there is one.
std::string_view placementOf(const Strategy &strategy) {
  if (strategy.schedule == ScheduleFamily::GPipe)
    return "GPipe";
  if (isVShaped(strategy.schedule))
    return strategy.schedule == ScheduleFamily::DualPipeV ? "DualPipeV"
                                                          : "ZBVZeroBubble";
  return strategy.virtualStages > 1 ? "Interleaved1F1B" : "1F1B";
}

/// Orders that torch makes exactly so by itself.
bool needsTable(const Strategy &strategy) {
  return strategy.virtualStages > 1 ||
         (strategy.schedule != ScheduleFamily::GPipe &&
          strategy.schedule != ScheduleFamily::OneForwardOneBackward);
}

class TorchtitanWriter {
public:
  TorchtitanWriter(const EmitInput &input, Emission &emission)
      : input(input), strategy(input.strategy()), emission(emission),
        refusals(emission.obstacles) {}

  void run() {
    std::string why = torchtitanObstacle(input.workload);
    if (!why.empty())
      refusals.add(why);
    chain = Transformer::of(input.workload, why);
    if (!chain)
      return;
    check();
    addBatch();
    addMesh();
    addPipeline();
    emission.files.push_back({std::string(scriptName), script(), true});
  }

private:
  void check() {
    requireLayouts({}, input, refusals);
    refusals.requireOrder(strategy, std::array{usualDeviceOrder()});
    refusals.requireOnly({Degree::Tensor, Degree::Context, Degree::Data,
                          Degree::Pipeline, Degree::Expert},
                         strategy);
    refusals.requireEvenBatch(input);
    if (strategy.context > 1 && strategy.contextMethod != ContextMethod::Ring)
      refusals.add(
          fmt::format("context-method={}", nameOf(strategy.contextMethod)),
          "context-method=ring");
    if (strategy.expert > 1 && strategy.tensor > 1)
      refusals.add(fmt::format("expert={} beside tensor={}, whose ranks "
                               "torchtitan's expert ranks include",
                               strategy.expert, strategy.tensor),
                   "tp=1");
    checkZero();
  }

  void checkZero() {
    if (strategy.zeroStage == 1)
      refusals.add("zero=1: FSDP shards gradients with the states", "zero=2");
    if (strategy.zeroStage == 0 && strategy.context > 1)
      refusals.add(fmt::format("zero=0 with context={}, over which FSDP always "
                               "shards",
                               strategy.context),
                   "zero=3");
    if (zeroRanks(strategy) % strategy.context && strategy.zeroStage > 0)
      refusals.add(fmt::format("zero={} in groups of {} ranks, which are not "
                               "whole groups of context={}",
                               strategy.zeroStage, zeroRanks(strategy),
                               strategy.context),
                   fmt::format("zero={}", strategy.zeroStage));
  }

  void addBatch() {
    int64_t passes = strategy.pipeline > 1 ? microBatchesOf(input) : 1;
    add("training.local-batch-size", passes * strategy.microBatch);
    add("training.global-batch-size", input.workload.globalBatch);
    add("training.seq-len", input.workload.sequenceLength);
    // Its parser refuses CUDA graphs beside pipelines and routed tokens.
    if (strategy.pipeline > 1 || strategy.expert > 1)
      options.emplace_back("--training.disable-cuda-graphs");
  }

  void addMesh() {
    int64_t shard =
        std::max<int64_t>(zeroRanks(strategy) / strategy.context, 1);
    if (strategy.zeroStage == 0)
      shard = 1;
    add("parallelism.data-parallel-replicate-degree", strategy.data / shard);
    add("parallelism.data-parallel-shard-degree", shard);
    // Kept from the first gather to the end of the backward pass, parameters
    // take the memory and the time of ZeRO-2.
    if (strategy.zeroStage > 0)
      add("parallelism.fsdp-reshard-after-forward",
          strategy.zeroStage == 3 ? "always" : "never");
    add("parallelism.tensor-parallel-degree", strategy.tensor);
    if (strategy.tensor > 1)
      options.push_back(splitsPositions(input)
                            ? "--parallelism.enable-sequence-parallel"
                            : "--parallelism.no-enable-sequence-parallel");
    add("parallelism.context-parallel-degree", strategy.context);
    add("parallelism.expert-parallel-degree", strategy.expert);
    add("parallelism.pipeline-parallel-degree", strategy.pipeline);
  }

  void addPipeline() {
    if (strategy.pipeline == 1)
      return;
    add("parallelism.pipeline-parallel-microbatch-size", strategy.microBatch);
    add("parallelism.pipeline-parallel-schedule", placementOf(strategy));
    if (needsTable(strategy))
      addTable();
    auto stages = chain->contents(strategy.stages);
    if (!stages) {
      refusals.add("a stage that begins inside of embedding or head");
      return;
    }
    std::string modules;
    for (const StageContent &stage : *stages)
      modules += " \\\n    " + modulesOf(stage);
    options.push_back("--parallelism.module-fqns-per-model-part" + modules);
  }

  /// `tok_embeddings,layers.0,layers.1`
  static std::string modulesOf(const StageContent &stage) {
    std::string text;
    auto append = [&](std::string_view module) {
      text += (text.empty() ? "" : ",") + std::string(module);
    };
    if (stage.hasEmbedding)
      for (std::string_view module : embeddingModules)
        append(module);
    for (int64_t i = stage.firstLayer; i < stage.endLayer; ++i)
      append(fmt::format("layers.{}", i));
    if (stage.hasHead)
      for (std::string_view module : headModules)
        append(module);
    return text;
  }

  void addTable() {
    std::optional<StreamedFile> table =
        refusals.requireTable(input, torchtitanTable);
    if (!table)
      return;
    options.push_back(
        fmt::format("--parallelism.pipeline-parallel-schedule-csv "
                    "\"$folder/{}\"",
                    torchtitanTable));
    emission.streamed.push_back(std::move(*table));
  }

  /// A subcommand, so that it stands behind all options.
  std::string recompute() {
    std::optional<Recompute> common = commonRecompute(strategy, *chain);
    if (!common) {
      refusals.add("recompute that differs between layers", "recompute=full");
      return "";
    }
    if (*common == Recompute::Selective &&
        !input.profile.selectiveKeepsProducts)
      refusals.add(fmt::format("recompute=selective as profile \"{}\" has it, "
                               "which drops the inside of attention alone",
                               input.profile.name),
                   "recompute=none, or a profile of torchtitan");
    return fmt::format("activation-checkpoint:{}", nameOf(*common));
  }

  std::string script() {
    Heading heading = headingOf(
        input, fmt::format("sh {} --module llama3 --config …, torchtitan 0.3; "
                           "on each node with NODE_RANK and MASTER_ADDR",
                           scriptName));
    std::string text = "#!/bin/sh\n" + commentsOf(heading) +
                       "folder=$(cd \"$(dirname \"$0\")\" && pwd)\n" +
                       torchrunLines(input) + "  -m torchtitan.train \"$@\"";
    for (const std::string &option : options)
      text += " \\\n  " + option;
    return text + " \\\n  " + recompute() + "\n";
  }

  template <typename Value>
  void add(std::string_view name, const Value &value) {
    options.push_back(fmt::format("--{} {}", name, value));
  }

  const EmitInput &input;
  const Strategy &strategy;
  Emission &emission;
  Refusals refusals;
  std::optional<Transformer> chain;
  std::vector<std::string> options;
};

} // namespace

std::string torchtitanObstacle(const workload::Workload &workload) {
  std::string why = transformerObstacle(workload);
  if (!why.empty())
    return why;
  bool isBehindLayers = false;
  for (const workload::Segment &segment : workload.segments) {
    const workload::Block &block = workload.blocks[segment.block];
    isBehindLayers |= hasAttention(block);
    size_t known =
        isBehindLayers ? headModules.size() : embeddingModules.size();
    if (!hasAttention(block) && block.parameters.size() > known)
      return fmt::format("{}: torchtitan's models have no such parameter",
                         segment.parameterNames.name(0, known));
  }
  return "";
}

void emitTorchtitan(const EmitInput &input, Emission &emission) {
  TorchtitanWriter(input, emission).run();
}

} // namespace shardsmith::emit

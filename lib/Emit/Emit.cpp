// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Emit/Emit.h"

#include "Heading.h"
#include "Targets.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace shardsmith::emit {
namespace {

struct Definition {
  Target target;
  void (*emit)(const EmitInput &, Emission &);
  /// Of runtimes for transformers, which choose layouts by themselves.
  std::optional<LayoutRules> layouts = std::nullopt;
  /// Of formats that have a layout for each parameter.
  std::optional<PlacementRules> placements = std::nullopt;
  /// Of runtimes that do not take every model.
  std::string (*modelObstacle)(const workload::Workload &) = nullptr;
};

/// Takes the layouts of a program where the plan has one.
constexpr std::string_view jaxName = "jax";

// What starts the ranks of one node (`Target::start`).
constexpr std::string_view byAccelerate =
    "exec accelerate launch --config_file \"$folder\"/accelerate.yaml \\\n"
    "  --num_machines @NODES@ --num_processes @RANKS@ \\\n"
    "  --machine_rank \"$NODE_RANK\" --main_process_ip \"$MASTER_ADDR\" \\\n"
    "  --main_process_port \"${MASTER_PORT:-29500}\" \"$@\"\n";
// One process has all devices of a node.
constexpr std::string_view byOneProcess =
    "export NODES=@NODES@\nexec python3 \"$@\"\n";

constexpr LayoutRules byVocabulary = {};
constexpr LayoutRules gatheringLogits = {.table = LayoutRules::Table::Whole,
                                         .head =
                                             LayoutRules::Head::GatheredColumns,
                                         .maySplitPositions = false,
                                         .evenHead = true};
constexpr LayoutRules layersOnly = {.table = LayoutRules::Table::Whole,
                                    .head = LayoutRules::Head::Whole,
                                    .maySplitPositions = false};

const std::array definitions = {
    Definition{{.name = "megatron",
                .runtime = "Megatron-LM",
                .writes = "megatron.sh: flags",
                .start = "exec sh \"$folder\"/megatron.sh \"$@\"\n"},
               emitMegatron,
               byVocabulary,
               std::nullopt,
               transformerObstacle},
    Definition{{.name = "megatron-bridge",
                .runtime = "Megatron-Bridge",
                .writes = "megatron-bridge.yaml: overrides of a recipe"},
               emitMegatronBridge,
               byVocabulary,
               std::nullopt,
               transformerObstacle},
    Definition{{.name = "torchtitan",
                .runtime = "torchtitan",
                .writes = "torchtitan.sh: options; schedule.csv",
                .sometimes = "schedule.csv",
                .start = "exec sh \"$folder\"/torchtitan.sh \"$@\"\n"},
               emitTorchtitan,
               byVocabulary,
               std::nullopt,
               torchtitanObstacle},
    Definition{{.name = "deepspeed",
                .runtime = "DeepSpeed",
                .writes = "ds_config.json: ZeRO and AutoTP"},
               emitDeepSpeed,
               layersOnly},
    Definition{
        {.name = "transformers",
         .runtime = "transformers",
         .writes = "transformers-plan.json: tp_plan and training arguments"},
        emitTransformers,
        gatheringLogits,
        std::nullopt,
        transformerObstacle},
    Definition{{.name = "accelerate",
                .runtime = "accelerate",
                .writes = "accelerate.yaml: parallelism and FSDP 2",
                .start = byAccelerate},
               emitAccelerate,
               gatheringLogits,
               std::nullopt,
               transformerObstacle},
    Definition{{.name = "nanotron",
                .runtime = "nanotron",
                .writes = "nanotron.yaml: the sections that a plan decides"},
               emitNanotron,
               byVocabulary,
               std::nullopt,
               transformerObstacle},
    Definition{{.name = jaxName,
                .runtime = "JAX",
                .writes = "jax-shardings.json: mesh and PartitionSpecs; "
                          "jax-annotated.mlir: the graph with shardings",
                .graph = "jax-annotated.mlir",
                .start = byOneProcess},
               emitJax,
               std::nullopt,
               jaxPlacements},
    Definition{{.name = "pytorch",
                .runtime = "PyTorch",
                .writes = "pytorch-plan.json: device mesh, placements, FSDP "
                          "units, stages; schedule.csv",
                .sometimes = "schedule.csv"},
               emitPyTorch,
               std::nullopt,
               pyTorchPlacements},
    Definition{
        {.name = "tensorflow",
         .runtime = "TensorFlow DTensor",
         .writes = "dtensor-layouts.json: mesh and a layout of each variable",
         .start = byOneProcess},
        emitTensorFlow,
        std::nullopt,
        tensorFlowPlacements},
    Definition{{.name = "horovod",
                .runtime = "Horovod",
                .writes = "horovod.sh: a launch of data ranks",
                .startsRanks = true},
               emitHorovod},
    Definition{{.name = "mxnet",
                .runtime = "MXNet",
                .writes = "mxnet.sh: a launch of data ranks and their "
                          "key-value store",
                .startsRanks = true},
               emitMXNet},
    Definition{{.name = "chakra",
                .runtime = "ASTRA-sim",
                .writes = "chakra.RANK.et: a trace per rank; chakra.sh: their "
                          "simulation",
                .startsRanks = true},
               emitChakra},
    Definition{{.name = "msccl",
                .runtime = "MSCCL",
                .writes = "msccl.sh: the environment of a command; "
                          "COLLECTIVE-LEVELS.xml: algorithms of collectives",
                .start = "exec sh \"$folder\"/msccl.sh @TORCHRUN@ \"$@\"\n"},
               emitMsccl},
};

const Definition &definitionOf(const Target &target) {
  return *std::ranges::find(
      definitions, target.name,
      [](const Definition &definition) { return definition.target.name; });
}

} // namespace

std::span<const Target> targets() {
  static const std::vector<Target> list = [] {
    std::vector<Target> all;
    for (const Definition &definition : definitions)
      all.push_back(definition.target);
    return all;
  }();
  return list;
}

const Target *targetNamed(std::string_view name) {
  auto found = std::ranges::find(targets(), name, &Target::name);
  return found == targets().end() ? nullptr : &*found;
}

std::vector<std::string> targetNames() {
  std::vector<std::string> names;
  for (const Target &target : targets())
    names.emplace_back(target.name);
  return names;
}

std::string modelObstacle(const Target &target,
                          const workload::Workload &workload) {
  auto obstacle = definitionOf(target).modelObstacle;
  return obstacle ? obstacle(workload) : "";
}

Emission emitPlan(const Target &target, const EmitInput &input) {
  Emission emission;
  definitionOf(target).emit(input, emission);
  return emission;
}

Adaptation adaptTo(const Target &target, const EmitInput &input) {
  Adaptation adaptation{input.strategy(), {}};
  const Definition &definition = definitionOf(target);
  std::string why;
  std::optional<Transformer> chain = Transformer::of(input.workload, why);
  if (definition.layouts && chain)
    adaptation.strategy = withLayoutsOf(*definition.layouts, input);
  bool placesProgram = target.name == jaxName && input.document.program;
  if (definition.placements && !placesProgram)
    adaptation.strategy = withWholeParameters(input, *definition.placements);
  adaptation.changes = describeLayoutChanges(
      input.workload, input.document, input.strategy(), adaptation.strategy);
  if (!definition.layouts || !chain)
    return adaptation;
  Strategy kept = withRecomputeInLayersOnly(adaptation.strategy, *chain);
  if (kept != adaptation.strategy)
    adaptation.changes.push_back(
        {"embedding and head recomputed", "only layers are"});
  adaptation.strategy = std::move(kept);
  return adaptation;
}

std::shared_ptr<const workload::ParameterSplits>
parameterSplits(const Target &target, const workload::Workload &workload,
                const ParameterShapes &shapes) {
  const Definition &definition = definitionOf(target);
  if (!definition.placements)
    return nullptr;
  return std::make_shared<const workload::ParameterSplits>(
      sayableSplits(workload, shapes, *definition.placements));
}

std::string launchScript(const EmitInput &input) {
  const Target &target = *targetNamed("megatron");
  Emission emission = emitPlan(target, input);
  for (const Change &change : adaptTo(target, input).changes)
    emission.obstacles.push_back({change.decision, change.there});
  if (emission.obstacles.empty())
    return emission.files.front().text;
  std::string text =
      "#!/bin/sh\n" + commentsOf(headingOf(input, "'shardsmith emit'"));
  for (const Obstacle &obstacle : emission.obstacles)
    text += onOneLine(fmt::format("# Megatron-LM's flags cannot say {}",
                                  obstacle.decision)) +
            "\n";
  return text + "echo 'Megatron-LM cannot run this plan as it is, see the "
                "comments in run.sh; shardsmith emit --help lists other "
                "runtimes' >&2\nexit 5\n";
}

} // namespace shardsmith::emit

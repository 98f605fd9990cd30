// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Emit/Emit.h"

#include "Heading.h"
#include "Placement.h"
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

constexpr LayoutRules byVocabulary = {};
constexpr LayoutRules gatheringLogits = {
    LayoutRules::Table::Whole, LayoutRules::Head::GatheredColumns, false};
constexpr LayoutRules layersOnly = {LayoutRules::Table::Whole,
                                    LayoutRules::Head::Whole, false};

const std::array definitions = {
    Definition{{"megatron", "Megatron-LM", "megatron.sh: flags"},
               emitMegatron,
               byVocabulary,
               std::nullopt,
               transformerObstacle},
    Definition{{"megatron-bridge", "Megatron-Bridge",
                "megatron-bridge.yaml: overrides of a recipe"},
               emitMegatronBridge,
               byVocabulary,
               std::nullopt,
               transformerObstacle},
    Definition{{"torchtitan", "torchtitan",
                "torchtitan.sh: options; schedule.csv", "schedule.csv"},
               emitTorchtitan,
               byVocabulary,
               std::nullopt,
               torchtitanObstacle},
    Definition{{"deepspeed", "DeepSpeed", "ds_config.json: ZeRO and AutoTP"},
               emitDeepSpeed,
               layersOnly},
    Definition{{"transformers", "transformers",
                "transformers-plan.json: tp_plan and training arguments"},
               emitTransformers,
               gatheringLogits,
               std::nullopt,
               transformerObstacle},
    Definition{
        {"accelerate", "accelerate", "accelerate.yaml: parallelism and FSDP 2"},
        emitAccelerate,
        gatheringLogits,
        std::nullopt,
        transformerObstacle},
    Definition{{"nanotron", "nanotron",
                "nanotron.yaml: the sections that a plan decides"},
               emitNanotron,
               byVocabulary,
               std::nullopt,
               transformerObstacle},
    Definition{{jaxName, "JAX", "jax-shardings.json: mesh and PartitionSpecs"},
               emitJax,
               std::nullopt,
               PlacementRules{.onlyEven = true}},
    Definition{{"pytorch", "PyTorch",
                "pytorch-plan.json: device mesh, placements, FSDP units, "
                "stages; schedule.csv",
                "schedule.csv"},
               emitPyTorch,
               std::nullopt,
               PlacementRules{}},
    Definition{{"tensorflow", "TensorFlow DTensor",
                "dtensor-layouts.json: mesh and a layout of each variable"},
               emitTensorFlow,
               std::nullopt,
               PlacementRules{.onlyEven = true}},
    Definition{{"horovod", "Horovod", "horovod.sh: a launch of data ranks", "",
                /*startsRanks=*/true},
               emitHorovod},
    Definition{{"mxnet", "MXNet",
                "mxnet.sh: a launch of data ranks and their key-value store",
                "", /*startsRanks=*/true},
               emitMXNet},
    Definition{{"chakra", "ASTRA-sim",
                "chakra.RANK.et: a trace per rank; chakra.sh: their simulation",
                "", /*startsRanks=*/true},
               emitChakra},
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

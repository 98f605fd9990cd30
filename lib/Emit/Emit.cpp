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
  /// Of runtimes that choose layouts by themselves.
  std::optional<LayoutRules> rules;
};

constexpr LayoutRules byVocabulary = {};
constexpr LayoutRules gatheringLogits = {
    LayoutRules::Table::Whole, LayoutRules::Head::GatheredColumns, false};
constexpr LayoutRules layersOnly = {LayoutRules::Table::Whole,
                                    LayoutRules::Head::Whole, false};

const std::array definitions = {
    Definition{{"megatron", "Megatron-LM", "megatron.sh: its flags"},
               emitMegatron,
               byVocabulary},
    Definition{{"torchtitan", "torchtitan",
                "torchtitan.sh: its options; schedule.csv"},
               emitTorchtitan,
               byVocabulary},
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

Emission emitPlan(const Target &target, const EmitInput &input) {
  Emission emission;
  definitionOf(target).emit(input, emission);
  return emission;
}

Adaptation adaptTo(const Target &target, const EmitInput &input) {
  Adaptation adaptation{input.strategy(), {}};
  const std::optional<LayoutRules> &rules = definitionOf(target).rules;
  std::string why;
  std::optional<Transformer> chain = Transformer::of(input.workload, why);
  if (!rules || !chain)
    return adaptation;
  adaptation.strategy = withLayoutsOf(*rules, input);
  adaptation.changes = describeLayoutChanges(
      input.workload, input.document, input.strategy(), adaptation.strategy);
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

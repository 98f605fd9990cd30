// SPDX-License-Identifier: Apache-2.0
//
// The annotated graph against the plan. What agrees is taken from the graph,
// so that time and memory are those of the annotated program.

#include "Legality.h"

#include <numeric>

namespace shardsmith::check {
namespace {

using namespace workload;
using Axis = std::pair<std::string, int64_t>;

/// Axes of one rank are left out. Experts take context, whole or in part, and
/// what is missing from data.
std::vector<Axis> meshOf(const Strategy &strategy) {
  int64_t fromContext = std::gcd(strategy.expert, strategy.context);
  int64_t fromData = strategy.expert / fromContext;
  std::vector<Axis> mesh;
  for (auto axis = strategy.deviceOrder.rbegin();
       axis != strategy.deviceOrder.rend(); ++axis) {
    int64_t inside = *axis == PlanAxis::Data      ? fromData
                     : *axis == PlanAxis::Context ? fromContext
                                                  : 1;
    mesh.emplace_back(nameOf(*axis), strategy.degree(*axis) / inside);
    mesh.emplace_back(*axis == PlanAxis::Data ? "expert" : "expert_context",
                      inside);
  }
  std::erase_if(mesh, [](const Axis &axis) { return axis.second == 1; });
  return mesh;
}

std::string textOf(const std::vector<Axis> &mesh) {
  std::string text;
  for (const auto &[name, size] : mesh)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, size);
  return text.empty() ? "no axes" : text;
}

std::string textOf(const Op &op, const OpSplit &split) {
  return split.factor ? op.factors[*split.factor].name : "none";
}

std::string textOf(const TensorLayout &layout) {
  return layout.kind == TensorLayout::Kind::Split
             ? fmt::format("split along dimension {}", layout.dim)
             : "whole";
}

class Comparison {
public:
  Comparison(const CheckInputs &inputs, Strategy &strategy, Findings &findings)
      : graph(*inputs.graph), workload(inputs.workload), strategy(strategy),
        findings(findings) {}

  void run() {
    for (const Finding &finding : graph.findings)
      findings.add(finding);
    std::vector<Axis> mesh = meshOf(strategy);
    if (graph.mesh != mesh && !graph.blocks.empty())
      findings.differs("sdy.mesh", textOf(graph.mesh), textOf(mesh),
                       "axes of the annotated graph");
    bool showsMethod = graph.contextMethod && strategy.context > 1;
    if (showsMethod && *graph.contextMethod != strategy.contextMethod)
      findings.differs(
          "/strategy/context_method", nameOf(strategy.contextMethod),
          nameOf(*graph.contextMethod), "as attention is annotated");
    for (size_t i = 0; i < graph.blocks.size(); ++i)
      takeBlock(i);
    takeUnits();
  }

private:
  void takeBlock(size_t index) {
    const GraphDecisions::Block &shown = graph.blocks[index];
    const Block &block = workload.blocks[index];
    BlockLayout &layout = strategy.layouts[index];
    for (size_t i = 0; i < shown.ops.size(); ++i) {
      // Ops of the graph that leave nothing behind show nothing.
      if (shown.opPlaces[i].empty())
        continue;
      if (shown.ops[i] != layout.ops[i])
        findings.differs(
            shown.opPlaces[i], textOf(block.ops[i], shown.ops[i]),
            textOf(block.ops[i], layout.ops[i]),
            fmt::format("factor of '{}' that the tensor axis splits",
                        block.ops[i].name));
      layout.ops[i] = shown.ops[i];
    }
    for (size_t i = 0; i < shown.tensors.size(); ++i) {
      if (!shown.tensors[i])
        continue;
      if (*shown.tensors[i] != layout.tensors[i])
        findings.differs(shown.tensorPlaces[i], textOf(*shown.tensors[i]),
                         textOf(layout.tensors[i]),
                         fmt::format("layout of '{}' on the tensor axis",
                                     block.tensors[i].name));
      layout.tensors[i] = *shown.tensors[i];
    }
  }

  void takeUnits() {
    if (graph.units.empty())
      return;
    for (size_t number = 0; number < strategy.stages.size(); ++number) {
      Stage &stage = strategy.stages[number];
      for (int64_t unit = stage.begin; unit < stage.end; ++unit) {
        const GraphDecisions::Unit &shown = graph.units[size_t(unit)];
        Recompute &recompute = stage.recompute[size_t(unit - stage.begin)];
        if (shown.stage != int64_t(number))
          findings.differs(shown.place, shown.stage, int64_t(number),
                           fmt::format("stage of unit {}", unit));
        if (shown.recompute != recompute)
          findings.differs(shown.place, nameOf(shown.recompute),
                           nameOf(recompute),
                           fmt::format("recomputation of unit {}", unit));
        recompute = shown.recompute;
      }
    }
  }

  const GraphDecisions &graph;
  const Workload &workload;
  Strategy &strategy;
  Findings &findings;
};

} // namespace

void takeGraphDecisions(const CheckInputs &inputs, Strategy &strategy,
                        Findings &findings) {
  Comparison(inputs, strategy, findings).run();
}

} // namespace shardsmith::check

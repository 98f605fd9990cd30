// SPDX-License-Identifier: Apache-2.0

#include "ProblemParts.h"

#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Interfaces/NeighbourhoodInterface.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardsmith::plan {
namespace {

class NodeStrategies {
public:
  NodeStrategies(const ProblemInputs &inputs, LayoutPool &pool)
      : inputs(inputs), graph(inputs.graph), pool(pool) {}

  std::vector<Strategy> strategiesOfArgument(unsigned node) {
    ArrayRef<int64_t> shape =
        graph.values[graph.nodes[node].results[0]].type.getShape();
    std::vector<Layout> layouts;
    for (const Strategy &strategy :
         enumerateLayouts(inputs.costs.getMesh(), shape,
                          inputs.placed[node].layout, inputs.range, pool))
      layouts.push_back(pool[strategy.results[0]]);
    const std::optional<Pin> &pin = inputs.pins.arguments[node];
    if (pin)
      llvm::erase_if(layouts, [&](const Layout &layout) {
        return !pin->accepts(layout) || !hasRoomFor(pin->later, layout, shape);
      });
    if (!pin || llvm::is_contained(pin->isOpen, true))
      layouts =
          inputs.rules.filter(graph.arguments[node], shape, std::move(layouts));
    std::vector<Strategy> strategies;
    for (const Layout &layout : layouts)
      strategies.push_back({{}, {}, {pool.add(layout)}});
    return strategies;
  }

  /// Whether no shard is empty once these axes split the dimensions as well.
  bool hasRoomFor(ArrayRef<AxisList> later, const Layout &layout,
                  ArrayRef<int64_t> shape) const {
    const Mesh &mesh = inputs.costs.getMesh();
    for (auto [dim, axes] : llvm::enumerate(later)) {
      int64_t shards =
          mesh.countShards(layout.dims[dim]) * mesh.countShards(axes);
      if (!fillsAllShards(shape[dim], shards))
        return false;
    }
    return true;
  }

  std::vector<Strategy> strategiesOfOp(unsigned node) {
    const auto &made = graph.nodes[node].results;
    if (made.size() == 1 && graph.values[made.front()].isFree &&
        !inputs.pins.values[made.front()])
      return {wholeStrategy(node)};
    const Mesh &mesh = inputs.costs.getMesh();
    const FactorRule &rule = *graph.nodes[node].rule;
    if (const std::optional<FactorAxes> &axes = inputs.pins.axes[node])
      return {makeStrategy(mesh, rule, *axes, pool)};
    std::vector<Strategy> strategies = enumerateStrategies(
        mesh, rule, inputs.placed[node].axes, inputs.range, pool);
    keepFullShards(node, strategies);
    if (isa<smith::AccumulateOp>(graph.nodes[node].op)) {
      if (graph.function->hasAttr(smith::kSplitSumsAttributeName))
        strategies = inputs.rules.splitSums(std::move(strategies));
      else if (graph.function->hasAttr(smith::kSharesAttributeName))
        strategies = inputs.rules.lateSums(std::move(strategies));
    }
    for (auto [result, value] : llvm::enumerate(graph.nodes[node].results)) {
      const std::optional<Pin> &pin = inputs.pins.values[value];
      if (!pin)
        continue;
      llvm::erase_if(strategies, [&, result = result](const Strategy &s) {
        return !pin->accepts(pool[s.results[result]]);
      });
    }
    return strategies;
  }

  /// Dimensions of a factor that needs neighbours may have different sizes, of
  /// which the factor has the least.
  void keepFullShards(unsigned node, std::vector<Strategy> &strategies) const {
    for (const Neighbourhood &each : getNeighbourhoods(graph.nodes[node].op))
      llvm::erase_if(strategies, [&](const Strategy &strategy) {
        int64_t shards = inputs.costs.getMesh().countShards(
            strategy.axes.factors[each.factor]);
        return !fillsAllShards(each.positions, shards) ||
               !fillsAllShards(each.elements, shards);
      });
  }

  Strategy wholeStrategy(unsigned node) {
    Strategy strategy;
    strategy.axes = FactorAxes::none(*graph.nodes[node].rule);
    for (unsigned value : graph.nodes[node].results)
      strategy.results.push_back(
          pool.add(Layout::replicated(graph.values[value].type.getRank())));
    return strategy;
  }

private:
  const ProblemInputs &inputs;
  const StepGraph &graph;
  LayoutPool &pool;
};

} // namespace

std::vector<Strategy> strategiesOf(const ProblemInputs &inputs, unsigned node,
                                   LayoutPool &pool) {
  NodeStrategies strategies(inputs, pool);
  return inputs.graph.isArgument(node) ? strategies.strategiesOfArgument(node)
                                       : strategies.strategiesOfOp(node);
}

} // namespace shardsmith::plan

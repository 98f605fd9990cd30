// SPDX-License-Identifier: Apache-2.0

#include "Estimate.h"

#include <map>

using namespace mlir;

namespace shardsmith::plan {
namespace {

std::optional<CollectiveKind> collectiveOf(ReshardStep::Kind kind) {
  switch (kind) {
  case ReshardStep::Kind::AllSlice:
  case ReshardStep::Kind::MakePartial:
    return std::nullopt;
  case ReshardStep::Kind::CollectivePermute:
    return CollectiveKind::Permute;
  case ReshardStep::Kind::AllToAll:
    return CollectiveKind::AllToAll;
  case ReshardStep::Kind::AllGather:
    return CollectiveKind::AllGather;
  case ReshardStep::Kind::AllReduce:
    return CollectiveKind::AllReduce;
  case ReshardStep::Kind::ReduceScatter:
    return CollectiveKind::ReduceScatter;
  }
  return std::nullopt;
}

class Estimator {
public:
  Estimator(const StepGraph &graph, const StepProblem &problem,
            const CostModel &costs, ArrayRef<StrategyIndex> choice)
      : graph(graph), problem(problem), costs(costs), choice(choice) {}

  Prediction run() {
    for (unsigned node = graph.argumentCount(); node < graph.nodes.size();
         ++node)
      result.compute += getComputeTime(graph, graph.nodes[node],
                                       strategyOf(node), problem.pool, costs);
    for (unsigned value = 0; value < graph.values.size(); ++value)
      addTraffic(value);
    for (auto &[key, total] : totals)
      result.collectives.push_back(total);
    addMemory();
    return result;
  }

private:
  const Strategy &strategyOf(unsigned node) const {
    unsigned decision = problem.decisionOfNode[node];
    return problem.strategies[decision][choice[decision]];
  }

  void addTraffic(unsigned id) {
    const StepValue &value = graph.values[id];
    unsigned produced = problem.producedLayout(graph, id, choice);
    unsigned shared = problem.sharedLayout(graph, id, choice);
    addReshard(value.type, produced, problem.pool[shared]);
    for (const StepUse &use : value.uses)
      addReshard(value.type, shared,
                 problem.pool[strategyOf(use.node).operands[use.operand]]);
    for (unsigned returned : value.returnedAs) {
      int64_t argument = graph.replaced[returned];
      if (argument == int64_t(value.node))
        continue;
      if (argument >= 0)
        addReshard(value.type, shared,
                   problem.pool[strategyOf(argument).results[0]]);
      else if (problem.pinnedResult[returned] >= 0)
        addReshard(value.type, shared,
                   problem.pool[problem.pinnedResult[returned]]);
      else
        addReshard(value.type, shared, problem.pool[shared].withoutPartial());
    }
  }

  void addReshard(RankedTensorType type, unsigned from, const Layout &to) {
    if (problem.pool[from] == to)
      return;
    int64_t bytes = getElementBytes(type.getElementType());
    for (const ReshardStep &step : decomposeReshard(
             costs.getMesh(), type.getShape(), bytes, problem.pool[from], to)) {
      result.communication += costs.step(step, bytes);
      std::optional<CollectiveKind> kind = collectiveOf(step.kind);
      if (!kind)
        continue;
      std::vector<std::string> axes;
      for (MeshAxis axis : step.axes)
        axes.push_back(costs.getMesh().getName(axis).str());
      auto &total = totals[{*kind, axes}];
      total.kind = stringifyCollectiveKind(*kind).str();
      total.axes = axes;
      ++total.calls;
      total.bytes += step.bytes;
    }
  }

  void addMemory() {
    Bytes constants;
    for (unsigned node = 0; node < graph.argumentCount(); ++node) {
      const StepValue &value = graph.values[graph.nodes[node].results[0]];
      Bytes bytes = getTensorBytes(
          getLocalShape(costs.getMesh(), value.type.getShape(),
                        problem.pool[strategyOf(node).results[0]]),
          getElementBytes(value.type.getElementType()));
      const std::string &role = graph.arguments[node].role;
      if (role == "param")
        result.parameters += bytes;
      else if (role == "state")
        result.optimizerState += bytes;
      else if (role == "batch")
        result.batch += bytes;
      else
        constants += bytes;
    }
    result.peak = Bytes(problem.problem.peakBytes(
        std::vector<StrategyIndex>(choice.begin(), choice.end())));
    // Gradients and activations live in the rest; only the buffer plan of the
    // partitioned program can tell them apart.
    result.activations = result.peak - result.parameters -
                         result.optimizerState - result.batch - constants;
  }

  const StepGraph &graph;
  const StepProblem &problem;
  const CostModel &costs;
  ArrayRef<StrategyIndex> choice;
  Prediction result;
  std::map<std::pair<CollectiveKind, std::vector<std::string>>, CollectiveTotal>
      totals;
};

} // namespace

Prediction estimate(const StepGraph &graph, const StepProblem &problem,
                    const CostModel &costs, ArrayRef<StrategyIndex> choice) {
  return Estimator(graph, problem, costs, choice).run();
}

} // namespace shardsmith::plan

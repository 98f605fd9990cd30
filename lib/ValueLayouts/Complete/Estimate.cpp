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
            const MeshTimes &costs, ArrayRef<StrategyIndex> choice)
      : graph(graph), problem(problem), costs(costs), choice(choice) {}

  LayoutEstimate run() {
    for (unsigned node = graph.argumentCount(); node < graph.nodes.size();
         ++node)
      compute += getComputeTime(graph, graph.nodes[node], strategyOf(node),
                                problem.pool, costs) *
                 graph.nodes[node].repeats;
    for (unsigned node = graph.argumentCount(); node < graph.nodes.size();
         ++node)
      addMessages(graph.nodes[node], strategyOf(node));
    for (unsigned value = 0; value < graph.values.size(); ++value)
      addTraffic(value);
    for (auto &[key, total] : totals)
      result.collectives.push_back(total);
    addMemory();
    result.step = compute + communication;
    return {compute, communication, std::move(result)};
  }

private:
  const Strategy &strategyOf(unsigned node) const {
    unsigned decision = problem.decisionOfNode[node];
    return problem.strategies[decision][choice[decision]];
  }

  void addMessages(const StepNode &node, const Strategy &strategy) {
    for (const OpMessages &messages :
         getOpMessages(graph, node, strategy, problem.pool, costs)) {
      communication += messages.time * node.repeats;
      addCollective(messages.kind, messages.axes, messages.count * node.repeats,
                    messages.bytesEach * messages.count * node.repeats);
    }
  }

  void addCollective(CollectiveKind kind, ArrayRef<MeshAxis> along,
                     int64_t calls, Bytes bytes) {
    std::vector<std::string> axes;
    for (MeshAxis axis : along)
      axes.push_back(costs.getMesh().getName(axis).str());
    auto &total = totals[{kind, axes}];
    total.kind = stringifyCollectiveKind(kind).str();
    total.axes = axes;
    total.calls += calls;
    total.bytes += bytes;
  }

  void addTraffic(unsigned id) {
    const StepValue &value = graph.values[id];
    for (const Handout &handout : problem.handouts[id]) {
      unsigned handed = problem.handedLayout(graph, id, handout, choice);
      if (!value.isFree)
        addReshard(value.type,
                   problem.pool[problem.producedLayout(graph, id, choice)],
                   problem.pool[handed], handout.timesPerStep(graph, value));
      for (const StepUse &use : handout.uses) {
        const Layout &wanted =
            problem.pool[strategyOf(use.node).operands[use.operand]];
        addReshard(value.type,
                   value.isFree ? wanted.withoutPartial()
                                : problem.pool[handed],
                   wanted, getReshardsPerStep(value, graph.nodes[use.node]));
      }
      if (value.isFree)
        continue;
      for (unsigned returned : handout.returnedAs)
        addReshard(value.type, problem.pool[handed],
                   returnLayout(value, problem.pool[handed], returned), 1);
    }
  }

  Layout returnLayout(const StepValue &value, const Layout &handed,
                      unsigned returned) const {
    if (int64_t argument = graph.replaced[returned]; argument >= 0)
      return argument == int64_t(value.node)
                 ? handed
                 : problem.pool[strategyOf(argument).results[0]];
    if (problem.pinnedResult[returned] >= 0)
      return problem.pool[problem.pinnedResult[returned]];
    return handed.withoutPartial();
  }

  void addReshard(RankedTensorType type, const Layout &from, const Layout &to,
                  int64_t times) {
    int64_t bytes = getElementBytes(type.getElementType());
    for (const ReshardStep &step :
         decomposeReshard(costs.getMesh(), type.getShape(), bytes, from, to)) {
      communication += costs.step(step, bytes) * times;
      if (std::optional<CollectiveKind> kind = collectiveOf(step.kind))
        addCollective(*kind, step.axes, times, step.bytes * times);
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
  const MeshTimes &costs;
  ArrayRef<StrategyIndex> choice;
  Nanoseconds compute;
  Nanoseconds communication;
  StepPrediction result;
  std::map<std::pair<CollectiveKind, std::vector<std::string>>, CollectiveTotal>
      totals;
};

} // namespace

LayoutEstimate estimate(const StepGraph &graph, const StepProblem &problem,
                        const MeshTimes &costs,
                        ArrayRef<StrategyIndex> choice) {
  return Estimator(graph, problem, costs, choice).run();
}

} // namespace shardsmith::plan

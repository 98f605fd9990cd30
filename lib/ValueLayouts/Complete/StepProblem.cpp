// SPDX-License-Identifier: Apache-2.0

#include "StepProblem.h"

#include "ProblemParts.h"
#include "ReshardPrices.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

using namespace mlir;

namespace shardsmith::plan {
namespace {

/// Ops between two uses of an argument from which on each has its own
/// reshard, as in the pass `insert-reshards`.
constexpr unsigned shareDistance = 200;

/// Layouts that each strategy of a node gives its result, or asks of an
/// operand.
std::vector<unsigned> resultLayouts(const std::vector<Strategy> &strategies,
                                    unsigned result) {
  std::vector<unsigned> list;
  for (const Strategy &strategy : strategies)
    list.push_back(strategy.results[result]);
  return list;
}

std::vector<unsigned> operandLayouts(const std::vector<Strategy> &strategies,
                                     unsigned operand) {
  std::vector<unsigned> list;
  for (const Strategy &strategy : strategies)
    list.push_back(strategy.operands[operand]);
  return list;
}

class StepProblemBuilder {
public:
  explicit StepProblemBuilder(const ProblemInputs &inputs)
      : inputs(inputs), graph(inputs.graph), prices(inputs.costs, target.pool) {
  }

  llvm::Expected<StepProblem> run() {
    target.pinnedResult.assign(graph.results.size(), -1);
    if (llvm::Error error = addDecisions())
      return std::move(error);
    addHubs();
    addEdges();
    addComputeTimes();
    addMemory(inputs, target);
    return inProgramOrder(graph, std::move(target));
  }

private:
  unsigned addNode(std::vector<Strategy> strategies) {
    target.problem.nodes.emplace_back().costs.resize(strategies.size(), 0);
    target.strategies.push_back(std::move(strategies));
    return target.problem.nodes.size() - 1;
  }

  llvm::Error addDecisions() {
    // Signature and pins are equal within a class, so its first node stands
    // for all.
    std::vector<int64_t> decisionOfClass(inputs.ties.classCount, -1);
    for (unsigned node = 0; node < graph.nodes.size(); ++node) {
      int64_t &decision = decisionOfClass[inputs.ties.classOfNode[node]];
      if (decision < 0) {
        std::vector<Strategy> strategies =
            plan::strategiesOf(inputs, node, target.pool);
        if (strategies.empty())
          return impossible(node);
        decision = addNode(std::move(strategies));
      }
      target.decisionOfNode.push_back(decision);
    }
    return llvm::Error::success();
  }

  llvm::Error impossible(unsigned node) {
    if (graph.isArgument(node))
      return makeError(
          ExitCode::BadInput,
          "argument \"" + graph.arguments[node].name +
              "\" cannot have the sharding it is given: every axis must "
              "leave each shard at least one element, and a batch must "
              "divide evenly");
    std::string place;
    llvm::raw_string_ostream(place) << graph.nodes[node].op->getLoc();
    return makeError(ExitCode::BadInput,
                     place + ": '" +
                         graph.nodes[node].op->getName().getStringRef().str() +
                         "' cannot have the sharding it is given: a split "
                         "dimension must be a factor of its rule");
  }

  /// Splits the readers of every value into handouts and gives those with
  /// several readers a hub. Values that tied producers make at one result
  /// share hubs.
  void addHubs() {
    using Key = std::tuple<unsigned, unsigned, unsigned>;
    std::map<Key, std::vector<unsigned>> layouts;
    auto keyOf = [&](unsigned value, size_t handout) {
      const StepValue &entry = graph.values[value];
      return Key(target.decisionOfNode[entry.node], entry.result, handout);
    };
    target.handouts.resize(graph.values.size());
    for (unsigned id = 0; id < graph.values.size(); ++id) {
      target.handouts[id] = splitReaders(graph.values[id]);
      for (auto [index, handout] : llvm::enumerate(target.handouts[id]))
        if (isShared(graph.values[id], handout) || inputs.pins.handedOut[id])
          layouts[keyOf(id, index)];
    }
    // Layouts that some producer or reader has.
    auto forEachHandout = [&](auto visit) {
      for (unsigned id = 0; id < graph.values.size(); ++id)
        for (auto [index, handout] : llvm::enumerate(target.handouts[id]))
          if (auto found = layouts.find(keyOf(id, index));
              found != layouts.end())
            visit(id, handout, found);
    };
    forEachHandout([&](unsigned id, Handout &handout, auto found) {
      const StepValue &value = graph.values[id];
      if (const std::optional<Layout> &pinned = inputs.pins.handedOut[id]) {
        found->second = {target.pool.add(*pinned)};
        return;
      }
      auto append = [&](const std::vector<unsigned> &more) {
        found->second.insert(found->second.end(), more.begin(), more.end());
      };
      append(resultLayouts(strategiesOf(value.node), value.result));
      for (const StepUse &use : handout.uses)
        append(operandLayouts(strategiesOf(use.node), use.operand));
      std::sort(found->second.begin(), found->second.end());
      found->second.erase(
          std::unique(found->second.begin(), found->second.end()),
          found->second.end());
    });
    std::map<Key, int64_t> hubs;
    for (const auto &[key, list] : layouts) {
      std::vector<Strategy> strategies;
      for (unsigned layout : list)
        strategies.push_back({{}, {}, {layout}});
      hubs[key] = addNode(std::move(strategies));
    }
    forEachHandout([&](unsigned, Handout &handout, auto found) {
      handout.hub = hubs[found->first];
    });
  }

  std::vector<Handout> splitReaders(const StepValue &value) const {
    std::vector<Handout> handouts;
    if (!graph.isArgument(value.node)) {
      handouts.push_back({-1, value.uses, value.returnedAs});
      return handouts;
    }
    // Uses are in program order.
    for (const StepUse &use : value.uses) {
      bool isNear = !handouts.empty() &&
                    use.node - handouts.back().uses.back().node < shareDistance;
      if (!isNear)
        handouts.emplace_back();
      handouts.back().uses.push_back(use);
    }
    if (!value.returnedAs.empty())
      handouts.push_back({-1, {}, value.returnedAs});
    return handouts;
  }

  bool isShared(const StepValue &value, const Handout &handout) const {
    return handout.uses.size() + handout.returnedAs.size() > 1 &&
           value.type.getRank() > 0 && !value.isFree &&
           !(graph.isArgument(value.node) && handout.uses.empty());
  }

  const std::vector<Strategy> &strategiesOf(unsigned node) const {
    return target.strategies[target.decisionOfNode[node]];
  }

  /// Counts edges that are equal in every respect, then adds each once.
  void addEdges() {
    for (unsigned id = 0; id < graph.values.size(); ++id) {
      const StepValue &value = graph.values[id];
      if (value.isFree) {
        addFreeUses(value);
        continue;
      }
      for (const Handout &handout : target.handouts[id])
        addHandout(value, handout);
    }
    for (auto &[edge, times] : edges) {
      auto [type, first, second, fromList, toList] = edge;
      auto table = prices.table(
          llvm::cast<RankedTensorType>(Type::getFromOpaquePointer(type)),
          layoutLists[fromList], layoutLists[toList], times);
      if (first != second) {
        target.problem.edges.push_back({first, second, table});
        continue;
      }
      auto &costs = target.problem.nodes[first].costs;
      for (StrategyIndex s = 0; s < costs.size(); ++s)
        costs[s] = addCosts(costs[s], table->at(s, s));
    }
  }

  void addHandout(const StepValue &value, const Handout &handout) {
    unsigned source = target.decisionOfNode[value.node];
    std::vector<unsigned> from =
        resultLayouts(strategiesOf(value.node), value.result);
    if (handout.hub >= 0) {
      std::vector<unsigned> shared =
          resultLayouts(target.strategies[handout.hub], 0);
      count(value.type, source, from, handout.hub, shared,
            handout.timesPerStep(graph, value));
      source = handout.hub;
      from = std::move(shared);
    }
    for (const StepUse &use : handout.uses)
      count(value.type, source, from, target.decisionOfNode[use.node],
            operandLayouts(strategiesOf(use.node), use.operand),
            getReshardsPerStep(value, graph.nodes[use.node]));
    for (unsigned returned : handout.returnedAs)
      addReturn(value, source, from, returned);
  }

  /// A free value has the layout that is wanted, except that it is not
  /// partial.
  void addFreeUses(const StepValue &value) {
    for (const StepUse &use : value.uses) {
      const auto &strategies = strategiesOf(use.node);
      auto &costs = target.problem.nodes[target.decisionOfNode[use.node]].costs;
      for (StrategyIndex s = 0; s < costs.size(); ++s) {
        unsigned to = strategies[s].operands[use.operand];
        unsigned from =
            target.pool.add(Layout(target.pool[to]).withoutPartial());
        Nanoseconds price(prices.price(value.type, from, to));
        int64_t times = getReshardsPerStep(value, graph.nodes[use.node]);
        costs[s] = addCosts(costs[s], (price * times).count());
      }
    }
  }

  void count(RankedTensorType type, unsigned first,
             const std::vector<unsigned> &from, unsigned second,
             const std::vector<unsigned> &to, int64_t times) {
    edges[{type.getAsOpaquePointer(), first, second, listId(from),
           listId(to)}] += times;
  }

  unsigned listId(const std::vector<unsigned> &list) {
    auto [entry, isNew] = listIds.try_emplace(list, layoutLists.size());
    if (isNew)
      layoutLists.push_back(list);
    return entry->second;
  }

  /// A new parameter gets the layout of the argument it replaces; any other
  /// result that of its pin, or stays as it is once it is no partial sum.
  void addReturn(const StepValue &value, unsigned source,
                 const std::vector<unsigned> &from, unsigned returned) {
    if (int64_t argument = graph.replaced[returned]; argument >= 0) {
      if (argument != int64_t(value.node))
        count(value.type, source, from, target.decisionOfNode[argument],
              resultLayouts(strategiesOf(argument), 0), 1);
      return;
    }
    const std::optional<Pin> &pin = inputs.pins.results[returned];
    if (pin)
      target.pinnedResult[returned] = target.pool.add(pin->layout);
    auto &costs = target.problem.nodes[source].costs;
    for (StrategyIndex s = 0; s < costs.size(); ++s) {
      unsigned to =
          pin ? unsigned(target.pinnedResult[returned])
              : target.pool.add(Layout(target.pool[from[s]]).withoutPartial());
      costs[s] = addCosts(costs[s], prices.price(value.type, from[s], to));
    }
  }

  void addComputeTimes() {
    // Which tensors are in memory decides the time, and may differ within a
    // class: at its borders.
    std::map<std::pair<unsigned, std::vector<bool>>,
             std::pair<unsigned, int64_t>>
        patterns;
    for (unsigned node = graph.argumentCount(); node < graph.nodes.size();
         ++node) {
      std::vector<bool> inMemory = graph.nodes[node].readsMemory;
      for (const auto *list :
           {&graph.nodes[node].operands, &graph.nodes[node].results})
        for (unsigned value : *list)
          inMemory.push_back(graph.values[value].inMemory);
      auto &pattern =
          patterns[{target.decisionOfNode[node], std::move(inMemory)}];
      pattern.first = node;
      pattern.second += graph.nodes[node].repeats;
    }
    for (const auto &[key, pattern] : patterns) {
      auto [node, times] = pattern;
      auto &costs = target.problem.nodes[key.first].costs;
      const auto &strategies = target.strategies[key.first];
      for (StrategyIndex s = 0; s < costs.size(); ++s) {
        Nanoseconds time = getComputeTime(
            graph, graph.nodes[node], strategies[s], target.pool, inputs.costs);
        for (const OpMessages &messages :
             getOpMessages(graph, graph.nodes[node], strategies[s], target.pool,
                           inputs.costs))
          time += messages.time;
        costs[s] = addCosts(costs[s], (time * times).count());
      }
    }
  }

  const ProblemInputs &inputs;
  const StepGraph &graph;
  StepProblem target;
  ReshardPrices prices;
  std::map<std::tuple<const void *, unsigned, unsigned, unsigned, unsigned>,
           int64_t>
      edges;
  std::map<std::vector<unsigned>, unsigned> listIds;
  std::vector<std::vector<unsigned>> layoutLists;
};

} // namespace

std::vector<Placed> placeNothing(const StepGraph &graph) {
  std::vector<Placed> placed;
  for (const StepNode &node : graph.nodes) {
    Placed &each = placed.emplace_back();
    if (node.rule)
      each.axes = FactorAxes::none(*node.rule);
    else
      each.layout =
          Layout::replicated(graph.values[node.results.front()].type.getRank());
  }
  return placed;
}

std::vector<Placed> placedBy(const StepGraph &graph, const StepProblem &problem,
                             ArrayRef<StrategyIndex> choice) {
  std::vector<Placed> placed;
  for (unsigned node = 0; node < graph.nodes.size(); ++node) {
    unsigned decision = problem.decisionOfNode[node];
    const Strategy &strategy = problem.strategies[decision][choice[decision]];
    Placed &each = placed.emplace_back();
    if (graph.isArgument(node))
      each.layout = problem.pool[strategy.results.front()];
    else
      each.axes = strategy.axes;
  }
  return placed;
}

int64_t Handout::timesPerStep(const StepGraph &graph,
                              const StepValue &value) const {
  bool isArgument = graph.isArgument(value.node) && !uses.empty();
  return getReshardsPerStep(
      value, graph.nodes[isArgument ? uses.front().node : value.node]);
}

unsigned StepProblem::producedLayout(const StepGraph &graph, unsigned value,
                                     ArrayRef<StrategyIndex> choice) const {
  const StepValue &entry = graph.values[value];
  unsigned decision = decisionOfNode[entry.node];
  return strategies[decision][choice[decision]].results[entry.result];
}

unsigned StepProblem::handedLayout(const StepGraph &graph, unsigned value,
                                   const Handout &handout,
                                   ArrayRef<StrategyIndex> choice) const {
  if (handout.hub < 0)
    return producedLayout(graph, value, choice);
  return strategies[handout.hub][choice[handout.hub]].results[0];
}

llvm::Expected<StepProblem> buildStepProblem(const ProblemInputs &inputs) {
  return StepProblemBuilder(inputs).run();
}

} // namespace shardsmith::plan

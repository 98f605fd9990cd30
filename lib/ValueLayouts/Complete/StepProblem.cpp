// SPDX-License-Identifier: Apache-2.0

#include "StepProblem.h"

#include "shardsmith/Dialect/Smith/MicroBatchOps.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <unordered_map>

using namespace mlir;

namespace shardsmith::plan {
namespace {

/// Ops between two uses of an argument from which on each has its own
/// reshard, as in the pass `insert-reshards`.
constexpr unsigned shareDistance = 200;

/// Prices of all reshards from one list of layouts to another, each computed
/// once.
class ReshardPrices {
public:
  ReshardPrices(const MeshTimes &costs, const LayoutPool &pool)
      : costs(costs), pool(pool) {}

  int64_t price(RankedTensorType type, unsigned from, unsigned to) {
    if (from == to)
      return 0;
    Key key{type.getAsOpaquePointer(), from, to};
    auto [entry, isNew] = prices.try_emplace(key, 0);
    if (isNew) {
      int64_t bytes = getElementBytes(type.getElementType());
      entry->second = std::min(
          costs
              .reshard(decomposeReshard(costs.getMesh(), type.getShape(), bytes,
                                        pool[from], pool[to]),
                       bytes)
              .count(),
          forbiddenCost);
    }
    return entry->second;
  }

  std::shared_ptr<const CostTable> table(RankedTensorType type,
                                         const std::vector<unsigned> &from,
                                         const std::vector<unsigned> &to,
                                         int64_t times) {
    auto &cached =
        tables[{type.getAsOpaquePointer(), listId(from), listId(to), times}];
    if (cached)
      return cached;
    auto table = std::make_shared<CostTable>();
    table->rows = from.size();
    table->columns = to.size();
    for (unsigned row : from)
      for (unsigned column : to)
        table->entries.push_back(
            (Nanoseconds(price(type, row, column)) * times).count());
    cached = table;
    return cached;
  }

private:
  struct Key {
    const void *type;
    unsigned from;
    unsigned to;
    bool operator==(const Key &) const = default;
  };
  struct Hash {
    size_t operator()(const Key &key) const {
      return llvm::hash_combine(key.type, key.from, key.to);
    }
  };

  unsigned listId(const std::vector<unsigned> &list) {
    return lists.try_emplace(list, lists.size()).first->second;
  }

  const MeshTimes &costs;
  const LayoutPool &pool;
  std::unordered_map<Key, int64_t, Hash> prices;
  std::map<std::vector<unsigned>, unsigned> lists;
  std::map<std::tuple<const void *, unsigned, unsigned, int64_t>,
           std::shared_ptr<const CostTable>>
      tables;
};

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

class Builder {
public:
  explicit Builder(const ProblemInputs &inputs)
      : inputs(inputs), graph(inputs.graph), prices(inputs.costs, target.pool) {
  }

  llvm::Expected<StepProblem> run() {
    target.pinnedResult.assign(graph.results.size(), -1);
    if (llvm::Error error = addDecisions())
      return std::move(error);
    addHubs();
    addEdges();
    addComputeTimes();
    addMemory();
    sortNodes();
    return std::move(target);
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
        std::vector<Strategy> strategies = graph.isArgument(node)
                                               ? strategiesOfArgument(node)
                                               : strategiesOfOp(node);
        if (strategies.empty())
          return impossible(node);
        decision = addNode(std::move(strategies));
      }
      target.decisionOfNode.push_back(decision);
    }
    return llvm::Error::success();
  }

  std::vector<Strategy> strategiesOfArgument(unsigned node) {
    ArrayRef<int64_t> shape =
        graph.values[graph.nodes[node].results[0]].type.getShape();
    std::vector<Layout> layouts;
    for (const Strategy &strategy : enumerateLayouts(
             inputs.costs.getMesh(), shape, inputs.placed[node].layout,
             inputs.range, target.pool))
      layouts.push_back(target.pool[strategy.results[0]]);
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
      strategies.push_back({{}, {}, {target.pool.add(layout)}});
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
      return {makeStrategy(mesh, rule, *axes, target.pool)};
    std::vector<Strategy> strategies = enumerateStrategies(
        mesh, rule, inputs.placed[node].axes, inputs.range, target.pool);
    if (isa<smith::AccumulateOp>(graph.nodes[node].op) &&
        graph.function->hasAttr(smith::kSplitSumsAttributeName))
      strategies = inputs.rules.splitSums(std::move(strategies));
    for (auto [result, value] : llvm::enumerate(graph.nodes[node].results)) {
      const std::optional<Pin> &pin = inputs.pins.values[value];
      if (!pin)
        continue;
      llvm::erase_if(strategies, [&, result = result](const Strategy &s) {
        return !pin->accepts(target.pool[s.results[result]]);
      });
    }
    return strategies;
  }

  Strategy wholeStrategy(unsigned node) {
    Strategy strategy;
    strategy.axes = FactorAxes::none(*graph.nodes[node].rule);
    for (unsigned value : graph.nodes[node].results)
      strategy.results.push_back(target.pool.add(
          Layout::replicated(graph.values[value].type.getRank())));
    return strategy;
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
        costs[s] = addCosts(costs[s], prices.price(value.type, from, to));
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
        if (auto ring = getRingMessages(graph, graph.nodes[node], strategies[s],
                                        target.pool, inputs.costs))
          time += ring->time;
        costs[s] = addCosts(costs[s], (time * times).count());
      }
    }
  }

  /// Arguments stay for the whole step. Results live until their last use;
  /// where a hub hands the value out, it is the hub that keeps it. A result
  /// of an element-wise op that replaces an argument is written over it.
  void addMemory() {
    int64_t end = int64_t(graph.nodes.size());
    for (unsigned id = 0; id < graph.values.size(); ++id) {
      const StepValue &value = graph.values[id];
      unsigned producer = target.decisionOfNode[value.node];
      if (graph.isArgument(value.node)) {
        keep(producer, value, 0, 0, end);
        continue;
      }
      if (!value.inMemory || value.isFree || replacesArgument(value))
        continue;
      int64_t begin = value.node, last = begin;
      // Sums are there from the first micro-batch on.
      if (isa<smith::AccumulateOp>(graph.nodes[value.node].op))
        begin = graph.argumentCount();
      for (const StepUse &use : value.uses)
        last = std::max<int64_t>(last, use.node);
      if (!value.returnedAs.empty())
        last = end - 1;
      int64_t hub = target.handouts[id].front().hub;
      if (hub < 0) {
        keep(producer, value, value.result, begin, last + 1);
        continue;
      }
      keep(producer, value, value.result, begin, begin + 1);
      keep(hub, value, 0, begin + 1, last + 1);
    }
  }

  /// Numbers the problem's nodes in program order: a hub after the producer,
  /// an argument before its first use. The solver's bound follows chains of
  /// rising numbers, and these are the chains that values take.
  void sortNodes() {
    size_t count = target.problem.nodes.size();
    std::vector<int64_t> position(count, INT64_MAX);
    auto place = [&](int64_t node, int64_t at) {
      position[node] = std::min(position[node], at);
    };
    for (unsigned node = graph.argumentCount(); node < graph.nodes.size();
         ++node)
      place(target.decisionOfNode[node], 4 * int64_t(node));
    for (unsigned id = 0; id < graph.values.size(); ++id) {
      unsigned node = graph.values[id].node;
      for (const Handout &handout : target.handouts[id]) {
        int64_t at = 4 * int64_t(node) + 1;
        if (graph.isArgument(node)) {
          at = handout.uses.empty() ? 0 : 4 * int64_t(handout.uses[0].node) - 1;
          place(target.decisionOfNode[node], at - 1);
        }
        if (handout.hub >= 0)
          place(handout.hub, at);
      }
    }
    std::vector<unsigned> order(count), numberOf(count);
    for (unsigned node = 0; node < count; ++node)
      order[node] = node;
    std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
      return std::pair(position[a], a) < std::pair(position[b], b);
    });
    StepProblem sorted = std::move(target);
    target = StepProblem();
    for (unsigned number = 0; number < count; ++number) {
      numberOf[order[number]] = number;
      target.problem.nodes.push_back(
          std::move(sorted.problem.nodes[order[number]]));
      target.strategies.push_back(std::move(sorted.strategies[order[number]]));
    }
    for (const PlanEdge &edge : sorted.problem.edges)
      target.problem.edges.push_back(
          {numberOf[edge.first], numberOf[edge.second], edge.table});
    target.pool = std::move(sorted.pool);
    for (unsigned decision : sorted.decisionOfNode)
      target.decisionOfNode.push_back(numberOf[decision]);
    target.handouts = std::move(sorted.handouts);
    for (auto &list : target.handouts)
      for (Handout &handout : list)
        if (handout.hub >= 0)
          handout.hub = numberOf[handout.hub];
    target.pinnedResult = std::move(sorted.pinnedResult);
  }

  bool replacesArgument(const StepValue &value) const {
    const StepNode &producer = graph.nodes[value.node];
    bool isReplacement = llvm::any_of(value.returnedAs, [&](unsigned returned) {
      return graph.replaced[returned] >= 0;
    });
    if (!isReplacement)
      return false;
    SmallVector<RankedTensorType> operands, results;
    for (unsigned operand : producer.operands)
      operands.push_back(graph.values[operand].type);
    for (unsigned result : producer.results)
      results.push_back(graph.values[result].type);
    return getWorkOf(producer.op, operands, results).kind ==
           OpWork::Kind::Elementwise;
  }

  void keep(unsigned node, const StepValue &value, unsigned result,
            int64_t begin, int64_t end) {
    auto &bytes = sizes[{value.type.getAsOpaquePointer(), node, result}];
    if (!bytes) {
      auto list = std::make_shared<std::vector<int64_t>>();
      int64_t element = getElementBytes(value.type.getElementType());
      for (const Strategy &strategy : target.strategies[node])
        list->push_back(
            getTensorBytes(getLocalShape(inputs.costs.getMesh(),
                                         value.type.getShape(),
                                         target.pool[strategy.results[result]]),
                           element)
                .count());
      bytes = list;
    }
    target.problem.nodes[node].memory.push_back({begin, end, bytes});
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
  std::map<std::tuple<const void *, unsigned, unsigned>,
           std::shared_ptr<const std::vector<int64_t>>>
      sizes;
};

/// The part of `bytes` that the tensors which count have of all tensors.
Bytes scaledTo(const std::vector<bool> &counts, Bytes bytes,
               ArrayRef<RankedTensorType> types) {
  Bytes all, inMemory;
  for (auto [type, isCounted] : llvm::zip_equal(types, counts)) {
    Bytes size =
        getTensorBytes(type.getShape(), getElementBytes(type.getElementType()));
    all += size;
    if (isCounted)
      inMemory += size;
  }
  if (all == inMemory || all == Bytes(0))
    return bytes;
  return Bytes(int64_t(double(bytes.count()) * double(inMemory.count()) /
                       double(all.count())));
}

SmallVector<RankedTensorType> localTypes(const StepGraph &graph,
                                         ArrayRef<unsigned> values,
                                         ArrayRef<unsigned> layouts,
                                         const LayoutPool &pool,
                                         const MeshTimes &costs) {
  SmallVector<RankedTensorType> types;
  for (auto [value, layout] : llvm::zip_equal(values, layouts)) {
    RankedTensorType type = graph.values[value].type;
    types.push_back(RankedTensorType::get(
        getLocalShape(costs.getMesh(), type.getShape(), pool[layout]),
        type.getElementType()));
  }
  return types;
}

} // namespace

Nanoseconds getComputeTime(const StepGraph &graph, const StepNode &node,
                           const Strategy &strategy, const LayoutPool &pool,
                           const MeshTimes &costs) {
  auto operands =
      localTypes(graph, node.operands, strategy.operands, pool, costs);
  auto results = localTypes(graph, node.results, strategy.results, pool, costs);
  OpWork work = getWorkOf(node.op, operands, results);
  if (work.kind == OpWork::Kind::Elementwise) {
    std::vector<bool> isRead = node.readsMemory, isWritten;
    for (auto [operand, value] : llvm::enumerate(node.operands))
      isRead[operand] = isRead[operand] && graph.values[value].inMemory;
    for (unsigned value : node.results)
      isWritten.push_back(graph.values[value].inMemory);
    work.read = scaledTo(isRead, work.read, operands);
    work.written = scaledTo(isWritten, work.written, results);
  }
  Type element;
  if (!results.empty())
    element = results.front().getElementType();
  if (work.kind == OpWork::Kind::Matmul || !element)
    element = operands.front().getElementType();
  Nanoseconds time = costs.kernel(work, element);
  if (!work.ring)
    return time;
  return time * work.ring->turns(costs.getMesh().countShards(
                    strategy.axes.factors[work.ring->factor]));
}

std::optional<RingMessages> getRingMessages(const StepGraph &graph,
                                            const StepNode &node,
                                            const Strategy &strategy,
                                            const LayoutPool &pool,
                                            const MeshTimes &costs) {
  OpWork work = getWorkOf(
      node.op, localTypes(graph, node.operands, strategy.operands, pool, costs),
      localTypes(graph, node.results, strategy.results, pool, costs));
  if (!work.ring || strategy.axes.factors[work.ring->factor].empty())
    return std::nullopt;
  const AxisList &axes = strategy.axes.factors[work.ring->factor];
  int64_t count = costs.getMesh().countShards(axes) - 1;
  return RingMessages{
      axes, count, work.ring->message,
      costs.collective(CollectiveKind::Permute, axes, work.ring->message) *
          count};
}

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
  return Builder(inputs).run();
}

} // namespace shardsmith::plan

// SPDX-License-Identifier: Apache-2.0

#include "AttentionPattern.h"

#include "CausalMask.h"
#include "Fusible.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;

namespace shardsmith::workload {
namespace {

using Part = AttentionLeaf::Part;

/// Longer ways from one product to the next are no softmax.
constexpr size_t mostOps = 64;

/// Tries to make an attention of the product `mix` whose operand `position`
/// holds the probabilities.
class Matcher {
public:
  Matcher(ModelGraph &graph, stablehlo::DotGeneralOp mix, unsigned position)
      : graph(graph), mix(mix), position(position) {}

  std::optional<Attention> run() {
    if (!collectRegion() || !isSoftmax() || !isClosed() || !mapToScores() ||
        !nameParts())
      return std::nullopt;
    takeScale(result.query);
    takeScale(result.key);
    findOthers();
    result.causal = isCausal();
    result.scores = scores;
    result.mix = mix;
    result.ops.assign(region.begin(), region.end());
    result.ops.push_back(scores);
    result.ops.push_back(mix);
    llvm::sort(result.ops, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    return std::move(result);
  }

private:
  Value probabilities() { return mix->getOperand(position); }

  /// Ops on the ways from a product to the probabilities.
  bool collectRegion() {
    SmallVector<Operation *> stack;
    llvm::SetVector<Operation *> visited, products;
    auto push = [&](Value value) {
      Operation *op = value.getDefiningOp();
      if (!op || graph.originOf(value) != Origin::Activation)
        return;
      if (isa<stablehlo::DotGeneralOp>(op))
        products.insert(op);
      else if ((isView(op) || isFusible(op)) && visited.insert(op))
        stack.push_back(op);
    };
    push(probabilities());
    while (!stack.empty() && visited.size() <= mostOps)
      for (Value operand : stack.pop_back_val()->getOperands())
        push(operand);
    // The nearest product that an exponential is between.
    for (Operation *product : products) {
      reached.clear();
      reached.insert(product);
      SmallVector<Operation *> order(visited.begin(), visited.end());
      llvm::sort(order, [](Operation *a, Operation *b) {
        return a->isBeforeInBlock(b);
      });
      region.clear();
      for (Operation *op : order)
        if (llvm::any_of(op->getOperands(), [&](Value operand) {
              return reached.contains(operand.getDefiningOp());
            })) {
          reached.insert(op);
          region.insert(op);
        }
      scores = cast<stablehlo::DotGeneralOp>(product);
      if (reached.contains(probabilities().getDefiningOp()) && isSoftmax())
        return true;
    }
    return false;
  }

  /// An exponential, and a sum of exponentials.
  bool isSoftmax() {
    llvm::DenseSet<Operation *> exponentials;
    for (Operation *op : region) {
      bool isExponential = isa<stablehlo::ExpOp>(op);
      for (Value operand : op->getOperands())
        isExponential |= exponentials.contains(operand.getDefiningOp());
      if (!isExponential)
        continue;
      if (isa<stablehlo::ReduceOp>(op))
        return true;
      exponentials.insert(op);
    }
    return false;
  }

  /// Nobody else reads what is in between.
  bool isClosed() {
    auto isInside = [&](Operation *user) {
      return user == mix || region.contains(user) || !graph.isLive(user);
    };
    return llvm::all_of(region,
                        [&](Operation *op) {
                          return llvm::all_of(op->getUsers(), isInside);
                        }) &&
           llvm::all_of(scores->getUsers(), isInside);
  }

  /// Goes back from the probabilities along ops that keep positions, and
  /// notes for each where its leaves are among those of the probabilities.
  bool mapToScores() {
    Value value = probabilities();
    size_t count = graph.leavesOf(value).size();
    SmallVector<int, 4> place;
    for (size_t leaf = 0; leaf < count; ++leaf)
      place.push_back(leaf);
    while (value.getDefiningOp() != scores) {
      Operation *op = value.getDefiningOp();
      places[op] = place;
      LeafRule rule = graph.leafRuleOf(op);
      bool found = false;
      for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
        Operation *producer = operand.getDefiningOp();
        if (!producer || (producer != scores && !region.contains(producer)))
          continue;
        SmallVector<int, 4> next(count, -1);
        for (size_t leaf = 0; leaf < count; ++leaf)
          for (auto [other, factor] : llvm::enumerate(rule.operands[index]))
            if (factor == rule.results[0][place[leaf]])
              next[leaf] = other;
        if (llvm::is_contained(next, -1))
          continue;
        place = std::move(next);
        value = operand;
        found = true;
        break;
      }
      if (!found)
        return false;
    }
    scorePlace = std::move(place);
    return graph.leavesOf(scores->getResult(0)).size() == count;
  }

  /// Numbers the leaves of both products and says which part each plays.
  bool nameParts() {
    LeafRule first = graph.leafRuleOf(scores), second = graph.leafRuleOf(mix);
    ArrayRef<unsigned> probabilityFactors = second.operands[position];
    SmallVector<int> numberOfFirst(first.factors.size(), -1),
        numberOfSecond(second.factors.size(), -1);
    unsigned valueOperand = 1 - position;
    result.value.value = mix->getOperand(valueOperand);
    result.result.value = mix->getResult(0);
    result.probabilities.value = probabilities();

    auto number = [&](SmallVector<int> &numbers, unsigned factor, Value value,
                      size_t leaf) {
      if (numbers[factor] < 0) {
        numbers[factor] = result.leaves.size();
        const Leaf &entry = graph.leavesOf(value)[leaf];
        result.leaves.push_back({Part::Batch, entry.size, entry.axis});
      }
      return unsigned(numbers[factor]);
    };
    auto numberAll = [&](SmallVector<int> &numbers, ArrayRef<unsigned> factors,
                         Attention::Operand &operand) {
      for (auto [leaf, factor] : llvm::enumerate(factors))
        operand.leaves.push_back(number(numbers, factor, operand.value, leaf));
    };
    // The keys' leaf decides which operand of the scores holds keys.
    std::optional<unsigned> keyFactor;
    for (auto [leaf, factor] : llvm::enumerate(probabilityFactors)) {
      if (second.factors[factor].kind != shardsmith::FactorKind::Reduction)
        continue;
      if (keyFactor)
        return false;
      keyFactor = first.results[0][scorePlace[leaf]];
    }
    if (!keyFactor)
      return false;
    bool keysAreRight = llvm::is_contained(first.operands[1], *keyFactor);
    if (keysAreRight == llvm::is_contained(first.operands[0], *keyFactor))
      return false;
    unsigned queryOperand = keysAreRight ? 0 : 1;
    result.query.value = scores->getOperand(queryOperand);
    result.key.value = scores->getOperand(1 - queryOperand);
    numberAll(numberOfFirst, first.operands[queryOperand], result.query);
    numberAll(numberOfFirst, first.operands[1 - queryOperand], result.key);
    for (auto [leaf, factor] : llvm::enumerate(probabilityFactors)) {
      int known = numberOfFirst[first.results[0][scorePlace[leaf]]];
      numberOfSecond[factor] = known;
      result.probabilities.leaves.push_back(known);
    }
    size_t beforeValues = result.leaves.size();
    numberAll(numberOfSecond, second.operands[valueOperand], result.value);
    numberAll(numberOfSecond, second.results[0], result.result);
    return assignParts(numberOfFirst[*keyFactor], beforeValues);
  }

  bool assignParts(unsigned keyLeaf, size_t firstValueLeaf) {
    auto has = [&](const Attention::Operand &operand, unsigned leaf) {
      return llvm::is_contained(operand.leaves, leaf);
    };
    AxisId keyAxis = result.leaves[keyLeaf].axis;
    std::optional<unsigned> queryLeaf;
    for (auto [leaf, entry] : llvm::enumerate(result.leaves)) {
      bool inQuery = has(result.query, leaf), inKey = has(result.key, leaf),
           inValue = has(result.value, leaf);
      if (graph.axes.roleOf(entry.axis) == FactorRole::Batch)
        entry.part = Part::Batch;
      else if (leaf == keyLeaf)
        entry.part = Part::Key;
      else if (leaf >= firstValueLeaf)
        entry.part = Part::Value;
      else if (inQuery && inKey)
        entry.part = has(result.probabilities, leaf) ? Part::KeyValueHead
                                                     : Part::HeadSize;
      else if (inQuery)
        entry.part = Part::Group;
      else
        return false;
      if (entry.part == Part::KeyValueHead && !inValue)
        return false;
      if (entry.part != Part::Group)
        continue;
      // Queries are positions like keys; among several, the last is.
      bool isPosition = entry.axis == keyAxis ||
                        graph.axes.roleOf(entry.axis) == FactorRole::Sequence;
      if (!queryLeaf || isPosition || result.leaves[*queryLeaf].axis != keyAxis)
        queryLeaf = leaf;
    }
    if (!queryLeaf || !has(result.value, keyLeaf))
      return false;
    result.leaves[*queryLeaf].part = Part::Query;
    // Heads of keys that are copies of one another are one head.
    Source keySource = sourceOf(graph, result.key.value);
    for (auto [index, leaf] : llvm::enumerate(result.key.leaves))
      if (result.leaves[leaf].part == Part::KeyValueHead &&
          keySource.leafOf[index] < 0)
        result.leaves[leaf].part = Part::Group;
    for (unsigned leaf : {*queryLeaf, keyLeaf})
      graph.axes.setRole(result.leaves[leaf].axis, FactorRole::Sequence);
    return true;
  }

  /// q · scale is part of attention if nothing else reads it.
  void takeScale(Attention::Operand &operand) {
    Source source = sourceOf(graph, operand.value);
    for (Value view = operand.value; view != source.root;
         view = view.getDefiningOp()->getOperand(0))
      if (!view.hasOneUse())
        return;
    bool hasAllElements = source.leafOf.size() == source.reads.size() &&
                          !llvm::is_contained(source.leafOf, -1);
    Operation *op = source.root.getDefiningOp();
    if (!isa_and_nonnull<stablehlo::MulOp, stablehlo::DivOp>(op) ||
        !op->hasOneUse() || !hasAllElements)
      return;
    bool isRight = graph.originOf(op->getOperand(0)) == Origin::Constant &&
                   isa<stablehlo::MulOp>(op);
    if (graph.originOf(op->getOperand(isRight ? 0 : 1)) != Origin::Constant)
      return;
    SmallVector<unsigned, 4> leaves(operand.leaves.size());
    for (auto [leaf, place] : llvm::enumerate(source.leafOf))
      leaves[place] = operand.leaves[leaf];
    operand.leaves = std::move(leaves);
    operand.value = op->getOperand(isRight ? 1 : 0);
    region.insert(op);
  }

  void findOthers() {
    for (Operation *op : region) {
      if (!places.contains(op) || isView(op))
        continue;
      LeafRule rule = graph.leafRuleOf(op);
      ArrayRef<int> place = places[op];
      for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
        Origin origin = graph.originOf(operand);
        Operation *producer = operand.getDefiningOp();
        bool isInside = producer == scores || region.contains(producer) ||
                        operand == result.query.value ||
                        operand == result.key.value;
        if (origin == Origin::Constant || isInside)
          continue;
        Attention::Operand &other = result.others.emplace_back();
        other.value = operand;
        for (unsigned factor : rule.operands[index]) {
          unsigned number = Attention::noLeaf;
          for (auto [leaf, at] : llvm::enumerate(place))
            if (rule.results[0][at] == factor)
              number = result.probabilities.leaves[leaf];
          other.leaves.push_back(number);
        }
      }
    }
  }

  /// Some mask hides exactly what is behind each query.
  bool isCausal() {
    auto placeOf = [&](ArrayRef<int> place,
                       Part part) -> std::optional<unsigned> {
      for (auto [leaf, number] : llvm::enumerate(result.probabilities.leaves))
        if (result.leaves[number].part == part)
          return place[leaf];
      return std::nullopt;
    };
    return llvm::any_of(places, [&](const auto &entry) {
      std::optional<unsigned> query = placeOf(entry.second, Part::Query),
                              key = placeOf(entry.second, Part::Key);
      return query && key && hidesFuture(graph, entry.first, *query, *key);
    });
  }

  ModelGraph &graph;
  stablehlo::DotGeneralOp mix, scores;
  unsigned position;
  llvm::SetVector<Operation *> region;
  llvm::DenseSet<Operation *> reached;
  /// Ops from the scores to the probabilities that keep positions: per leaf of
  /// the probabilities the leaf of the op's result.
  llvm::MapVector<Operation *, SmallVector<int, 4>> places;
  SmallVector<int, 4> scorePlace;
  Attention result;
};

} // namespace

std::vector<Attention> findAttentions(ModelGraph &graph,
                                      func::FuncOp function) {
  std::vector<Attention> found;
  for (auto mix : function.getOps<stablehlo::DotGeneralOp>())
    for (unsigned position : {0u, 1u}) {
      if (!graph.isLive(mix))
        continue;
      if (auto attention = Matcher(graph, mix, position).run()) {
        found.push_back(std::move(*attention));
        break;
      }
    }
  return found;
}

} // namespace shardsmith::workload

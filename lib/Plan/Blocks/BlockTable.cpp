// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/BlockTable.h"
#include "BlockSum.h"
#include "Front.h"

#include <algorithm>

namespace shardsmith {

using namespace workload;
using namespace blocks;

namespace {

template <typename Sums> class BlockTableBuilder {
public:
  BlockTableBuilder(BlockModels models, const Comparison &comparison,
                    bool repeatable)
      : models(models), block(models.front()->block()), comparison(comparison),
        costs(comparison), sum(models, costs, repeatable) {}

  std::vector<BlockEntry> run();

private:
  using Point = typename Front<Sums>::Point;

  BlockEntry entryOf(const Point &point);
  /// Finishes the points and adds those that no other one is better than,
  /// fastest first.
  void addEntries(const Front<Sums> &points, std::vector<BlockEntry> &entries);

  BlockModels models;
  const Block &block;
  const Comparison &comparison;
  FrontCosts<Sums> costs;
  BlockSum<FrontCosts<Sums>> sum;
};

template <typename Sums>
BlockEntry BlockTableBuilder<Sums>::entryOf(const Point &point) {
  BlockEntry entry;
  entry.layout = unsplitLayout(block);
  costs.decisions.visit(point.decisions, [&](Decision decision) {
    if (decision.about == Decision::About::Split)
      entry.layout.ops[decision.index] =
          sum.split(decision.index, decision.value);
    // Parameters are kept as they are read.
    else if (block.tensors[decision.index].role == TensorRole::Activation)
      entry.layout.tensors[decision.index] =
          sum.layout(decision.index, decision.value);
  });
  std::vector<ReadingSet> readings(block.tensors.size());
  for (OpIndex op = 0; op < block.ops.size(); ++op)
    for (unsigned i = 0; i < block.ops[op].operands.size(); ++i)
      readings[block.ops[op].operands[i].tensor].insert(
          models.front()->shapes().reading(op, entry.layout.ops[op], i));
  for (TensorIndex parameter : block.parameters)
    entry.layout.tensors[parameter] =
        BlockShapes::parameterLayout(readings[parameter]);
  for (TensorIndex input : block.inputs)
    entry.inputs.push_back(entry.layout.tensors[input]);
  for (TensorIndex output : block.outputs)
    entry.outputs.push_back(entry.layout.tensors[output]);
  entry.costs = models.front()->price(entry.layout);
  return entry;
}

// The launch floor makes some points equal that were not.
template <typename Sums>
void BlockTableBuilder<Sums>::addEntries(const Front<Sums> &points,
                                         std::vector<BlockEntry> &entries) {
  std::vector<BlockEntry> all;
  Front<Sums> finished;
  std::vector<UnitCosts> prices(models.size());
  // Which of `all` a point is, instead of decisions.
  for (const Point &point : points) {
    all.push_back(entryOf(point));
    prices.front() = all.back().costs;
    for (size_t i = 1; i < models.size(); ++i)
      prices[i] = models[i]->price(all.back().layout);
    CostVector<Sums> cost = point.cost;
    comparison.setFinished(cost.sums, prices);
    finished.offer({cost, DecisionPool::Index(all.size() - 1)});
  }
  std::vector<Point> left(finished.begin(), finished.end());
  std::ranges::sort(left, {}, &Point::cost);
  for (const Point &point : left)
    entries.push_back(std::move(all[point.decisions]));
}

template <typename Sums>
std::vector<BlockEntry> BlockTableBuilder<Sums>::run() {
  std::vector<BlockEntry> entries;
  sum.visitBorders(
      [&](const Front<Sums> &points) { addEntries(points, entries); });
  auto timeOf = [](const BlockEntry &entry) {
    return entry.costs.forward + entry.costs.forwardCommunication.total() +
           entry.costs.backward(Recompute::None);
  };
  std::ranges::sort(entries, [&](const BlockEntry &a, const BlockEntry &b) {
    return std::tuple(std::tie(a.inputs, a.outputs), timeOf(a)) <
           std::tuple(std::tie(b.inputs, b.outputs), timeOf(b));
  });
  return entries;
}

} // namespace

std::vector<BlockEntry> blockTable(BlockModels models, bool repeatable,
                                   IdleWeights idle) {
  Comparison comparison(models, idle);
  auto table = [&]<typename Sums>(Sums) {
    return BlockTableBuilder<Sums>(models, comparison, repeatable).run();
  };
  // Arrays are faster than vectors.
  if (comparison.size() == Comparison::plainSize)
    return table(std::array<int64_t, Comparison::plainSize>());
  if (comparison.size() <= Comparison::idleSize)
    return table(std::array<int64_t, Comparison::idleSize>());
  return table(std::vector<int64_t>());
}

std::vector<BlockEntry> blockTable(const UnitCostModel &model, bool repeatable,
                                   IdleWeights idle) {
  const UnitCostModel *models[] = {&model};
  return blockTable(models, repeatable, idle);
}

} // namespace shardsmith

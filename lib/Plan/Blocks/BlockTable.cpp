// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/BlockTable.h"
#include "BlockSum.h"
#include "Front.h"

#include <algorithm>

namespace shardsmith {

using namespace workload;
using namespace blocks;

namespace {

class BlockTableBuilder {
public:
  BlockTableBuilder(const UnitCostModel &model, bool repeatable)
      : model(model), block(model.block()), costs(model),
        sum(model, costs, repeatable) {}

  std::vector<BlockEntry> run();

private:
  BlockEntry entryOf(const Point &point);
  /// Finishes the points and adds those that no other one is better than,
  /// fastest first.
  void addEntries(const Front &points, std::vector<BlockEntry> &entries);

  const UnitCostModel &model;
  const Block &block;
  FrontCosts costs;
  BlockSum<FrontCosts> sum;
};

BlockEntry BlockTableBuilder::entryOf(const Point &point) {
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
          model.shapes().reading(op, entry.layout.ops[op], i));
  for (TensorIndex parameter : block.parameters)
    entry.layout.tensors[parameter] =
        BlockShapes::parameterLayout(readings[parameter]);
  for (TensorIndex input : block.inputs)
    entry.inputs.push_back(entry.layout.tensors[input]);
  for (TensorIndex output : block.outputs)
    entry.outputs.push_back(entry.layout.tensors[output]);
  entry.costs = model.price(entry.layout);
  return entry;
}

// The launch floor makes some points equal that were not.
void BlockTableBuilder::addEntries(const Front &points,
                                   std::vector<BlockEntry> &entries) {
  std::vector<BlockEntry> all;
  Front finished;
  // Which of `all` a point is, instead of decisions.
  for (const Point &point : points) {
    all.push_back(entryOf(point));
    finished.offer({point.cost.withTimesOf(all.back().costs),
                    DecisionPool::Index(all.size() - 1)});
  }
  std::vector<Point> left(finished.begin(), finished.end());
  std::ranges::sort(left, {}, &Point::cost);
  for (const Point &point : left)
    entries.push_back(std::move(all[point.decisions]));
}

std::vector<BlockEntry> BlockTableBuilder::run() {
  std::vector<BlockEntry> entries;
  sum.visitBorders([&](const Front &points) { addEntries(points, entries); });
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

std::vector<BlockEntry> blockTable(const UnitCostModel &model,
                                   bool repeatable) {
  return BlockTableBuilder(model, repeatable).run();
}

} // namespace shardsmith

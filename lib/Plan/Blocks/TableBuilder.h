// SPDX-License-Identifier: Apache-2.0
//
// The layouts that a sum of fronts over a block ends with, written down and
// priced. `Costs` are `ParetoCosts` with `offer` for `BlockSum`, and
// `setFinished(sums, entry)`, which puts the times of a layout that is finished
// in place of those of its parts.

#ifndef SHARDSMITH_LIB_PLAN_BLOCKS_TABLEBUILDER_H
#define SHARDSMITH_LIB_PLAN_BLOCKS_TABLEBUILDER_H

#include "BlockSum.h"
#include "FewLayouts.h"
#include "ParetoFront.h"

namespace shardsmith::blocks {

template <typename Costs> class TableBuilder {
public:
  TableBuilder(const UnitCostModel &model, Costs &costs, bool repeatable,
               ReadingSets sets)
      : model(model), block(model.block()), costs(costs),
        sum(model, costs, repeatable, sets) {}

  /// Sorted by inputs, then outputs, then time.
  std::vector<BlockEntry> run() {
    std::vector<BlockEntry> entries;
    sum.visitBorders([&](const Points &points) { add(points, entries); });
    sortEntries(entries);
    return entries;
  }

private:
  using Points = Costs::Entry;
  using Point = Points::Point;

  BlockEntry entryOf(const Point &point) {
    BlockLayout layout = unsplitLayout(block);
    costs.decisions.visit(point.decisions, [&](Decision decision) {
      if (decision.about == Decision::About::Split)
        layout.ops[decision.index] =
            sum.variables().splits(decision.index)[decision.value];
      // Parameters are kept as they are read.
      else if (block.tensors[decision.index].role ==
               workload::TensorRole::Activation)
        layout.tensors[decision.index] =
            sum.variables().layouts(decision.index)[decision.value];
    });
    std::vector<ReadingSet> readings(block.tensors.size());
    for (workload::OpIndex op = 0; op < block.ops.size(); ++op)
      for (unsigned i = 0; i < block.ops[op].operands.size(); ++i)
        readings[block.ops[op].operands[i].tensor].insert(
            model.shapes().reading(op, layout.ops[op], i));
    for (workload::TensorIndex parameter : block.parameters)
      layout.tensors[parameter] =
          model.shapes().parameterLayout(parameter, readings[parameter]);
    return blocks::entryOf(model, std::move(layout));
  }

  /// Finishes the points and adds those that no other one is better than,
  /// fastest first. The launch floor makes some equal that were not.
  void add(const Points &points, std::vector<BlockEntry> &entries) {
    std::vector<BlockEntry> all;
    Points finished;
    // Which of `all` a point is, instead of decisions.
    for (Point point : points) {
      all.push_back(entryOf(point));
      costs.setFinished(point.cost.sums, all.back());
      finished.offer({point.cost, DecisionPool::Index(all.size() - 1)});
    }
    std::vector<Point> left(finished.begin(), finished.end());
    std::ranges::sort(left, {}, &Point::cost);
    for (const Point &point : left)
      entries.push_back(std::move(all[point.decisions]));
  }

  const UnitCostModel &model;
  const workload::Block &block;
  Costs &costs;
  BlockSum<Costs> sum;
};

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_TABLEBUILDER_H

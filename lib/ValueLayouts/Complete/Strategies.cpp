// SPDX-License-Identifier: Apache-2.0

#include "Strategies.h"

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Support/Quantity.h"

#include <set>

using namespace llvm;

namespace shardsmith::plan {

bool fillsAllShards(int64_t size, int64_t shards) {
  return (shards - 1) * ceilDivide(size, shards) < size;
}

namespace {

/// Calls `visit` with the choice so far for every way to place the axes from
/// `axis` on.
class Enumerator {
public:
  Enumerator(const Mesh &mesh, const FactorRule &rule, const FactorAxes &placed,
             AxisRange range,
             llvm::function_ref<void(const FactorAxes &)> visit)
      : mesh(mesh), rule(rule), range(range), visit(visit), axes(placed) {}

  void run() { place(range.begin); }

private:
  void place(MeshAxis axis) {
    if (axis == range.end) {
      visit(axes);
      return;
    }
    place(axis + 1);
    // Stages are not split over the ranks that have others.
    if (mesh.getSize(axis) == 1 ||
        mesh.getName(axis) == smith::kPipelineAxisName)
      return;
    for (FactorIndex factor = 0; factor < rule.factors.size(); ++factor)
      placeOnFactor(axis, factor);
    placeOnLinearSets(axis);
  }

  void placeOnFactor(MeshAxis axis, FactorIndex factor) {
    const Factor &content = rule.factors[factor];
    if (content.kind == FactorKind::NeedReplication)
      return;
    AxisList &list = axes.factors[factor];
    int64_t shards = mesh.countShards(list) * mesh.getSize(axis);
    if (!fillsAllShards(content.size, shards))
      return;
    list.push_back(axis);
    place(axis + 1);
    list.pop_back();
    if (!range.bothOrders || list.empty())
      return;
    list.insert(list.begin(), axis);
    place(axis + 1);
    list.erase(list.begin());
  }

  void placeOnLinearSets(MeshAxis axis) {
    for (unsigned set = 0; set < rule.linearOperandSets.size(); ++set) {
      if (!axes.partial.empty() && axes.linearSet != set)
        continue;
      unsigned before = axes.linearSet;
      axes.linearSet = set;
      axes.partial.push_back(axis);
      place(axis + 1);
      axes.partial.pop_back();
      axes.linearSet = before;
    }
  }

  const Mesh &mesh;
  const FactorRule &rule;
  AxisRange range;
  llvm::function_ref<void(const FactorAxes &)> visit;
  FactorAxes axes;
};

} // namespace

unsigned LayoutPool::add(const Layout &layout) {
  auto [entry, isNew] = ids.try_emplace(layout, layouts.size());
  if (isNew)
    layouts.push_back(layout);
  return entry->second;
}

Strategy makeStrategy(const Mesh &mesh, const FactorRule &rule,
                      const FactorAxes &axes, LayoutPool &pool) {
  Strategy strategy;
  strategy.axes = axes;
  for (unsigned operand = 0; operand < rule.operands.size(); ++operand)
    strategy.operands.push_back(
        pool.add(getOperandLayout(mesh, rule, axes, operand)));
  for (unsigned result = 0; result < rule.results.size(); ++result)
    strategy.results.push_back(
        pool.add(getResultLayout(mesh, rule, axes, result)));
  return strategy;
}

std::vector<Strategy> enumerateStrategies(const Mesh &mesh,
                                          const FactorRule &rule,
                                          const FactorAxes &placed,
                                          AxisRange range, LayoutPool &pool) {
  // As it grows, this moves what a standard vector would copy.
  SmallVector<Strategy> strategies;
  std::set<std::pair<std::vector<unsigned>, std::vector<unsigned>>> seen;
  auto visit = [&](const FactorAxes &axes) {
    if (!verifyFactorAxes(mesh, rule, axes).empty())
      return;
    Strategy strategy = makeStrategy(mesh, rule, axes, pool);
    if (seen.emplace(strategy.operands, strategy.results).second)
      strategies.push_back(std::move(strategy));
  };
  Enumerator(mesh, rule, placed, range, visit).run();
  return {std::make_move_iterator(strategies.begin()),
          std::make_move_iterator(strategies.end())};
}

std::vector<Strategy> enumerateLayouts(const Mesh &mesh,
                                       ArrayRef<int64_t> shape,
                                       const Layout &placed, AxisRange range,
                                       LayoutPool &pool) {
  // An argument is an op without operands whose dimensions are all free.
  FactorRuleBuilder builder(0, 1);
  FactorAxes axes;
  for (auto [dim, size] : enumerate(shape)) {
    builder.add(size, {}, {{0, unsigned(dim)}});
    axes.factors.push_back(placed.dims[dim]);
  }
  FactorRule rule = builder.build();
  rule.results.front().resize(shape.size());
  return enumerateStrategies(mesh, rule, axes, range, pool);
}

} // namespace shardsmith::plan

// SPDX-License-Identifier: Apache-2.0

#include "FewLayouts.h"
#include "BeamSearch.h"
#include "TableBuilder.h"

#include <algorithm>
#include <set>

namespace shardsmith::blocks {

using namespace workload;

namespace {

/// The value of a weighted objective, as the sums of a front with one point.
struct ObjectiveSums {
  double value = 0;

  void add(const ObjectiveSums &other) { value += other.value; }
  bool noWorseThan(const ObjectiveSums &other) const {
    return value <= other.value;
  }
  auto operator<=>(const ObjectiveSums &) const = default;
};

class ObjectiveCosts : public ParetoCosts<ObjectiveSums> {
public:
  ObjectiveCosts(std::span<const UnitCostModel *const> models,
                 const WeightedObjective &objective,
                 const std::function<bool()> &mustStop)
      : models(models), objective(objective), mustStop(mustStop) {}

  bool isStopped() const { return stopped; }

  template <typename PriceOn>
  void offer(Entry &front, PriceOn priceOn, Decision decision) {
    ObjectiveSums sums;
    for (const UnitCostModel *kind : models) {
      const UnitCosts &costs = priceOn(*kind);
      if (costs.forward.isSaturated())
        return;
      sums.value += objective.of(costs, kind == models.front());
    }
    offerPart(front, sums, 0, decision);
  }
  void addSums(Entry &best, const Entry &a, const Entry &b) {
    constexpr unsigned many = 1 << 12;
    if (++unasked == many && mustStop) {
      unasked = 0;
      stopped |= mustStop();
    }
    if (!stopped)
      best.offerSums(a, b, decisions);
  }
  void setFinished(ObjectiveSums &, const BlockEntry &) const {}

private:
  std::span<const UnitCostModel *const> models;
  const WeightedObjective &objective;
  const std::function<bool()> &mustStop;
  unsigned unasked = 0;
  bool stopped = false;
};

/// Layouts that inputs and outputs may have in common.
std::vector<std::optional<TensorLayout>> bordersOf(const UnitCostModel &model) {
  const Block &block = model.block();
  std::set<TensorLayout> layouts;
  for (const auto *tensors : {&block.inputs, &block.outputs})
    for (TensorIndex tensor : *tensors)
      for (TensorLayout layout : model.shapes().layouts(tensor))
        layouts.insert(layout);
  std::vector<std::optional<TensorLayout>> borders(layouts.begin(),
                                                   layouts.end());
  if (borders.empty())
    borders.emplace_back();
  return borders;
}

} // namespace

BlockEntry entryOf(const UnitCostModel &model, BlockLayout layout) {
  const Block &block = model.block();
  BlockEntry entry;
  entry.layout = std::move(layout);
  for (TensorIndex input : block.inputs)
    entry.inputs.push_back(entry.layout.tensors[input]);
  for (TensorIndex output : block.outputs)
    entry.outputs.push_back(entry.layout.tensors[output]);
  entry.costs = model.price(entry.layout);
  return entry;
}

void sortEntries(std::vector<BlockEntry> &entries) {
  auto timeOf = [](const BlockEntry &entry) {
    return entry.costs.time(Recompute::None);
  };
  std::ranges::sort(entries, [&](const BlockEntry &a, const BlockEntry &b) {
    return std::tuple(std::tie(a.inputs, a.outputs), timeOf(a)) <
           std::tuple(std::tie(b.inputs, b.outputs), timeOf(b));
  });
}

std::vector<BlockEntry> fewLayouts(std::span<const UnitCostModel *const> models,
                                   bool repeatable, const SumLimits &limits,
                                   const std::function<bool()> &mustStop) {
  const UnitCostModel &model = *models.front();
  std::vector<BlockEntry> all;
  auto add = [&](BlockEntry entry) {
    auto isSame = [&](const BlockEntry &other) {
      return other.layout == entry.layout;
    };
    if (!entry.costs.forward.isSaturated() &&
        (!repeatable || entry.inputs == entry.outputs) &&
        std::ranges::none_of(all, isSame))
      all.push_back(std::move(entry));
  };
  add(entryOf(model, unsplitLayout(model.block())));
  constexpr ReadingSets sets = ReadingSets::AtLeastThoseRead;
  bool areSummed = resultEntries(model.block(), model.shapes(), repeatable,
                                 sets) <= limits.fewEntries;
  for (const WeightedObjective &objective : weightedObjectives(model)) {
    if (areSummed) {
      ObjectiveCosts costs(models, objective, mustStop);
      TableBuilder<ObjectiveCosts> builder(model, costs, repeatable, sets);
      if (!costs.isStopped())
        for (BlockEntry &entry : builder.run())
          add(std::move(entry));
      continue;
    }
    for (std::optional<TensorLayout> border : bordersOf(model))
      if (auto layout = BeamSearch(models, objective, border).run(mustStop))
        add(entryOf(model, std::move(*layout)));
  }
  sortEntries(all);
  return all;
}

} // namespace shardsmith::blocks

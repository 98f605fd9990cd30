// SPDX-License-Identifier: Apache-2.0
//
// Sums over a block of which only the first in an order counts: no fronts.

#include "FewLayouts.h"
#include "TableBuilder.h"

#include "shardsmith/Plan/Blocks/BlockTable.h"

namespace shardsmith {

using namespace blocks;

namespace {

/// Compared one after the other, so of two sums one is always the better.
struct OrderedSums {
  static constexpr size_t count = 3;
  std::array<int64_t, count> values = {};

  void add(const OrderedSums &other) { addUp(values, other.values); }
  bool noWorseThan(const OrderedSums &other) const {
    return values <= other.values;
  }
  auto operator<=>(const OrderedSums &) const = default;
};

/// Costs of a front that holds one point, the best in the order of its numbers.
class ExtremeCosts : public ParetoCosts<OrderedSums> {
public:
  /// `first`: the number that counts most, of those that `numbersOf` lists; the
  /// others follow in turn.
  ExtremeCosts(std::span<const UnitCostModel *const> models, size_t first,
               const std::array<bool, recomputeChoices> &allowed,
               const std::function<bool()> &mustStop)
      : models(models), first(first), mustStop(mustStop) {
    for (size_t choice = 0; choice < recomputeChoices; ++choice)
      if (allowed[choice]) {
        leanest = Recompute(choice);
        if (!isAny)
          fastest = leanest;
        isAny = true;
      }
  }

  template <typename PriceOn>
  void offer(Entry &front, PriceOn priceOn, Decision decision) {
    for (size_t kind = models.size(); kind-- > 0;) {
      const UnitCosts &costs = priceOn(*models[kind]);
      if (costs.forward.isSaturated())
        return;
      if (kind == 0)
        offerPart(front, sumsOf(costs), 0, decision);
    }
  }
  void addSums(Entry &best, const Entry &a, const Entry &b) {
    // A tenth of a millisecond or so.
    constexpr int64_t many = 1 << 12;
    if (mustStop && ++unasked == many) {
      unasked = 0;
      stopped |= mustStop();
    }
    if (!stopped)
      best.offerSums(a, b, decisions);
  }
  bool isStopped() const { return stopped; }
  void setFinished(OrderedSums &sums, const BlockEntry &entry) const {
    sums = sumsOf(entry.costs);
  }

private:
  OrderedSums sumsOf(const UnitCosts &costs) const {
    SharedParameters all = parametersOfUnit(costs);
    std::array<int64_t, OrderedSums::count> numbers = {
        costs.time(fastest).count(), costs.saved[size_t(leanest)].count(),
        all.dense + all.expert};
    std::ranges::rotate(numbers, numbers.begin() + long(first));
    return {numbers};
  }

  std::span<const UnitCostModel *const> models;
  size_t first;
  /// The least recomputation that is allowed, and the most.
  Recompute fastest = Recompute::None, leanest = Recompute::None;
  bool isAny = false;
  const std::function<bool()> &mustStop;
  /// Sums since `mustStop` was asked.
  int64_t unasked = 0;
  bool stopped = false;
};

} // namespace

std::vector<BlockEntry>
extremeLayouts(std::span<const UnitCostModel *const> models, bool repeatable,
               const std::array<bool, recomputeChoices> &allowed,
               const SumLimits &limits, const std::function<bool()> &mustStop) {
  const UnitCostModel &model = *models.front();
  if (resultEntries(model.block(), model.shapes(), repeatable,
                    ReadingSets::AtLeastThoseRead) > limits.fewEntries)
    return fewLayouts(models, repeatable, limits, mustStop);
  std::vector<BlockEntry> all;
  for (size_t first = 0; first < OrderedSums::count; ++first) {
    ExtremeCosts costs(models, first, allowed, mustStop);
    for (BlockEntry &entry :
         TableBuilder<ExtremeCosts>(model, costs, repeatable,
                                    ReadingSets::AtLeastThoseRead)
             .run()) {
      auto isSame = [&](const BlockEntry &other) {
        return other.layout == entry.layout;
      };
      if (std::ranges::none_of(all, isSame))
        all.push_back(std::move(entry));
    }
    if (costs.isStopped())
      break;
  }
  return all;
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/Blocks/BlockTable.h"
#include "FewLayouts.h"
#include "PerKind.h"
#include "TableBuilder.h"

namespace shardsmith {

using namespace blocks;

namespace {

/// `Sums`: `PlainSums`, or those per kind.
template <typename Sums> class PlainCosts : public KindCosts<Sums> {
public:
  using Entry = KindCosts<Sums>::Entry;

  /// `limits` may be null, which stands for no limits.
  PlainCosts(std::span<const UnitCostModel *const> models, Compare compare,
             RecomputeWays ways, const SumLimits *limits,
             const std::function<bool()> &mustStop)
      : KindCosts<Sums>(models, compare), ways(ways), limits(limits),
        mustStop(mustStop) {}

  bool isStopped() const { return stopped; }
  /// Stopped because there are too many layouts.
  bool isBeyondLimits() const { return beyondLimits; }

  template <typename PriceOn>
  void offer(Entry &front, PriceOn priceOn, Decision decision) {
    this->offerPriced(front, priceOn, decision,
                      [&](PlainSums &sums, size_t, const UnitCosts &costs) {
                        sums = PlainSums(costs, this->grid, ways);
                      });
  }
  void addSums(Entry &best, const Entry &a, const Entry &b) {
    if (!stopped)
      best.offerSums(a, b, this->decisions, [&](int64_t comparisons) {
        // A tenth of a millisecond or so.
        constexpr int64_t many = 1 << 14;
        unasked += comparisons;
        all += comparisons;
        beyondLimits = limits && (all > limits->comparisons ||
                                  this->decisions.size() > limits->points);
        stopped |= beyondLimits;
        if (unasked < many || !mustStop)
          return stopped;
        unasked = 0;
        stopped |= mustStop();
        return stopped;
      });
  }
  void setFinished(Sums &sums, const BlockEntry &entry) const {
    KindCosts<Sums>::setFinished(
        sums, entry, [&](PlainSums &sums, size_t, const UnitCosts &costs) {
          sums.setTimes(costs, ways);
        });
  }

private:
  RecomputeWays ways;
  const SumLimits *limits;
  const std::function<bool()> &mustStop;
  bool stopped = false, beyondLimits = false;
  /// Comparisons since `mustStop` was asked, and from the beginning.
  int64_t unasked = 0, all = 0;
};

/// The table of a block; nothing if it is beyond the limits.
template <typename Sums>
std::optional<std::vector<BlockEntry>>
tableOf(std::span<const UnitCostModel *const> models, bool repeatable,
        Compare compare, RecomputeWays ways, const SumLimits *limits,
        const std::function<bool()> &mustStop) {
  PlainCosts<Sums> costs(models, compare, ways, limits, mustStop);
  TableBuilder<PlainCosts<Sums>> builder(*models.front(), costs, repeatable,
                                         ReadingSets::AtLeastThoseRead);
  if (costs.isBeyondLimits())
    return std::nullopt;
  if (costs.isStopped())
    return std::vector<BlockEntry>();
  std::vector<BlockEntry> entries = builder.run();
  if (costs.isBeyondLimits())
    return std::nullopt;
  return entries;
}

std::optional<std::vector<BlockEntry>>
tableOf(std::span<const UnitCostModel *const> models, bool repeatable,
        Compare compare, RecomputeWays ways, const SumLimits *limits,
        const std::function<bool()> &mustStop) {
  return models.size() == 1
             ? tableOf<PlainSums>(models, repeatable, compare, ways, limits,
                                  mustStop)
             : tableOf<PerKind<PlainSums>>(models, repeatable, compare, ways,
                                           limits, mustStop);
}

} // namespace

std::vector<BlockEntry> blockTable(const UnitCostModel &model,
                                   bool repeatable) {
  const UnitCostModel *models[] = {&model};
  return blockTable(models, repeatable);
}

std::vector<BlockEntry> blockTable(std::span<const UnitCostModel *const> models,
                                   bool repeatable, Compare compare,
                                   const std::function<bool()> &mustStop) {
  return *tableOf(models, repeatable, compare, everyWay, nullptr, mustStop);
}

bool isWithinLimits(const UnitCostModel &model, bool repeatable,
                    const SumLimits &limits) {
  return resultEntries(model.block(), model.shapes(), repeatable,
                       ReadingSets::ThoseRead) <= limits.entries;
}

LimitedTable limitedTable(std::span<const UnitCostModel *const> models,
                          bool repeatable, Compare compare,
                          const SumLimits &limits,
                          const std::function<bool()> &mustStop,
                          RecomputeWays ways) {
  const UnitCostModel &model = *models.front();
  if (resultEntries(model.block(), model.shapes(), repeatable,
                    ReadingSets::AtLeastThoseRead) <= limits.entries)
    if (auto entries =
            tableOf(models, repeatable, compare, ways, &limits, mustStop))
      return {std::move(*entries), true};
  return {fewLayouts(models, repeatable, limits, mustStop), false};
}

} // namespace shardsmith

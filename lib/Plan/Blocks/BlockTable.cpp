// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/BlockTable.h"
#include "PerKind.h"
#include "TableBuilder.h"

namespace shardsmith {

using namespace blocks;

namespace {

/// `Sums`: `PlainSums`, or those per kind.
template <typename Sums> class PlainCosts : public KindCosts<Sums> {
public:
  using Entry = KindCosts<Sums>::Entry;

  PlainCosts(std::span<const UnitCostModel *const> models, Compare compare,
             const std::function<bool()> &mustStop)
      : KindCosts<Sums>(models, compare), mustStop(mustStop) {}

  bool isStopped() const { return stopped; }

  template <typename PriceOn>
  void offer(Entry &front, PriceOn priceOn, Decision decision) {
    this->offerPriced(front, priceOn, decision,
                      [&](PlainSums &sums, size_t, const UnitCosts &costs) {
                        sums = PlainSums(costs, this->grains);
                      });
  }
  void addSums(Entry &best, const Entry &a, const Entry &b) {
    if (!stopped)
      best.offerSums(a, b, this->decisions, [&](int64_t comparisons) {
        // A tenth of a millisecond or so.
        constexpr int64_t many = 1 << 14;
        unasked += comparisons;
        if (unasked < many || !mustStop)
          return false;
        unasked = 0;
        stopped = mustStop();
        return stopped;
      });
  }
  void setFinished(Sums &sums, const BlockEntry &entry) const {
    KindCosts<Sums>::setFinished(
        sums, entry, [](PlainSums &sums, size_t, const UnitCosts &costs) {
          sums.setTimes(costs);
        });
  }

private:
  const std::function<bool()> &mustStop;
  bool stopped = false;
  /// Comparisons since `mustStop` was asked.
  int64_t unasked = 0;
};

template <typename Sums>
std::vector<BlockEntry> tableOf(std::span<const UnitCostModel *const> models,
                                bool repeatable, Compare compare,
                                const std::function<bool()> &mustStop) {
  PlainCosts<Sums> costs(models, compare, mustStop);
  TableBuilder<PlainCosts<Sums>> builder(*models.front(), costs, repeatable,
                                         ReadingSets::AtLeastThoseRead);
  if (costs.isStopped())
    return {};
  return builder.run();
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
  return models.size() == 1
             ? tableOf<PlainSums>(models, repeatable, compare, mustStop)
             : tableOf<PerKind<PlainSums>>(models, repeatable, compare,
                                           mustStop);
}

} // namespace shardsmith

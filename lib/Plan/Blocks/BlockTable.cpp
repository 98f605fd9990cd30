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

  explicit PlainCosts(std::span<const UnitCostModel *const> models)
      : KindCosts<Sums>(models) {}

  template <typename PriceOn>
  void offer(Entry &front, PriceOn priceOn, Decision decision) {
    this->offerPriced(front, priceOn, decision,
                      [&](PlainSums &sums, size_t, const UnitCosts &costs) {
                        sums = PlainSums(costs, this->grains);
                      });
  }
  void addSums(Entry &best, const Entry &a, const Entry &b) {
    best.offerSums(a, b, this->decisions);
  }
  void setFinished(Sums &sums, const BlockEntry &entry) const {
    KindCosts<Sums>::setFinished(
        sums, entry, [](PlainSums &sums, size_t, const UnitCosts &costs) {
          sums.setTimes(costs);
        });
  }
};

template <typename Sums>
std::vector<BlockEntry> tableOf(std::span<const UnitCostModel *const> models,
                                bool repeatable) {
  PlainCosts<Sums> costs(models);
  return TableBuilder<PlainCosts<Sums>>(*models.front(), costs, repeatable,
                                        ReadingSets::AtLeastThoseRead)
      .run();
}

} // namespace

std::vector<BlockEntry> blockTable(const UnitCostModel &model,
                                   bool repeatable) {
  const UnitCostModel *models[] = {&model};
  return blockTable(models, repeatable);
}

std::vector<BlockEntry> blockTable(std::span<const UnitCostModel *const> models,
                                   bool repeatable) {
  return models.size() == 1 ? tableOf<PlainSums>(models, repeatable)
                            : tableOf<PerKind<PlainSums>>(models, repeatable);
}

} // namespace shardsmith

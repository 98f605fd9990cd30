// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Plan/BlockTable.h"
#include "TableBuilder.h"

namespace shardsmith {

using namespace blocks;

namespace {

class PlainCosts : public FrontCosts<PlainSums> {
public:
  explicit PlainCosts(const UnitCostModel &model) : grains(model) {}

  void offer(Entry &front, const UnitCosts &costs, Decision decision) {
    offerPart(front, PlainSums(costs, grains), grains.ofBytes(costs.transient),
              decision);
  }
  void addSums(Entry &best, const Entry &a, const Entry &b) {
    best.offerSums(a, b, decisions);
  }
  static void setFinished(PlainSums &sums, const UnitCosts &costs) {
    sums.setTimes(costs);
  }

private:
  Grains grains;
};

} // namespace

std::vector<BlockEntry> blockTable(const UnitCostModel &model,
                                   bool repeatable) {
  PlainCosts costs(model);
  return TableBuilder<PlainCosts>(model, costs, repeatable,
                                  ReadingSets::AtLeastThoseRead)
      .run();
}

} // namespace shardsmith
